# Lambda's own figures, the service's from the table that its code generates, and the client's.

locals {
  # How each kind of metric is shown. Percentiles, since a mean hides those who wait.
  _statistics = {
    count        = ["Sum"]
    distribution = ["p50", "p90", "p99"]
  }

  # What could not be sent stands in the log under a name of its own; one widget shows how much.
  _shown  = [for metric in local.metrics.metrics : metric if !endswith(metric.name, "Unsent")]
  _unsent = [for metric in local.metrics.metrics : metric if endswith(metric.name, "Unsent")]

  # A search instead of names: which policies and codes there are is known when they occur.
  _searches = {
    for metric in local.metrics.metrics : metric.name => [
      for dimensions in metric.dimensions :
      "{${join(",", concat([local.metrics.namespace], dimensions))}} MetricName=\"${metric.name}\" Service=\"${var.name}\""
    ]
  }

  _alias = ["FunctionName", var.name, "Resource", local.alias_dimension]

  _lambda_widgets = [
    {
      title = "Requests"
      metrics = concat(
        [["AWS/Lambda", "Invocations"], ["AWS/Lambda", "Throttles"], ["AWS/Lambda", "Errors"]],
        var.function_url == null ? [] : [["AWS/Lambda", "Url4xxCount"], ["AWS/Lambda", "Url5xxCount"]],
      )
      stat = ["Sum"]
    },
    {
      title   = "Milliseconds, by Lambda"
      metrics = concat([["AWS/Lambda", "Duration"]], var.function_url == null ? [] : [["AWS/Lambda", "UrlRequestLatency"]])
      stat    = ["p50", "p90", "p99"]
    },
    {
      # ProvisionedConcurrentExecutions counts those of the provisioned that are processing a request. How many are
      # allocated is no metric: get-provisioned-concurrency-config says it.
      title = local.managed ? "Environments at work" : "Environments at work; those of them that were provisioned; requests that found none provisioned"
      metrics = concat(
        [["AWS/Lambda", "ConcurrentExecutions"]],
        local.managed ? [] : [["AWS/Lambda", "ProvisionedConcurrentExecutions"], ["AWS/Lambda", "ProvisionedConcurrencySpilloverInvocations"]],
      )
      stat = ["Maximum"]
    },
  ]

  _widgets = concat(
    [for widget in local._lambda_widgets : {
      title = widget.title
      metrics = [
        for pair in setproduct(widget.metrics, widget.stat) : concat(pair[0], local._alias, [{
          stat  = pair[1]
          label = length(widget.stat) == 1 ? pair[0][1] : "${pair[0][1]} ${pair[1]}"
        }])
      ]
    }],
    [for metric in local._shown : {
      title = "${metric.name}: ${metric.help}"
      metrics = [
        for pair in setproduct(local._searches[metric.name], local._statistics[metric.kind]) :
        [{ expression = "SEARCH('${pair[0]}', '${pair[1]}', 60)" }]
      ]
    }],
    [{
      title = "Values that were not sent to CloudWatch and stand in the log. A few as environments end are normal; many are not (infra/OPERATIONS.md)."
      metrics = [
        for search in flatten([for metric in local._unsent : local._searches[metric.name]]) :
        [{ expression = "SEARCH('${search}', 'SampleCount', 60)" }]
      ]
    }],
    [for namespace in compact([var.alarms.client_metrics_namespace]) : {
      title = "Logins that backends hashed locally, by reason"
      metrics = [
        [{ expression = "SELECT SUM(\"${local.client_fallback_metric}\") FROM \"${namespace}\" GROUP BY reason", period = 60 }]
      ]
    }],
  )

  # Three widgets a row; a dashboard is 24 units wide.
  _widget_width  = 8
  _widget_height = 6
}

resource "aws_cloudwatch_dashboard" "main" {
  dashboard_name = var.name

  dashboard_body = jsonencode({
    widgets = [for position, widget in local._widgets : {
      type   = "metric"
      x      = (position % 3) * local._widget_width
      y      = floor(position / 3) * local._widget_height
      width  = local._widget_width
      height = local._widget_height
      properties = {
        title   = widget.title
        metrics = widget.metrics
        region  = local.region
        view    = "timeSeries"
        period  = 60
      }
    }]
  })
}
