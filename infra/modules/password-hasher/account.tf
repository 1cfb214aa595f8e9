# Reads from AWS every field that var.account leaves out. If none of them is left out, a plan reads
# nothing.

data "aws_caller_identity" "current" {
  count = var.account.id == null ? 1 : 0
}

data "aws_partition" "current" {
  count = var.account.partition == null ? 1 : 0
}

data "aws_region" "current" {
  count = var.account.region == null ? 1 : 0
}

data "aws_servicequotas_service_quota" "concurrency" {
  count = var.account.concurrency == null && !local.managed ? 1 : 0

  service_code = "lambda"
  quota_code   = "L-B99A9384" # Concurrent executions
}

locals {
  # The quota. It bounds classic Lambda only. Managed Instances do not use the concurrency of the
  # account.
  _account_concurrency = var.account.concurrency == null ? (local.managed ? 0 : data.aws_servicequotas_service_quota.concurrency[0].value) : var.account.concurrency
  # The part that other functions have not reserved.
  account_concurrency    = local._account_concurrency - var.account.concurrency_reserved_elsewhere
  _concurrency_available = local.account_concurrency - local.limits.concurrency_left_unreserved
  account_id             = var.account.id == null ? data.aws_caller_identity.current[0].account_id : var.account.id
  partition              = var.account.partition == null ? data.aws_partition.current[0].partition : var.account.partition
  _dns_suffix            = local.partition == "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com"
  region                 = var.account.region == null ? data.aws_region.current[0].region : var.account.region

  # The quota to ask for. AWS takes days to raise it, so it has room for twice the largest event, and
  # for the rehearsal of that event in staging. A reservation that the operator raises for the event
  # does not change the number.
  _concurrency_with_room     = max(var.capacity.reserved_concurrency, 2 * local._most_needed)
  _concurrency_rehearsed     = length(local.events) == 0 ? var.capacity.reserved_concurrency : local._most_needed
  account_concurrency_needed = local._concurrency_with_room + local._concurrency_rehearsed + local.limits.concurrency_left_unreserved + var.account.concurrency_reserved_elsewhere
}
