output "environments" {
  description = "Environments that are busy at once."
  value       = local.environments
}

output "fits_account" {
  description = "Whether the provisioned environments fit what the account has, less the 100 that are always left unreserved."
  value       = local.provisioned <= var.account_concurrency - local.limits.concurrency_left_unreserved
}

output "milliseconds_from_cold" {
  description = "Milliseconds in which Lambda starts that many environments when none was there."
  value       = local.environments * 10 * 1000 / local.limits.environments_per_ten_seconds
}

output "provisioned" {
  description = "Environments to provision, so that the busy ones are 70 percent of them."
  value       = local.provisioned
}
