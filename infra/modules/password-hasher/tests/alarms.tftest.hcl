# The alarms and the dashboard.

mock_provider "aws" {
  override_during = plan
}

variables {
  account      = { concurrency = 3000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", client_metrics_namespace = "backend" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 1500, provisioned_minimum = 10, upgrades_per_second = 0 }
  function_url = {}
  name         = "saltern"
  package_file = "tests/saltern-lambda-arm64.zip"
}

run "every_alarm_goes_to_the_topic_when_it_starts_and_when_it_ends" {
  command = plan

  assert {
    condition = alltrue([
      for alarm in aws_cloudwatch_metric_alarm.main :
      alarm.alarm_actions == toset(["arn:aws:sns:eu-north-1:123456789012:on-call"]) && alarm.ok_actions == alarm.alarm_actions && contains(["missing", "notBreaching"], alarm.treat_missing_data)
    ])
    error_message = "Every alarm must go to the topic, and missing data must not raise it."
  }

  assert {
    condition     = keys(aws_cloudwatch_metric_alarm.main) == ["client-fallback", "concurrency", "concurrency-held", "cost-per-hour", "deadlines", "duration-p90", "errors", "faults", "key-unavailable", "mismatches", "overloaded", "seal-broken", "spillover", "throttles", "url-5xx"]
    error_message = "Every alarm must exist."
  }

  assert {
    condition     = alltrue([for alarm in aws_cloudwatch_metric_alarm.main : length([for query in alarm.metric_query : query if query.return_data == true]) == 1])
    error_message = "Every alarm must have one value."
  }
}

run "the_first_throttle_and_the_first_spillover_raise_an_alarm" {
  command = plan

  assert {
    condition = alltrue([
      for name, metric in { throttles = "Throttles", spillover = "ProvisionedConcurrencySpilloverInvocations" } :
      aws_cloudwatch_metric_alarm.main[name].threshold == 0 && aws_cloudwatch_metric_alarm.main[name].comparison_operator == "GreaterThanThreshold" &&
      aws_cloudwatch_metric_alarm.main[name].evaluation_periods == 1 &&
      one(one(aws_cloudwatch_metric_alarm.main[name].metric_query).metric).metric_name == metric &&
      one(one(aws_cloudwatch_metric_alarm.main[name].metric_query).metric).dimensions == tomap({ FunctionName = "saltern", Resource = "saltern:live" })
    ])
    error_message = "The first throttle and the first cold start must raise an alarm."
  }
}

run "errors_and_5xx_raise_an_alarm_as_a_percentage_of_the_requests" {
  command = plan

  assert {
    condition = alltrue([
      for alarm in [aws_cloudwatch_metric_alarm.main["errors"], aws_cloudwatch_metric_alarm.main["url-5xx"]] :
      alarm.threshold == 0.1 && one([for query in alarm.metric_query : query.expression if query.return_data == true]) != null
    ])
    error_message = "Errors and 5xx must raise an alarm above 0.1 percent."
  }

  assert {
    condition = toset(flatten([
      for alarm in [aws_cloudwatch_metric_alarm.main["errors"], aws_cloudwatch_metric_alarm.main["url-5xx"]] :
      [for query in alarm.metric_query : query.metric[*].metric_name]
    ])) == toset(["Errors", "Invocations", "Url5xxCount", "UrlRequestCount"])
    error_message = "Each alarm must divide by its own requests."
  }
}

run "a_large_share_of_mismatches_raises_an_alarm" {
  command = plan

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.main["mismatches"].threshold == 50 &&
      strcontains(one([for query in aws_cloudwatch_metric_alarm.main["mismatches"].metric_query : query.expression if query.return_data == true]), "IF(SUM([FILL(counted, 0), FILL(beside, 0)]) >= 300, 100 *") &&
      toset(flatten([for query in aws_cloudwatch_metric_alarm.main["mismatches"].metric_query : [for metric in query.metric : metric.dimensions["Outcome"]]])) ==
      toset(["match", "mismatch"])
    )
    error_message = "More than half of at least 300 passwords in five minutes must be wrong."
  }
}

run "the_share_of_mismatches_that_raises_an_alarm_is_a_setting" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", share_percent = { mismatches = 30 } }
  }

  assert {
    condition     = aws_cloudwatch_metric_alarm.main["mismatches"].threshold == 30
    error_message = "The alarm must have the threshold of the variable."
  }
}

