# The capacity formula, without a resource or a provider. Its test table is capacity-table.json.
#
# Every implementation of the formula computes with integers. In 64-bit floating point
# 3000 × 0.275 is slightly more than 825, and would be rounded up to 826.

locals {
  limits = { for name, limit in jsondecode(file("${path.module}/../limits.json")) : name => limit.value if name != "about" }

  # ⌈requests/s × seconds per request⌉, where requests/s = logins/s ÷ batch. Upgrades add their own
  # seconds, and no requests.
  environments = ceil((var.logins_per_second * var.milliseconds_per_request + var.upgrades_per_second * var.milliseconds_per_upgrade) / (var.batch * 1000))

  provisioned = ceil(local.environments * 100 / local.limits.target_utilisation_percent)

  # ⌈requests/s ÷ 10⌉: Lambda limits the request rate to ten times the concurrency, for short
  # requests too. The limit is on the total rate: a single environment may serve more than ten
  # requests a second.
  by_rate     = ceil(var.logins_per_second / (var.batch * local.limits.requests_per_second_per_concurrency))
  concurrency = max(local.provisioned, local.by_rate)

  # What the account has, and the work of a second that its environments do.
  most_concurrency  = var.account_concurrency - local.limits.concurrency_left_unreserved
  most_milliseconds = floor(local.most_concurrency * local.limits.target_utilisation_percent / 100) * var.batch * 1000
}
