output "capacity" {
  description = "What was planned with, and what the event gets."
  value       = module.saltern.capacity
}

output "url" {
  description = "What the backend calls."
  value       = module.saltern.url
}
