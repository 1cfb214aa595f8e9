# The capacity formula, and nothing else: no resource, no provider. capacity-table.json has its test table.
#
# All in integers, as wherever it is implemented: in 64-bit floating point 3000 × 0.275 is a little more than 825, and
# rounding up would make it 826.

locals {
  limits = { for name, limit in jsondecode(file("${path.module}/../limits.json")) : name => limit.value if name != "about" }

  # ⌈requests/s × seconds per request⌉, where requests/s = logins/s ÷ batch.
  environments = ceil(var.logins_per_second * var.milliseconds_per_request / (var.batch * 1000))

  provisioned = ceil(local.environments * 100 / local.limits.target_utilisation_percent)

  # ⌈requests/s ÷ 10⌉: Lambda bounds the request rate by ten times the concurrency, however short the requests are. That is
  # a bound on the total: one environment may well serve more than ten requests a second.
  by_rate     = ceil(var.logins_per_second / (var.batch * local.limits.requests_per_second_per_concurrency))
  concurrency = max(local.provisioned, local.by_rate)
}
