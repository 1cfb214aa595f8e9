output "alias_arn" {
  description = "What callers invoke."
  value       = module.saltern.alias_arn
}

output "function_name" {
  description = "Name of the function."
  value       = module.saltern.function_name
}

output "live_version" {
  description = "The version that answers."
  value       = module.saltern.live_version
}

output "log_group_name" {
  description = "Where the log lines are."
  value       = module.saltern.log_group_name
}

output "url" {
  description = "The Function URL."
  value       = module.saltern.url
}
