# Each alarm needs an action. infra/OPERATIONS.md describes it, under the name of the alarm.

locals {
  # The value of CloudWatch's dimension Resource for the alias.
  alias_dimension = "${var.name}:${aws_lambda_alias.live.name}"
  alias_dimensions = {
    FunctionName = var.name
    Resource     = local.alias_dimension
  }

  # Requests of the planned duration keep 70 % of the planned environments busy. Requests of this
  # duration keep all of them busy. Planned upgrades may be more than a tenth of the requests.
  _slow_milliseconds = local.milliseconds_per_request + (local.upgrades_per_second > 0 ? local.milliseconds_per_upgrade : 0)
  duration_p90_milliseconds = (
    var.alarms.duration_p90_milliseconds == null
    ? ceil(local._slow_milliseconds * 100 / local.limits.target_utilisation_percent)
    : var.alarms.duration_p90_milliseconds
  )

  # Each environment sends its metrics up to twice a minute after an answer, and Lambda counts that
  # time too. At quiet hours such requests would be the slowest tenth.
  _requests_of_a_p90 = max(500, 20 * var.capacity.provisioned_minimum)

  # The name of the sum of the counter saltern.client.fallback in Micrometer's CloudWatch registry.
  client_fallback_metric = "saltern.client.fallback.count"

  cost_usd_per_hour = var.alarms.cost_usd_per_hour == null ? ceil(local.cost_usd_per_busy_hour) : var.alarms.cost_usd_per_hour

  # What the name of a section follows. Without an address the operator's own copy of the guide has it.
  runbook = var.alarms.runbook_url == null ? "infra/OPERATIONS.md, section " : "${var.alarms.runbook_url}#"

  # Whether a time of the series `metric` is in the window of an event. CloudWatch decides it, so no
  # apply is needed when an event begins. An expression has at most 1,024 characters.
  _windows     = sort([for epoch in values(local._epochs) : "EPOCH(metric) >= ${epoch.from} AND EPOCH(metric) < ${epoch.to}"])
  _in_an_event = join(" OR ", [for window in slice(local._windows, 0, min(12, length(local._windows))) : "(${window})"])

  # Each alarm rings above its threshold. The value is its only metric, or an expression over its
  # metrics. `exists` leaves out alarms of features that are off. `severity` is `page` if an
  # operator is needed at once, and `ticket` if the morning is early enough.
  function_alarms = {
    throttles = {
      description = "Lambda refuses requests with 429. Callers hash locally or fail. Raise the reserved concurrency, or the concurrency of the account."
      severity    = "page"
      metrics     = { throttles = { name = "Throttles" } }
      threshold   = 0
    }
    errors = {
      description = "More than ${var.alarms.errors_percent} % of invocations crashed or timed out. Read the log group. If a deployment is the cause, roll back."
      severity    = "page"
      expression  = "100 * errors / invocations"
      label       = "Errors, percent of invocations"
      metrics     = { errors = { name = "Errors" }, invocations = { name = "Invocations" } }
      threshold   = var.alarms.errors_percent
      minutes     = { above = 2, of = 3 }
    }
    url-5xx = {
      description = "More than ${var.alarms.errors_percent} % of responses through the URL are 5xx. 503: no capacity, a deadline that could not be met, or a seal key that is not listed. 500 and 502: a fault."
      severity    = "page"
      exists      = var.function_url != null
      expression  = "100 * answers / requests"
      label       = "5xx, percent of requests"
      metrics     = { answers = { name = "Url5xxCount" }, requests = { name = "UrlRequestCount" } }
      threshold   = var.alarms.errors_percent
      minutes     = { above = 2, of = 3 }
    }
    duration-p90 = {
      description = "A tenth of the requests take longer than ${local.duration_p90_milliseconds} ms. The plan assumes ${local._slow_milliseconds} ms${local.upgrades_per_second > 0 ? " with an upgrade" : ""}, so the capacity of events is too small. Measure, and set milliseconds_per_request."
      severity    = "ticket"
      expression  = "IF(invocations >= ${local._requests_of_a_p90}, duration, 0)"
      label       = "Duration, p90 of at least ${local._requests_of_a_p90} requests"
      metrics     = { duration = { name = "Duration", statistic = "p90" }, invocations = { name = "Invocations" } }
      threshold   = local.duration_p90_milliseconds
      minutes     = { above = 3, of = 5 }
    }
    concurrency = {
      description = "More than ${var.alarms.concurrency_percent} % of the reserved concurrency is in use. At 100 % Lambda refuses requests."
      severity    = "ticket"
      exists      = !local.managed
      # A reservation belongs to the function.
      metrics   = { concurrency = { name = "ConcurrentExecutions", statistic = "Maximum", dimensions = { FunctionName = var.name } } }
      threshold = floor(var.capacity.reserved_concurrency * var.alarms.concurrency_percent / 100)
    }
    spillover = {
      description = "Requests found no provisioned environment and waited for a cold start. More requests arrive than planned, or each takes longer."
      severity    = "ticket"
      exists      = !local.managed
      metrics     = { spillover = { name = "ProvisionedConcurrencySpilloverInvocations" } }
      threshold   = 0
    }
    concurrency-held = {
      description = "For 15 minutes more than ${local.everyday_concurrency} environments are at work, and no event is announced. If nobody knows why, find the caller, or stop the function."
      severity    = "page"
      exists      = !local.managed
      expression  = length(local._windows) == 0 ? "MAX([held])" : "IF(${replace(local._in_an_event, "metric", "held")}, 0, held)"
      label       = "Environments at work without an event"
      metrics     = { held = { name = "ConcurrentExecutions", statistic = "Maximum", dimensions = { FunctionName = var.name } } }
      threshold   = local.everyday_concurrency
      minutes     = { above = 15, of = 15 }
    }
    cost-per-hour = {
      description = "At the present rate the function costs more than ${local.cost_usd_per_hour} US dollars an hour. That is more than all planned environments cost. Find the caller, or stop the function."
      severity    = "page"
      exists      = !local.managed
      expression  = format("60 * (invocations * %.10f + milliseconds / 1000 * %.10f)", local._usd_per_request, local._gb * local._on_demand)
      label       = "US dollars an hour, by list prices"
      metrics = {
        invocations  = { name = "Invocations", dimensions = { FunctionName = var.name } }
        milliseconds = { name = "Duration", dimensions = { FunctionName = var.name } }
      }
      threshold = local.cost_usd_per_hour
      minutes   = { above = 5, of = 5 }
    }
    client-fallback = {
      description = "Backends hash more than ${var.alarms.client_fallbacks_per_minute} logins a minute locally, because they cannot reach the service or it refuses their requests. The alarm counts every backend that publishes to the namespace ${coalesce(var.alarms.client_metrics_namespace, "none")}. The dashboard shows the reason."
      severity    = "page"
      exists      = var.alarms.client_metrics_namespace != null
      # The sum over all reasons and all backends. CloudWatch allows only one such query in an
      # alarm. The client's metrics have no dimension for the function, so the backends of each
      # deployment need a separate namespace.
      # A client that hashes nothing locally publishes zeros. No data means no client, or another namespace.
      missing    = "missing"
      expression = "SELECT SUM(\"${local.client_fallback_metric}\") FROM \"${coalesce(var.alarms.client_metrics_namespace, "none")}\""
      label      = "Logins hashed locally"
      metrics    = {}
      threshold  = var.alarms.client_fallbacks_per_minute
      minutes    = { above = 2, of = 3 }
    }
  }

  # During an event these cannot wait until the morning. But arrivals come by chance: the busiest
  # moment of a minute is up to four standard deviations above the plan, and some requests in a
  # thousand spill over. That is no reason to wake anybody.
  _most_busy_by_chance = max(0, [for capacity in module.capacity : ceil(capacity.environments + 4 * pow(capacity.environments, 0.5))]...)
  _spillover_percent   = 1
  _in_event = {
    concurrency = {
      description = "More than ${var.alarms.concurrency_percent} % of the reserved concurrency is in use, and more than chance brings at the planned load. At 100 % Lambda refuses requests."
      threshold   = max(0, min(var.capacity.reserved_concurrency - 1, max(local.function_alarms.concurrency.threshold, local._most_busy_by_chance)))
    }
    duration-p90 = {}
    spillover = {
      description = "More than ${local._spillover_percent} % of the requests found no provisioned environment and waited for a cold start. More requests arrive than planned, or each takes longer."
      value       = "100 * spillover / invocations"
      metrics     = merge(local.function_alarms.spillover.metrics, { invocations = { name = "Invocations" } })
      threshold   = local._spillover_percent
    }
  }
  event_alarms = {
    for name, own in local._in_event : "${name}-in-event" => merge(local.function_alarms[name], own, {
      description = "During an event: ${lookup(own, "description", local.function_alarms[name].description)}"
      severity    = "page"
      section     = name
      exists      = length(local.events) > 0 && lookup(local.function_alarms[name], "exists", true)
      expression  = "IF(${replace(local._in_an_event, "metric", keys(local.function_alarms[name].metrics)[0])}, ${lookup(own, "value", lookup(local.function_alarms[name], "expression", name))}, 0)"
      label       = "During an event: ${name}"
    })
  }

  # The alarms that the table of metrics has (functions/service/src/metrics/table.rs): on a share of
  # a count, on a count, and on the rate of a year.
  _all_counted = "SUM([FILL(counted, 0), FILL(beside, 0)])"
  share_alarms = {
    for alarm in local.metrics.alarms : alarm.name => {
      description = alarm.help
      severity    = alarm.severity
      # Few events have any share by chance.
      # The sum of an array has a value where only one of its series has one, as during an attack
      # without a match. `+` has none there, if CloudWatch does not fill a series without data.
      expression = "IF(${local._all_counted} >= ${alarm.least}, 100 * FILL(counted, 0) / ${local._all_counted}, 0)"
      label      = "${alarm.value}, percent of ${alarm.metric}"
      metrics = { for id, value in { counted = alarm.value, beside = alarm.beside } : id => {
        name       = alarm.metric
        namespace  = local.metrics.namespace
        dimensions = { Service = var.name, (alarm.dimension) = value }
        seconds    = alarm.seconds
      } }
      threshold = lookup(var.alarms.share_percent, alarm.name, alarm.percent)
    } if can(alarm.percent)
  }
  count_alarms = {
    for alarm in local.metrics.alarms : alarm.name => {
      description = alarm.help
      severity    = alarm.severity
      metrics = { counted = {
        name       = alarm.metric
        namespace  = local.metrics.namespace
        dimensions = { Service = var.name, (alarm.dimension) = alarm.value }
        seconds    = alarm.seconds
      } }
      threshold = alarm.above
    } if can(alarm.above)
  }
  year_alarms = {
    for alarm in local.metrics.alarms : alarm.name => {
      description = alarm.help
      severity    = alarm.severity
      exists      = contains(keys(local.secrets), "SALTERN_SEAL_KEYS")
      expression  = "365 * counted"
      label       = "${alarm.metric} in a year, at the rate of the last day"
      metrics = { counted = {
        name       = alarm.metric
        namespace  = local.metrics.namespace
        dimensions = { Service = var.name }
        seconds    = alarm.seconds
      } }
      threshold = alarm.above_in_a_year
    } if can(alarm.above_in_a_year)
  }

  alarms = {
    for name, alarm in merge(local.function_alarms, local.event_alarms, local.share_alarms, local.count_alarms, local.year_alarms) : name => alarm if lookup(alarm, "exists", true)
  }
  topic_arns = {
    page   = var.alarms.topic_arn
    ticket = var.alarms.ticket_topic_arn == null ? var.alarms.topic_arn : var.alarms.ticket_topic_arn
  }
  _foreign_topics = distinct([for arn in values(local.topic_arns) : arn if split(":", arn)[3] != local.region])
}

