# Each alarm needs an action. infra/OPERATIONS.md describes it.

locals {
  # The value of CloudWatch's dimension Resource for the alias.
  alias_dimension = "${var.name}:${aws_lambda_alias.live.name}"
  alias_dimensions = {
    FunctionName = var.name
    Resource     = local.alias_dimension
  }

  # Requests of the planned duration keep 70 % of the planned environments busy. Requests of this
  # duration keep all of them busy.
  duration_p90_milliseconds = (
    var.alarms.duration_p90_milliseconds == null
    ? ceil(local.milliseconds_per_request * 100 / local.limits.target_utilisation_percent)
    : var.alarms.duration_p90_milliseconds
  )
}

resource "aws_cloudwatch_metric_alarm" "throttles" {
  alarm_name          = "${var.name}-throttles"
  alarm_description   = "Lambda refuses requests with 429. Callers hash locally or fail. Raise the reserved concurrency, or the concurrency of the account."
  namespace           = "AWS/Lambda"
  metric_name         = "Throttles"
  dimensions          = local.alias_dimensions
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms.topic_arn]
  ok_actions          = [var.alarms.topic_arn]
}

resource "aws_cloudwatch_metric_alarm" "errors" {
  alarm_name          = "${var.name}-errors"
  alarm_description   = "More than ${var.alarms.errors_percent} % of invocations crashed or timed out. Read the log group. If a deployment is the cause, roll back."
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  threshold           = var.alarms.errors_percent
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms.topic_arn]
  ok_actions          = [var.alarms.topic_arn]

  metric_query {
    id          = "percent"
    expression  = "100 * errors / invocations"
    label       = "Errors, percent of invocations"
    return_data = true
  }

  metric_query {
    id = "errors"

    metric {
      namespace   = "AWS/Lambda"
      metric_name = "Errors"
      dimensions  = local.alias_dimensions
      stat        = "Sum"
      period      = 60
    }
  }

  metric_query {
    id = "invocations"

    metric {
      namespace   = "AWS/Lambda"
      metric_name = "Invocations"
      dimensions  = local.alias_dimensions
      stat        = "Sum"
      period      = 60
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "url_5xx" {
  count = var.function_url == null ? 0 : 1

  alarm_name          = "${var.name}-url-5xx"
  alarm_description   = "More than ${var.alarms.errors_percent} % of responses through the URL are 5xx. 503: a deadline could not be met. 500 and 502: a fault."
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  threshold           = var.alarms.errors_percent
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms.topic_arn]
  ok_actions          = [var.alarms.topic_arn]

  metric_query {
    id          = "percent"
    expression  = "100 * answers / requests"
    label       = "5xx, percent of requests"
    return_data = true
  }

  metric_query {
    id = "answers"

    metric {
      namespace   = "AWS/Lambda"
      metric_name = "Url5xxCount"
      dimensions  = local.alias_dimensions
      stat        = "Sum"
      period      = 60
    }
  }

  metric_query {
    id = "requests"

    metric {
      namespace   = "AWS/Lambda"
      metric_name = "UrlRequestCount"
      dimensions  = local.alias_dimensions
      stat        = "Sum"
      period      = 60
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "duration" {
  alarm_name          = "${var.name}-duration-p90"
  alarm_description   = "A tenth of the requests take longer than ${local.duration_p90_milliseconds} ms. The plan assumes ${local.milliseconds_per_request} ms, so the capacity of events is too small. Measure, and set capacity.milliseconds_per_request."
  namespace           = "AWS/Lambda"
  metric_name         = "Duration"
  dimensions          = local.alias_dimensions
  extended_statistic  = "p90"
  period              = 60
  evaluation_periods  = 5
  datapoints_to_alarm = 3
  threshold           = local.duration_p90_milliseconds
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms.topic_arn]
  ok_actions          = [var.alarms.topic_arn]
}

resource "aws_cloudwatch_metric_alarm" "concurrency" {
  count = local.managed ? 0 : 1

  alarm_name          = "${var.name}-concurrency"
  alarm_description   = "More than ${var.alarms.concurrency_percent} % of the reserved concurrency is in use. At 100 % Lambda refuses requests."
  namespace           = "AWS/Lambda"
  metric_name         = "ConcurrentExecutions"
  dimensions          = { FunctionName = var.name } # a reservation belongs to the function
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = floor(var.capacity.reserved_concurrency * var.alarms.concurrency_percent / 100)
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms.topic_arn]
  ok_actions          = [var.alarms.topic_arn]
}

resource "aws_cloudwatch_metric_alarm" "spillover" {
  count = local.provisions ? 1 : 0

  alarm_name          = "${var.name}-spillover"
  alarm_description   = "Requests found no provisioned environment and waited for a cold start. More requests arrive than planned, or each takes longer."
  namespace           = "AWS/Lambda"
  metric_name         = "ProvisionedConcurrencySpilloverInvocations"
  dimensions          = local.alias_dimensions
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms.topic_arn]
  ok_actions          = [var.alarms.topic_arn]
}

# The alarms that the table of metrics has (functions/service/src/metrics/table.rs).
resource "aws_cloudwatch_metric_alarm" "share" {
  for_each = { for alarm in local.metrics.alarms : alarm.name => alarm }

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.help
  evaluation_periods  = 1
  threshold           = each.value.percent
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms.topic_arn]
  ok_actions          = [var.alarms.topic_arn]

  # Few events have any share by chance.
  metric_query {
    id          = "percent"
    expression  = "IF(FILL(counted, 0) + FILL(beside, 0) >= ${each.value.least}, 100 * FILL(counted, 0) / (FILL(counted, 0) + FILL(beside, 0)), 0)"
    label       = "${each.value.value}, percent of ${each.value.metric}"
    return_data = true
  }

  dynamic "metric_query" {
    for_each = { counted = each.value.value, beside = each.value.beside }

    content {
      id = metric_query.key

      metric {
        namespace   = local.metrics.namespace
        metric_name = each.value.metric
        dimensions  = { Service = var.name, (each.value.dimension) = metric_query.value }
        stat        = "Sum"
        period      = each.value.seconds
      }
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "client_fallback" {
  count = var.alarms.client_metrics_namespace == null ? 0 : 1

  alarm_name          = "${var.name}-client-fallback"
  alarm_description   = "Backends hash more than ${var.alarms.client_fallbacks_per_minute} logins a minute locally, because they cannot reach the service or it refuses their requests. The alarm counts every backend that publishes to the namespace ${var.alarms.client_metrics_namespace}. The dashboard shows the reason."
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  threshold           = var.alarms.client_fallbacks_per_minute
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms.topic_arn]
  ok_actions          = [var.alarms.topic_arn]

  # The sum over all reasons and all backends. CloudWatch allows only one such query in an alarm.
  # The client's metrics have no dimension for the function, so the backends of each deployment need
  # a separate namespace.
  metric_query {
    id          = "fallbacks"
    expression  = "SELECT SUM(\"${local.client_fallback_metric}\") FROM \"${var.alarms.client_metrics_namespace}\""
    label       = "Logins hashed locally"
    period      = 60
    return_data = true
  }
}

locals {
  # The name of the sum of the counter saltern.client.fallback in Micrometer's CloudWatch registry.
  client_fallback_metric = "saltern.client.fallback.count"
}
