output "url" {
  description = "What the backend calls."
  value       = module.saltern.url
}
