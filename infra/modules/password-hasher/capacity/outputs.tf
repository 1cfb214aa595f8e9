output "concurrency" {
  description = "Concurrency that the account or the reservation must have, for the provisioned environments and for the request rate."
  value       = local.concurrency
}

output "environments" {
  description = "Environments that are busy at once."
  value       = local.environments
}

output "fits_account" {
  description = "Whether the account has this concurrency, besides the 100 that must stay unreserved."
  value       = local.concurrency <= local.most_concurrency
}

output "logins_per_second_that_fit" {
  description = "The most logins per second that fit the account, with these upgrades. At most each login makes one."
  value = min(local.most_concurrency * var.batch * local.limits.requests_per_second_per_concurrency, max(
    floor((local.most_milliseconds - var.upgrades_per_second * var.milliseconds_per_upgrade) / var.milliseconds_per_request),
    floor(local.most_milliseconds / (var.milliseconds_per_request + var.milliseconds_per_upgrade))
  ))
}

output "milliseconds_from_cold" {
  description = "Milliseconds that Lambda needs to start the environments from zero. The first 1,000 start at once."
  value       = max(local.environments - local.limits.environments_per_ten_seconds, 0) * 10 * 1000 / local.limits.environments_per_ten_seconds
}

output "provisioned" {
  description = "Environments to provision: 70 percent of them are busy."
  value       = local.provisioned
}
