output "concurrency" {
  description = "Concurrency that the account or the reservation must have: for the provisioned environments, and for so many requests a second."
  value       = local.concurrency
}

output "environments" {
  description = "Environments that are busy at once."
  value       = local.environments
}

output "fits_account" {
  description = "Whether that concurrency fits what the account has, less the 100 that are always left unreserved."
  value       = local.concurrency <= var.account_concurrency - local.limits.concurrency_left_unreserved
}

output "milliseconds_from_cold" {
  description = "Milliseconds in which Lambda starts that many environments when none was there: the first 1,000 at once."
  value       = max(local.environments - local.limits.environments_per_ten_seconds, 0) * 10 * 1000 / local.limits.environments_per_ten_seconds
}

output "provisioned" {
  description = "Environments to provision, so that the busy ones are 70 percent of them."
  value       = local.provisioned
}
