output "alias_arn" {
  description = "ARN of the alias that callers invoke."
  value       = module.saltern.alias_arn
}

output "function_name" {
  description = "Name of the function."
  value       = module.saltern.function_name
}

output "log_group_name" {
  description = "Name of the log group."
  value       = module.saltern.log_group_name
}

output "url" {
  description = "The Function URL."
  value       = module.saltern.url
}
