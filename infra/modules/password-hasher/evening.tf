# The page that leads an operator through an announced event: evening.md.tftpl, with the names, times
# and numbers of this plan.

locals {
  _page = "${path.module}/evening.md.tftpl"

  # The times that the page names, as offsets from the start and from the end of an event.
  _offsets = { for edge in ["starts", "ends"] : edge => toset(flatten(regexall("\\b${edge}\\[\"([^\"]+)\"\\]", file(local._page)))) }

  # Within an hour of its end the environments of another event are there, which its page must not release.
  _is_followed = {
    for name, event in local.events : name => anytrue([
      for next in local.events : timecmp(event.ends_at, next.ends_at) < 0 && timecmp(next.leads_at, timeadd(event.ends_at, "1h")) <= 0
    ])
  }

  evening = join("\n", [
    for name, event in local.events : templatefile(local._page, merge({
      for edge, offsets in local._offsets : edge => {
        for offset in offsets : offset => join(", ", [
          for zone, ahead in merge({ UTC = "0m" }, event.utc_offset == null ? {} : { (event.utc_offset) = "${replace(event.utc_offset, ":", "h")}m" }) :
          "${formatdate("D MMM YYYY hh:mm", timeadd(timeadd(event["${edge}_at"], offset), ahead))} ${zone}"
        ])
      }
      }, {
      alarms       = { for name, alarm in local.alarms : name => { severity = alarm.severity, threshold = alarm.threshold } }
      architecture = var.architecture
      busy         = module.capacity[name].environments
      client       = var.alarms.client_metrics_namespace
      client_count = local.client_fallback_metric
      cost = { for what, usd in {
        busy_hour = local.cost_usd_per_reserved_hour, event = local.cost_usd_per_event[name], hour = local.cost_usd_per_event_hour[name],
      } : what => usd == null ? "?" : format("%.2f", usd) }
      ends_at          = event.ends_at
      event_maximum    = max(event.environments, local._event_maximum)
      environments     = event.environments
      everyday_maximum = local._everyday_maximum
      everyday_minimum = local.baseline
      function         = var.name
      hold_command     = local.hold_command
      is_followed      = local._is_followed[name]
      logins           = event.expected_logins_per_second
      managed          = local.managed
      memory_size_mb   = local.memory_size_mb
      name             = name
      page_topic_arn   = local.topic_arns.page
      quota = {
        here       = local._concurrency_with_room
        needed     = local.account_concurrency_needed
        others     = var.account.concurrency_reserved_elsewhere
        rehearsal  = local._concurrency_rehearsed
        unreserved = local.limits.concurrency_left_unreserved
      }
      region               = local.region
      reserved_concurrency = var.capacity.reserved_concurrency
      starts_at            = event.starts_at
      upgrades             = var.settings.upgrades
      upgrades_per_second  = event.upgrades_per_second
    }))
  ])
}
