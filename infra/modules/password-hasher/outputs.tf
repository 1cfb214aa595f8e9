output "alias_arn" {
  description = "ARN of the alias that callers invoke."
  value       = aws_lambda_alias.live.arn
}

output "capacity" {
  description = "The size of the function, the policy and the durations of a request and of an upgrade that the plan assumes, for each event the upgrades, and the busy and the provisioned environments, and the concurrency that the account needs for the events."
  value = {
    account_concurrency_needed = local.managed || length(local.events) == 0 ? null : local.account_concurrency_needed
    architecture               = var.architecture
    batch                      = var.capacity.batch
    memory_size_mb             = local.memory_size_mb
    policy                     = var.capacity.policy
    reserved_concurrency       = local.managed ? null : var.capacity.reserved_concurrency
    milliseconds_per_request   = local.milliseconds_per_request
    milliseconds_per_upgrade   = local.milliseconds_per_upgrade
    events = {
      for name, event in local.events : name => {
        busy                = module.capacity[name].environments
        provisioned         = event.environments
        provisioned_from    = event.leads_at
        provisioned_to      = event.ends_at
        upgrades_per_second = event.upgrades_per_second
        seconds_if_all_cold = module.capacity[name].milliseconds_from_cold / 1000
      }
    }
  }
}

output "cost_usd" {
  description = "Cost by list prices, rounded up to the cent. `events` is the sum of all announced events."
  value = {
    events             = try(ceil(local.cost_usd_of_events * 100) / 100, null)
    per_million_logins = try(ceil(local.cost_usd_per_million_logins * 100) / 100, null)
    per_event          = { for name, cost in local.cost_usd_per_event : name => try(ceil(cost * 100) / 100, null) }
    per_event_hour     = { for name, cost in local.cost_usd_per_event_hour : name => try(ceil(cost * 100) / 100, null) }
    per_idle_hour      = try(ceil(local.cost_usd_per_idle_hour * 100) / 100, null)
  }
}

output "dashboard_name" {
  description = "Name of the dashboard in CloudWatch."
  value       = aws_cloudwatch_dashboard.main.dashboard_name
}

output "evening" {
  description = "A page for each announced event: what to do from two weeks before it until the day after, with commands and expected output."
  value       = coalesce(local.evening, "No event is announced.\n")
}

output "execution_policy_json" {
  description = "The policy that the execution role has, or that your own role needs."
  value       = local.execution_policy
}

output "function_arn" {
  description = "ARN of the function, without a version."
  value       = aws_lambda_function.main.arn
}

output "function_name" {
  description = "Name of the function."
  value       = aws_lambda_function.main.function_name
}

output "hold_command" {
  description = "Applies and leaves `live` on the version that AWS has, also after a rollback by hand."
  value       = local.hold_command
}

output "log_group_name" {
  description = "Name of the log group."
  value       = local.log_group_name
}

output "secrets_key_arn" {
  description = "ARN of the KMS key of the secrets. `null` without `seal_key_holders`."
  value       = one(aws_kms_key.secrets[*].arn)
}

output "url" {
  description = "The Function URL without a trailing slash, as the client expects it. `null` if the function has no URL."
  value       = one([for url in aws_lambda_function_url.live : trimsuffix(url.function_url, "/")])

  # Without the permissions the URL answers every request with 403.
  depends_on = [aws_lambda_permission.url, aws_lambda_permission.invoke_via_url]
}
