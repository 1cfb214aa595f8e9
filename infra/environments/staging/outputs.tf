output "alias_arn" {
  description = "ARN of the alias that callers invoke."
  value       = module.saltern.alias_arn
}

output "capacity" {
  description = "The planned duration of a request, and the capacity of each event."
  value       = module.saltern.capacity
}

output "cost_usd" {
  description = "Cost by list prices: per million logins, per hour of each event, and per hour without calls."
  value       = module.saltern.cost_usd
}

output "dashboard_name" {
  description = "Name of the dashboard in CloudWatch."
  value       = module.saltern.dashboard_name
}

output "function_name" {
  description = "Name of the function."
  value       = module.saltern.function_name
}

output "live_version" {
  description = "The version that callers reach."
  value       = module.saltern.live_version
}

output "log_group_name" {
  description = "Name of the log group."
  value       = module.saltern.log_group_name
}

output "url" {
  description = "The Function URL."
  value       = module.saltern.url
}