run "the_p90_raises_an_alarm_when_all_planned_environments_are_busy" {
  command = plan

  # The plan is that requests of 164 ms use 70 percent of the environments.
  assert {
    condition     = contains(flatten([for query in aws_cloudwatch_metric_alarm.main["duration-p90"].metric_query : query.metric[*].stat]), "p90") && aws_cloudwatch_metric_alarm.main["duration-p90"].threshold == 235
    error_message = "The alarm must start above 235 ms, not ${aws_cloudwatch_metric_alarm.main["duration-p90"].threshold}."
  }

  assert {
    condition     = one([for query in aws_cloudwatch_metric_alarm.main["duration-p90"].metric_query : query.expression if query.return_data == true]) == "IF(invocations >= 500, duration, 0)"
    error_message = "At quiet hours the requests after which an environment sends its metrics must not raise the alarm."
  }
}

run "concurrency_raises_an_alarm_before_lambda_refuses_requests" {
  command = plan

  assert {
    condition     = aws_cloudwatch_metric_alarm.main["concurrency"].threshold == 1200 && one(one(aws_cloudwatch_metric_alarm.main["concurrency"].metric_query).metric).dimensions == tomap({ FunctionName = "saltern" })
    error_message = "The alarm must start above 80 percent of the function's reservation."
  }
}

run "local_hashing_raises_an_alarm_by_the_documented_metric_of_the_client" {
  command = plan

  assert {
    condition     = one(aws_cloudwatch_metric_alarm.main["client-fallback"].metric_query).expression == "SELECT SUM(\"saltern.client.fallback.count\") FROM \"backend\""
    error_message = "The alarm must sum saltern.client.fallback over all reasons."
  }
}

run "a_client_metric_that_ends_is_a_ticket" {
  command = plan

  assert {
    condition = { for name, alarm in aws_cloudwatch_metric_alarm.main : name => [alarm.treat_missing_data, alarm.insufficient_data_actions] if alarm.insufficient_data_actions != null } == {
      client-fallback = ["missing", toset(["arn:aws:sns:eu-north-1:123456789012:on-call"])]
    }
    error_message = "A client publishes zeros, so a metric without data must be reported."
  }
}

run "during_an_event_duration_concurrency_and_spillover_page" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", ticket_topic_arn = "arn:aws:sns:eu-north-1:123456789012:tickets" }
    events = [
      { name = "second", starts_at = "2099-12-08T18:00:00Z", ends_at = "2099-12-08T21:30:00Z", expected_logins_per_second = 1500 },
      { name = "first", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 1500 },
    ]
  }

  # 4,100,262,300 s after 1970 it is 17:45 on December 6, 2099. The second event is two days later.
  assert {
    condition = {
      for name in ["concurrency", "duration-p90", "spillover"] :
      name => [for query in aws_cloudwatch_metric_alarm.main["${name}-in-event"].metric_query : query.expression if query.return_data == true]
      } == {
      for name, value in { concurrency = ["concurrency", "concurrency"], duration-p90 = ["duration", "IF(invocations >= 500, duration, 0)"], spillover = ["spillover", "100 * spillover / invocations"] } :
      name => ["IF((EPOCH(${value[0]}) >= 4100262300 AND EPOCH(${value[0]}) < 4100275800) OR (EPOCH(${value[0]}) >= 4100435100 AND EPOCH(${value[0]}) < 4100448600), ${value[1]}, 0)"]
    }
    error_message = "Between the windows of events the value must be 0, by the clock of CloudWatch."
  }

  assert {
    condition = alltrue([
      for name in ["concurrency", "duration-p90", "spillover"] :
      one(aws_cloudwatch_metric_alarm.main["${name}-in-event"].alarm_actions) == "arn:aws:sns:eu-north-1:123456789012:on-call" &&
      one(aws_cloudwatch_metric_alarm.main[name].alarm_actions) == "arn:aws:sns:eu-north-1:123456789012:tickets" &&
      aws_cloudwatch_metric_alarm.main["${name}-in-event"].threshold == (name == "spillover" ? 1 : aws_cloudwatch_metric_alarm.main[name].threshold) &&
      endswith(aws_cloudwatch_metric_alarm.main["${name}-in-event"].alarm_description, "Severity: page. Runbook: infra/OPERATIONS.md, section ${name}")
    ])
    error_message = "During an event the pager must ring, and at other times a ticket must be written."
  }
}

