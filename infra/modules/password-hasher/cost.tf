# The cost by the list prices of prices.json, in US dollars, without logs and metrics.

locals {
  _prices = { for name, price in jsondecode(file("${path.module}/prices.json")) : name => price.value if can(price.value) }

  _gb                 = local.memory_size_mb / 1024
  _seconds            = local.milliseconds_per_request / 1000
  _usd_per_request    = local._prices.requests_usd_per_million / 1000000
  _on_demand          = local._prices["${var.architecture}_on_demand_usd_per_gb_second"]
  _provisioned_idle   = local._prices["${var.architecture}_provisioned_idle_usd_per_gb_second"]
  _provisioned_run    = local._prices["${var.architecture}_provisioned_run_usd_per_gb_second"]
  _seconds_of_an_hour = 3600

  # Managed Instances cost the price of EC2 plus a fee. The module knows it only if
  # ec2_usd_per_vcpu_hour is set.
  _usd_per_vcpu_second = try(
    var.managed_instances.ec2_usd_per_vcpu_hour * (1 + local._prices.managed_instances_percent_on_top_of_ec2 / 100) / local._seconds_of_an_hour, null
  )

  cost_usd_per_million_logins = (
    local.managed
    ? try(1000000 * (local._usd_per_request + local._usd_per_vcpu_second * local._seconds / local.batch * 100 / local.limits.target_utilisation_percent), null)
    : 1000000 / local.batch * (local._usd_per_request + local._gb * local._seconds * local._on_demand)
  )

  # An hour at the expected rate, with the provisioned environments of the event.
  cost_usd_per_event_hour = {
    for name, event in local.events : name => (
      local.managed
      ? try(local._seconds_of_an_hour * (event.expected_logins_per_second * local._usd_per_request + event.environments * local.vcpus_per_environment * local._usd_per_vcpu_second), null)
      : local._seconds_of_an_hour * (
        event.expected_logins_per_second / local.batch * (local._usd_per_request + local._gb * local._seconds * local._provisioned_run) +
        event.upgrades_per_second / local.batch * local._gb * local.milliseconds_per_upgrade / 1000 * local._provisioned_run +
        event.environments * local._gb * local._provisioned_idle
      )
    )
  }

  # Terraform subtracts no times. These are the seconds since 1970, as CloudWatch counts them. The year
  # begins in March, so that the day of a leap year is its last one.
  _times = {
    for name, event in local.events : name => {
      for end, time in { from = event.leads_at, to = event.ends_at } : end => {
        year                  = tonumber(formatdate("YYYY", time)) - (tonumber(formatdate("M", time)) <= 2 ? 1 : 0)
        month                 = (tonumber(formatdate("M", time)) + 9) % 12
        day                   = tonumber(formatdate("D", time))
        second                = tonumber(formatdate("h", time)) * 3600 + tonumber(formatdate("m", time)) * 60 + tonumber(formatdate("s", time))
      }
    }
  }
  _epochs = {
    for name, times in local._times : name => {
      for end, time in times : end => time.second + 86400 * (
        time.day + floor((153 * time.month + 2) / 5) + 365 * time.year + floor(time.year / 4) - floor(time.year / 100) + floor(time.year / 400) - 719469
      )
    }
  }

  # From the time at which its environments are requested until its end. An event that is current
  # counts in full.
  cost_usd_per_event = {
    for name, cost in local.cost_usd_per_event_hour : name => try(cost * (local._epochs[name].to - local._epochs[name].from) / local._seconds_of_an_hour, null)
  }
  cost_usd_of_events = try(sum(concat([0], values(local.cost_usd_per_event))), null)

  # A running event is never refused for its cost.
  cost_usd_ahead = try(sum([for name, cost in merge({ none = 0 }, local.cost_usd_per_event) : cost if !contains(local.current_events, name)]), null)

  # Without an event more than a tenth of the reservation is not everyday, unless so much is provisioned.
  everyday_concurrency = max(local._everyday_maximum, ceil(var.capacity.reserved_concurrency / 10))

  # An hour of a busy environment, at the higher price: of all planned ones, and of all reserved ones.
  # If an event plans with the whole reservation, `cost-per-hour` can ring only for its many short requests.
  _usd_per_busy_hour         = local._seconds_of_an_hour * (local._gb * local._on_demand + local._usd_per_request / local._seconds)
  cost_usd_per_busy_hour     = local._usd_per_busy_hour * max(local.everyday_concurrency, [for event in local.events : event.environments]...)
  cost_usd_per_reserved_hour = local.managed ? null : local._usd_per_busy_hour * var.capacity.reserved_concurrency

  # An hour of the baseline without calls.
  cost_usd_per_idle_hour = (
    local.managed
    ? try(local._seconds_of_an_hour * local.baseline * local.vcpus_per_environment * local._usd_per_vcpu_second, null)
    : local._seconds_of_an_hour * local.baseline * local._gb * local._provisioned_idle
  )
}

check "the_events_are_in_the_budget" {
  assert {
    condition     = var.budget_usd == null || local.cost_usd_of_events == null || try(local.cost_usd_ahead > var.budget_usd, false) ? true : local.cost_usd_of_events <= var.budget_usd
    error_message = "With the running event the announced events cost ${local.cost_usd_of_events == null ? 0 : ceil(local.cost_usd_of_events)} US dollars, above budget_usd. The apply is not refused, because the event is running."
  }
}
