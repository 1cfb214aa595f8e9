# Computes every row of the table with the formula, for the test.

terraform {
  required_version = ">= 1.10"
}

locals {
  rows = { for row in jsondecode(file("${path.module}/../../capacity-table.json")).rows : row.name => row }
}

module "row" {
  source   = "../../capacity"
  for_each = local.rows

  account_concurrency      = each.value.account_concurrency
  batch                    = each.value.batch
  logins_per_second        = each.value.logins_per_second
  milliseconds_per_request = each.value.milliseconds_per_request
}

output "rows" {
  description = "Number of rows."
  value       = length(local.rows)
}

output "wrong" {
  description = "The rows for which the formula disagrees with the table, with the results of the formula."
  value = { for name, row in local.rows : name => module.row[name] if anytrue([
    module.row[name].concurrency != row.expected.concurrency,
    module.row[name].environments != row.expected.environments,
    module.row[name].fits_account != row.expected.fits_account,
    module.row[name].milliseconds_from_cold != row.expected.milliseconds_from_cold,
    module.row[name].provisioned != row.expected.provisioned,
  ]) }
}