# The plan keeps 246 environments busy, and 80 % of the reservation are 288. The busiest moment of
# most minutes has more.
run "the_chance_of_arrivals_pages_nobody" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 360, upgrades_per_second = 0 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 1500 }]
  }

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.main["concurrency"].threshold == 288 && aws_cloudwatch_metric_alarm.main["concurrency-in-event"].threshold == 309
    )
    error_message = "The pager must wait for four standard deviations above the plan."
  }
}

run "the_expression_of_many_events_is_short_enough" {
  command = plan

  variables {
    events = [for day in range(10, 30) : { name = "day-${day}", starts_at = "2099-11-${day}T18:00:00Z", ends_at = "2099-11-${day}T21:30:00Z", expected_logins_per_second = 1500 }]
  }

  assert {
    condition = alltrue([
      for alarm in aws_cloudwatch_metric_alarm.main : alltrue([for query in alarm.metric_query : length(coalesce(query.expression, "-")) <= 1024])
    ])
    error_message = "CloudWatch accepts at most 1,024 characters."
  }
}

run "concurrency_that_is_held_without_an_event_pages" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_maximum = 200, reserved_concurrency = 1500, upgrades_per_second = 0 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 1500 }]
  }

  assert {
    condition = (
      one([for query in aws_cloudwatch_metric_alarm.main["concurrency-held"].metric_query : query.expression if query.return_data == true]) ==
      "IF((EPOCH(held) >= 4100262300 AND EPOCH(held) < 4100275800), 0, held)" &&
      aws_cloudwatch_metric_alarm.main["concurrency-held"].threshold == 200 && aws_cloudwatch_metric_alarm.main["concurrency-held"].datapoints_to_alarm == 15
    )
    error_message = "More environments than the everyday maximum for 15 minutes must page, except in the window of an event."
  }
}

run "a_cost_per_hour_above_that_of_the_planned_environments_pages" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 }]
  }

  # 703 environments × 3,600 s × (1,769 ÷ 1,024 GB × 0.0000133334 + 0.0000002 ÷ 0.164 s): 61.4.
  assert {
    condition = (
      one([for query in aws_cloudwatch_metric_alarm.main["cost-per-hour"].metric_query : query.expression if query.return_data == true]) ==
      "60 * (invocations * 0.0000002000 + milliseconds / 1000 * 0.0000230340)" &&
      aws_cloudwatch_metric_alarm.main["cost-per-hour"].threshold == 62
    )
    error_message = "The requests and their duration in a minute, times 60, must stay below the price of an hour with all environments busy."
  }
}

run "without_an_event_the_cost_of_everyday_concurrency_is_the_bound" {
  command = plan

  # 150 environments × 3,600 s × (1,769 ÷ 1,024 GB × 0.0000133334 + 0.0000002 ÷ 0.164 s): 13.1.
  assert {
    condition = (
      aws_cloudwatch_metric_alarm.main["concurrency-held"].threshold == 150 && aws_cloudwatch_metric_alarm.main["cost-per-hour"].threshold == 14 &&
      one([for query in aws_cloudwatch_metric_alarm.main["concurrency-held"].metric_query : query.expression if query.return_data == true]) == "MAX([held])"
    )
    error_message = "A loop must page although nothing is announced."
  }
}

run "without_a_client_namespace_there_is_no_alarm_for_local_hashing" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  }

  assert {
    condition     = !contains(keys(aws_cloudwatch_metric_alarm.main), "client-fallback") && !strcontains(aws_cloudwatch_dashboard.main.dashboard_body, "saltern.client")
    error_message = "Without a namespace no alarm and no widget may use the client's metrics."
  }
}

