output "alias_arn" {
  description = "ARN of the alias that callers invoke."
  value       = module.saltern.alias_arn
}

output "capacity" {
  description = "The planned duration of a request, the capacity of each event, and the concurrency that the account needs for the events."
  value       = module.saltern.capacity

  precondition {
    condition     = length(local.unknown_variables) == 0
    error_message = "A file of variables sets ${join(", ", local.unknown_variables)}, but no variable has that name. The names are in variables.tf."
  }
}

output "cost_usd" {
  description = "Cost by list prices: of a million logins, each event, an hour of it, all events, and an hour without calls."
  value       = module.saltern.cost_usd
}

output "dashboard_name" {
  description = "Name of the dashboard in CloudWatch."
  value       = module.saltern.dashboard_name
}

output "evening" {
  description = "The page that leads through each announced event. Print it with `terraform output -raw evening`."
  value       = module.saltern.evening
  sensitive   = true # not secret, but each plan would print the whole page
}

output "execution_policy_json" {
  description = "The policy of the execution role, for a role of your own."
  value       = module.saltern.execution_policy_json
}

output "function_name" {
  description = "Name of the function."
  value       = module.saltern.function_name
}

output "hold_command" {
  description = "Applies and leaves `live` on the version that AWS has, also after a rollback by hand."
  value       = module.saltern.hold_command
}

output "log_group_name" {
  description = "Name of the log group."
  value       = module.saltern.log_group_name
}

output "secrets_key_arn" {
  description = "ARN of the KMS key of the secrets. `null` without seal_key_holders."
  value       = module.saltern.secrets_key_arn
}

output "url" {
  description = "The Function URL. `null` without function_url_callers."
  value       = module.saltern.url
}
