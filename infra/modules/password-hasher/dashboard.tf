# The metrics of Lambda, of the service (from metrics.json, which its code generates), and of the
# client.

locals {
  # The statistics of each kind of metric. Percentiles, because a mean hides slow requests.
  _statistics = {
    count        = ["Sum"]
    distribution = ["p50", "p90", "p99"]
  }

  # Values that could not be sent are in the log under a name with the suffix Unsent. One widget
  # shows their number.
  _shown  = [for metric in local.metrics.metrics : metric if !endswith(metric.name, "Unsent")]
  _unsent = [for metric in local.metrics.metrics : metric if endswith(metric.name, "Unsent")]

  # A search finds the policies and codes that occur. They are not known in advance.
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
      # ProvisionedConcurrentExecutions counts the provisioned environments that are processing a
      # request. No metric counts the allocated ones; get-provisioned-concurrency-config returns
      # them.
      title = local.managed ? "Environments at work" : "Environments at work; provisioned environments at work; requests without a provisioned environment"
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
      title = "Values that were not sent to CloudWatch and are in the log. A few are normal when environments end; many are not (infra/OPERATIONS.md)."
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

  # Three widgets in a row. A dashboard is 24 units wide.
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
