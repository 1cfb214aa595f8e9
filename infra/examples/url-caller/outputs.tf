output "url" {
  description = "The Function URL that the backend calls."
  value       = module.saltern.url
}
