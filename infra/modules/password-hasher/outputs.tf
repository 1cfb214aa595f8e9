output "alias_arn" {
  description = "What callers invoke."
  value       = aws_lambda_alias.live.arn
}

output "capacity" {
  description = "What was planned with, and for each event the environments that are busy and that are provisioned."
  value = {
    milliseconds_per_request = local.milliseconds_per_request
    events = {
      for name, event in local.events : name => {
        busy                = module.capacity[name].environments
        provisioned         = event.environments
        provisioned_from    = event.leads_at
        provisioned_to      = event.ends_at
        seconds_if_all_cold = module.capacity[name].milliseconds_from_cold / 1000
      }
    }
  }
}

output "cost_usd" {
  description = "By list prices, to the cent: per million logins, per hour of each event at its expected rate, and per hour without calls."
  value = {
    per_million_logins = try(ceil(local.cost_usd_per_million_logins * 100) / 100, null)
    per_event_hour     = { for name, cost in local.cost_usd_per_event_hour : name => try(ceil(cost * 100) / 100, null) }
    per_idle_hour      = try(ceil(local.cost_usd_per_idle_hour * 100) / 100, null)
  }
}

output "dashboard_name" {
  description = "Name of the dashboard in CloudWatch."
  value       = aws_cloudwatch_dashboard.main.dashboard_name
}

output "function_arn" {
  description = "ARN of the function, without a version."
  value       = aws_lambda_function.main.arn
}

output "function_name" {
  description = "Name of the function."
  value       = aws_lambda_function.main.function_name
}

output "live_version" {
  description = "The version that `live` stands on."
  value       = aws_lambda_alias.live.function_version
}

output "log_group_name" {
  description = "Where the log lines are."
  value       = aws_cloudwatch_log_group.function.name
}

output "url" {
  description = "The Function URL, without a slash at the end, as the client wants it; null without one."
  value       = one([for url in aws_lambda_function_url.live : trimsuffix(url.function_url, "/")])

  # Before the permissions are there the URL answers everybody 403.
  depends_on = [aws_lambda_permission.url, aws_lambda_permission.invoke_via_url]
}