resource "aws_cloudwatch_metric_alarm" "main" {
  for_each = local.alarms

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = "${each.value.description} Severity: ${each.value.severity}. Runbook: ${local.runbook}${lookup(each.value, "section", each.key)}"
  evaluation_periods  = try(each.value.minutes.of, 1)
  datapoints_to_alarm = try(each.value.minutes.above, 1)
  threshold           = each.value.threshold
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = lookup(each.value, "missing", "notBreaching")
  alarm_actions       = [local.topic_arns[each.value.severity]]
  ok_actions          = [local.topic_arns[each.value.severity]]

  insufficient_data_actions = can(each.value.missing) ? [local.topic_arns.ticket] : null

  dynamic "metric_query" {
    for_each = lookup(each.value, "expression", null)[*]

    content {
      id          = "value"
      expression  = metric_query.value
      label       = each.value.label
      period      = length(each.value.metrics) == 0 ? 60 : null
      return_data = true
    }
  }

  dynamic "metric_query" {
    for_each = each.value.metrics

    content {
      id          = metric_query.key
      return_data = can(each.value.expression) ? null : true

      metric {
        namespace   = lookup(metric_query.value, "namespace", "AWS/Lambda")
        metric_name = metric_query.value.name
        dimensions  = lookup(metric_query.value, "dimensions", local.alias_dimensions)
        stat        = lookup(metric_query.value, "statistic", "Sum")
        period      = lookup(metric_query.value, "seconds", 60)
      }
    }
  }
}
