# The duration of a request, and the environments that are needed at each time.

locals {
  _durations = jsondecode(file("${path.module}/durations.json"))

  # One hash uses one vCPU. With less memory than one vCPU has, a hash takes proportionally longer.
  # With more it is no faster.
  _reference_memory_mb = local._durations.reference_memory_mb.value
  _milliseconds_of_one = {
    for name, policy in local._durations.policies :
    name => ceil(policy["${var.architecture}_milliseconds"] * local._reference_memory_mb / min(local.memory_size_mb, local._reference_memory_mb))
  }

  # On Managed Instances a vCPU has eight requests at once. They count as its batch, whether or not
  # each carries a batch.
  lanes_per_vcpu = 8
  batch          = local.managed ? local.lanes_per_vcpu : var.capacity.batch

  _milliseconds = {
    for name, policy in local._durations.policies :
    name => ceil(local._milliseconds_of_one[name] * local._durations.batch_percent_of_one[policy.scheme].percent[local.batch] / 100)
  }

  milliseconds_per_request = var.capacity.milliseconds_per_request == null ? local._milliseconds[var.capacity.policy] : var.capacity.milliseconds_per_request

  # A login that is upgraded computes a second hash, and holds its environment for both. It can happen
  # only if most stored hashes are not of the current policy.
  has_upgrades             = var.capacity.upgrade_policy != var.capacity.policy
  milliseconds_per_upgrade = var.capacity.milliseconds_per_upgrade == null ? local._milliseconds[var.capacity.upgrade_policy] : var.capacity.milliseconds_per_upgrade
}

locals {
  # Events that are not over. An event that is over has no effect and no cost.
  _ahead = [for event in var.events : event if timecmp(event.ends_at, plantimestamp()) > 0]

  # As long as the operator has given no number, each login counts as an upgrade. The refusal that
  # asks for the number then also says what that needs.
  no_upgrades_given   = length(local._ahead) > 0 && local.has_upgrades && var.capacity.upgrades_per_second == null
  _most_logins        = max(0, [for event in local._ahead : tonumber(event.expected_logins_per_second)]...)
  upgrades_per_second = local.no_upgrades_given ? local._most_logins : coalesce(var.capacity.upgrades_per_second, 0)

  _announced = {
    for event in local._ahead : event.name => {
      starts_at                  = event.starts_at
      utc_offset                 = lookup(event, "utc_offset", null)
      leads_at                   = timeadd(event.starts_at, "-${local.limits.event_lead_minutes}m")
      ends_at                    = event.ends_at
      expected_logins_per_second = tonumber(event.expected_logins_per_second)
      upgrades_per_second        = min(local.upgrades_per_second, tonumber(event.expected_logins_per_second))
    }
  }

  past_events    = [for event in var.events : event.name if timecmp(event.ends_at, plantimestamp()) <= 0]
  current_events = [for name, event in local._announced : name if timecmp(event.leads_at, plantimestamp()) <= 0]
}

check "no_event_is_over" {
  assert {
    condition     = length(local.past_events) == 0
    error_message = "These events are over and have no effect: ${join(", ", local.past_events)}. Is their year right? Otherwise remove them from events."
  }
}

module "capacity" {
  source   = "./capacity"
  for_each = local._announced

  account_concurrency      = local.account_concurrency
  batch                    = local.batch
  logins_per_second        = each.value.expected_logins_per_second
  milliseconds_per_request = local.milliseconds_per_request
  milliseconds_per_upgrade = local.milliseconds_per_upgrade
  upgrades_per_second      = each.value.upgrades_per_second
}

locals {
  # The constants of the formula, for the other computations of this module.
  limits = { for name, limit in jsondecode(file("${path.module}/limits.json")) : name => limit.value if name != "about" }

  events = {
    for name, event in local._announced : name => merge(event, {
      provisioned = module.capacity[name].provisioned
      environments = local.managed ? max(
        ceil(module.capacity[name].provisioned / local.vcpus_per_environment), var.managed_instances.minimum_environments
      ) : module.capacity[name].provisioned
    })
  }

  # The times at which the number of environments changes. Past times are left out, because
  # Application Auto Scaling refuses them.
  _changes = merge(
    { for name, event in local.events : "${name}-start" => event.leads_at },
    { for name, event in local.events : "${name}-end" => event.ends_at },
  )
  changes = { for name, time in local._changes : name => time if timecmp(time, plantimestamp()) > 0 }

  # A reservation of 0 stops the function, and then Lambda accepts no provisioned environment either.
  stopped = !local.managed && var.capacity.reserved_concurrency == 0

  baseline = local.managed ? var.managed_instances.minimum_environments : local.stopped ? 0 : var.capacity.provisioned_minimum

  # The environments of each event that is current at one of these times, or now. Two events can be
  # current at once, because the capacity of the next one is requested before it starts.
  environments_at = {
    for name, time in merge(local._changes, { now = plantimestamp() }) : name => [
      for event in local.events : event.environments if !local.stopped && timecmp(event.leads_at, time) <= 0 && timecmp(time, event.ends_at) < 0
    ]
  }

  # The minimum at each of these times: the largest current event, or the baseline.
  minimum_at = { for name, environments in local.environments_at : name => max(local.baseline, environments...) }
}