run "the_dashboard_shows_every_metric_of_the_generated_table" {
  command = plan

  assert {
    condition = alltrue([
      for metric in jsondecode(file("metrics.json")).metrics :
      strcontains(aws_cloudwatch_dashboard.main.dashboard_body, "MetricName=\\\"${metric.name}\\\" Service=\\\"saltern\\\"")
    ])
    error_message = "Every metric of metrics.json must be on the dashboard."
  }

  assert {
    condition = alltrue([
      for expression in [
        "SEARCH('{Saltern,Service,Operation,Outcome} MetricName=\"Requests\" Service=\"saltern\"', 'Sum', 60)",
        "SEARCH('{Saltern,Service,Algorithm,Policy} MetricName=\"HashMilliseconds\" Service=\"saltern\"', 'p90', 60)",
        "SEARCH('{Saltern,Service} MetricName=\"QueueMillisecondsUnsent\" Service=\"saltern\"', 'SampleCount', 60)",
        "SELECT SUM(\"saltern.client.fallback.count\") FROM \"backend\" GROUP BY reason",
      ] : contains(flatten([for widget in jsondecode(aws_cloudwatch_dashboard.main.dashboard_body).widgets : [for metric in widget.properties.metrics : try(metric[0].expression, [])]]), expression)
    ])
    error_message = "The dashboard must show sums of counts, percentiles of distributions, and the number of unsent values."
  }

  assert {
    condition = alltrue([
      for widget in jsondecode(aws_cloudwatch_dashboard.main.dashboard_body).widgets :
      strcontains(widget.properties.title, "at work") && !strcontains(widget.properties.title, "and provisioned")
      if strcontains(jsonencode(widget.properties.metrics), "ProvisionedConcurrentExecutions")
    ])
    error_message = "ProvisionedConcurrentExecutions counts environments at work. A title that calls them provisioned would mislead an operator."
  }

  assert {
    condition     = length(distinct([for widget in jsondecode(aws_cloudwatch_dashboard.main.dashboard_body).widgets : "${widget.x},${widget.y}"])) == length(jsondecode(aws_cloudwatch_dashboard.main.dashboard_body).widgets)
    error_message = "No two widgets may have the same position."
  }
}

run "refusals_raise_an_alarm_however_the_function_is_called" {
  command = plan

  variables {
    function_url = null
  }

  assert {
    condition = {
      for name in ["deadlines", "faults", "key-unavailable", "overloaded", "seal-broken"] : name => [
        one(one(aws_cloudwatch_metric_alarm.main[name].metric_query).metric).dimensions["Code"],
        aws_cloudwatch_metric_alarm.main[name].threshold,
      ]
      } == {
      deadlines       = ["deadline_exceeded", 30]
      faults          = ["internal", 0]
      key-unavailable = ["key_unavailable", 0]
      overloaded      = ["overloaded", 30]
      seal-broken     = ["seal_broken", 0]
    }
    error_message = "Without a URL too, the refusals that the function counts must raise an alarm."
  }

  assert {
    condition     = !contains(keys(aws_cloudwatch_metric_alarm.main), "url-5xx")
    error_message = "Without a URL there must be no alarm on its metrics."
  }
}

run "an_alarm_reads_only_metrics_that_the_function_prints" {
  command = plan

  assert {
    condition = alltrue(flatten([
      for alarm in aws_cloudwatch_metric_alarm.main : [
        for query in alarm.metric_query : [
          for metric in query.metric : contains(
            [for printed in jsondecode(file("metrics.json")).metrics : jsonencode([printed.name, sort(printed.dimensions[0])])],
            jsonencode([metric.metric_name, sort(keys(metric.dimensions))])
          ) if metric.namespace == jsondecode(file("metrics.json")).namespace
        ]
      ]
    ]))
    error_message = "Each metric of an alarm in the namespace of the function must be in metrics.json, with the same dimensions."
  }
}

run "an_alarm_has_a_severity_and_a_link_to_the_runbook" {
  command = plan

  variables {
    alarms = {
      topic_arn        = "arn:aws:sns:eu-north-1:123456789012:on-call"
      ticket_topic_arn = "arn:aws:sns:eu-north-1:123456789012:tickets"
      runbook_url      = "https://git.example/infra/OPERATIONS.md"
    }
  }

  assert {
    condition = alltrue([
      for name, alarm in aws_cloudwatch_metric_alarm.main :
      can(regex("Severity: (page|ticket)\\. Runbook: https://git\\.example/infra/OPERATIONS\\.md#${name}$", alarm.alarm_description))
    ])
    error_message = "The description of each alarm must end with its severity and its section of the runbook."
  }

  assert {
    condition = { for name, alarm in aws_cloudwatch_metric_alarm.main : name => one(alarm.alarm_actions) if one(alarm.alarm_actions) != "arn:aws:sns:eu-north-1:123456789012:on-call" } == {
      for name in ["concurrency", "duration-p90", "spillover"] : name => "arn:aws:sns:eu-north-1:123456789012:tickets"
    }
    error_message = "Alarms that can wait until the morning must go to the topic of tickets, and the others must page."
  }
}

run "a_topic_of_another_region_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-west-1:123456789012:on-call" }
  }

  expect_failures = [aws_lambda_function.main]
}
