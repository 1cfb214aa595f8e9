output "capacity" {
  description = "The planned duration of a request, and the capacity of each event."
  value       = module.saltern.capacity
}

output "url" {
  description = "The Function URL that the backend calls."
  value       = module.saltern.url
}
