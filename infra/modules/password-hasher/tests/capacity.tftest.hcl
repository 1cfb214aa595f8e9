# The environments, their schedule, and their cost.

mock_provider "aws" {
  override_during = plan

  mock_data "aws_servicequotas_service_quota" {
    defaults = { value = 1000 }
  }
  mock_data "aws_caller_identity" {
    defaults = { account_id = "123456789012" }
  }
  mock_data "aws_partition" {
    defaults = { partition = "aws" }
  }
  mock_data "aws_region" {
    defaults = { region = "eu-north-1" }
  }
}

variables {
  account      = { concurrency = 3000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 1500, upgrades_per_second = 0 }
  name         = "saltern"
  package_file = "tests/saltern-lambda-arm64.zip"
}

run "the_formula_agrees_with_its_test_table" {
  module {
    source = "./tests/capacity-table"
  }

  assert {
    condition     = output.rows >= 20 && length(output.wrong) == 0
    error_message = "The formula disagrees with these rows of capacity-table.json: ${jsonencode(output.wrong)}"
  }
}

run "the_duration_of_a_request_follows_policy_architecture_memory_and_batch" {
  command = plan

  variables {
    architecture   = "x86_64"
    capacity       = { policy = "bcrypt-12", batch = 4, reserved_concurrency = 1500, upgrades_per_second = 0 }
    memory_size_mb = 1024
    package_file   = "tests/saltern-lambda-x86-64.zip"
  }

  # 290 ms at 1,769 MB are 501 ms at 1,024 MB. Four interleaved hashes take 1.17 times as long as
  # one.
  assert {
    condition     = output.capacity.milliseconds_per_request == 587
    error_message = "bcrypt-12 on x86_64 with 1,024 MB and a batch of 4 must take 587 ms, not ${output.capacity.milliseconds_per_request}."
  }
}

run "more_memory_makes_one_hash_no_faster" {
  command = plan

  variables {
    memory_size_mb = 3538
  }

  assert {
    condition     = output.capacity.milliseconds_per_request == 164
    error_message = "bcrypt-11 on arm64 must take 164 ms, even with more memory."
  }
}

run "your_own_measurement_replaces_the_table" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", milliseconds_per_request = 250, reserved_concurrency = 1500, upgrades_per_second = 0 }
  }

  assert {
    condition     = output.capacity.milliseconds_per_request == 250
    error_message = "The measured duration must be used."
  }
}

run "an_event_has_its_capacity_from_fifteen_minutes_before_the_start_until_the_end" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", milliseconds_per_request = 250, reserved_concurrency = 1500, upgrades_per_second = 0 }
    events = [
      { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 },
    ]
  }

  assert {
    condition = { for name, action in aws_appautoscaling_scheduled_action.event : name => [action.schedule, action.timezone, action.scalable_target_action[0].min_capacity, action.scalable_target_action[0].max_capacity] } == {
      gala-start = ["at(2099-12-06T17:45:00)", "UTC", "1072", "1500"]
      gala-end   = ["at(2099-12-06T21:30:00)", "UTC", "0", "0"]
    }
    error_message = "There must be 1,072 environments from 17:45, and none from 21:30."
  }

  assert {
    condition     = aws_appautoscaling_target.live[0].min_capacity == 0 && aws_appautoscaling_target.live[0].max_capacity == 0
    error_message = "Before the event nothing may be provisioned."
  }

  assert {
    condition = output.capacity.events.gala == {
      busy                = 750
      provisioned         = 1072
      provisioned_from    = "2099-12-06T17:45:00Z"
      provisioned_to      = "2099-12-06T21:30:00Z"
      upgrades_per_second = 0
      seconds_if_all_cold = 0
    }
    error_message = "The output must show the computed capacity."
  }
}

run "the_page_of_an_event_has_its_times_numbers_and_commands" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", milliseconds_per_request = 250, reserved_concurrency = 1500, upgrades_per_second = 0 }
    events   = [{ name = "gala", starts_at = "2099-12-31T23:00:00Z", ends_at = "2100-01-01T02:00:00Z", expected_logins_per_second = 3000, utc_offset = "+05:30" }]
  }

  assert {
    condition = alltrue([
      for part in [
        "| from, to | 1 Jan 2100 04:30 +05:30, 31 Dec 2099 23:00 UTC; 1 Jan 2100 07:30 +05:30, 1 Jan 2100 02:00 UTC |",
        "| environments | 1072 requested at 1 Jan 2100 04:15 +05:30",
        "Prints `READY 1072`.",
        "put-function-concurrency --function-name saltern --reserved-concurrent-executions 0",
        "| `saltern-concurrency` | ticket | 1200 |",
        "--min-capacity 0 --max-capacity 0\n",
      ] : strcontains(output.evening, part)
    ])
    error_message = "The page lacks a part:\n${output.evening}"
  }

  # 2 × 1,072 here, 1,072 in staging, and 100 that AWS leaves unreserved.
  assert {
    condition = (
      output.capacity.account_concurrency_needed == 3316 &&
      alltrue([for number in flatten(regexall("(?:Prints at least `|--desired-value )([0-9]+)", output.evening)) : number == "3316"])
    )
    error_message = "The account needs 3,316, in the output and on the page:\n${output.evening}"
  }

  assert {
    condition     = !strcontains(output.evening, "list-metrics")
    error_message = "Without a namespace there is no metric of the client to look for."
  }
}

run "a_few_upgrades_are_rehearsed_too" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-12", reserved_concurrency = 2400, upgrades_per_second = 25 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 }]
  }

  assert {
    condition     = strcontains(output.evening, "--rate 3000 --upgrades 1 ")
    error_message = "A rehearsal without the upgrades shows less than the evening needs:\n${output.evening}"
  }
}

run "half_of_the_logins_as_upgrades_need_a_third_more" {
  command = plan

  # 3,000 × 0.327 s + 1,500 × 0.218 s = 1,308 s a second, and 1,308 ÷ 0.7 = 1,868.6. An hour costs
  # 3,600 × (3,000 × (0.0000002 + 0.327 s × 1.7275 GB × 0.0000077778) + 1,500 × 0.218 s × 1.7275 GB ×
  # 0.0000077778 + 1,869 × 1.7275 GB × 0.0000033334) = 104.176, and 3.75 hours 390.66.
  variables {
    capacity = { policy = "bcrypt-12", reserved_concurrency = 2400, upgrades_per_second = 1500 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 }]
  }

  assert {
    condition     = strcontains(output.evening, "--rate 3000 --upgrades 50 ")
    error_message = "The rehearsal must have the share of the upgrades:\n${output.evening}"
  }

  assert {
    condition     = [output.capacity.events.gala.busy, output.capacity.events.gala.provisioned, output.cost_usd.per_event.gala] == [1308, 1869, 390.66]
    error_message = "1,308 busy, 1,869 provisioned and 390.66 dollars, not ${jsonencode(output.capacity.events)} and ${output.cost_usd.per_event.gala}."
  }

  assert {
    condition     = aws_cloudwatch_metric_alarm.main["duration-p90"].threshold == 779
    error_message = "A login with an upgrade takes 545 ms, and a tenth of such requests must not page."
  }

  assert {
    condition     = strcontains(output.evening, "and `upgrades_per_second` in proportion.")
    error_message = "Twice the logins have twice the upgrades, and the page must say so:\n${output.evening}"
  }
}

run "every_login_as_an_upgrade_needs_two_thirds_more" {
  command = plan

  # 3,000 × (0.327 s + 0.218 s) = 1,635. More upgrades than logins do not count.
  variables {
    capacity = { policy = "bcrypt-12", reserved_concurrency = 2400, upgrades_per_second = 9000 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 }]
  }

  assert {
    condition     = [output.capacity.events.gala.busy, output.capacity.events.gala.provisioned, output.capacity.events.gala.upgrades_per_second, output.cost_usd.per_event.gala] == [1635, 2336, 3000, 486.28]
    error_message = "1,635 busy, 2,336 provisioned and 486.28 dollars, not ${jsonencode(output.capacity.events)} and ${output.cost_usd.per_event.gala}."
  }
}

run "a_measured_upgrade_in_batches_counts_as_a_batch" {
  command = plan

  # 750 batches × (0.383 s + 0.4 s) = 588 busy. Four bcrypt hashes in lanes take 1.17 times as long as
  # one, 383 ms.
  variables {
    capacity = { policy = "bcrypt-12", batch = 4, reserved_concurrency = 2400, milliseconds_per_upgrade = 400, upgrades_per_second = 3000 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 }]
  }

  assert {
    condition     = output.capacity.events.gala.busy == 588
    error_message = "588 busy, not ${jsonencode(output.capacity.events)}."
  }
}

run "an_event_without_the_number_of_its_upgrades_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-12", reserved_concurrency = 2400 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 }]
  }

  expect_failures = [aws_lambda_function.main]
}

run "users_with_hashes_of_the_current_policy_need_no_number_of_upgrades" {
  command = plan

  variables {
    capacity = { policy = "argon2id-65536-4-1", reserved_concurrency = 1500 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 }]
  }

  assert {
    condition     = output.capacity.events.gala.provisioned == 935
    error_message = "935 environments, not ${jsonencode(output.capacity.events)}."
  }
}

run "a_reservation_too_small_for_the_request_rate_is_refused" {
  command = plan

  # Requests of 22 ms keep 66 environments busy, and 95 are provisioned. But 3,000 requests a second
  # need a concurrency of 300.
  variables {
    capacity = { policy = "argon2id-19456-2-1", provisioned_maximum = 200, reserved_concurrency = 200, upgrades_per_second = 0 }
    events = [
      { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 },
    ]
  }

  expect_failures = [aws_lambda_function.main]
}

run "an_apply_during_an_event_keeps_its_environments" {
  command = plan

  variables {
    capacity             = { policy = "bcrypt-11", provisioned_minimum = 10, provisioned_maximum = 40, reserved_concurrency = 1500, upgrades_per_second = 0 }
    release_during_event = true
    events = [
      { name = "endless", starts_at = "2001-01-01T00:00:00Z", ends_at = "2099-01-01T00:00:00Z", expected_logins_per_second = 1500 },
    ]
  }

  assert {
    condition     = aws_appautoscaling_target.live[0].min_capacity == 352 && aws_appautoscaling_target.live[0].max_capacity == 1500
    error_message = "A current event must keep its environments."
  }

  assert {
    condition     = aws_lambda_provisioned_concurrency_config.live[0].provisioned_concurrent_executions == 352
    error_message = "A first apply must request the environments of the current event, not the everyday minimum."
  }

  assert {
    condition     = keys(aws_appautoscaling_scheduled_action.event) == ["endless-end"]
    error_message = "The past start of the event must not be scheduled; the end must be."
  }
}

run "a_past_event_has_no_effect" {
  command = plan

  variables {
    events = [
      { name = "long-ago", starts_at = "2001-01-01T00:00:00Z", ends_at = "2001-01-01T03:00:00Z", expected_logins_per_second = 3000 },
    ]
  }

  assert {
    condition     = length(aws_appautoscaling_scheduled_action.event) == 0 && aws_appautoscaling_target.live[0].min_capacity == 0
    error_message = "A past event must not be scheduled."
  }

  assert {
    condition     = output.capacity.events == {} && output.cost_usd.per_event_hour == {} && output.cost_usd.events == 0 && output.evening == "No event is announced.\n"
    error_message = "A past event must have no capacity and no cost."
  }

  # The plan warns of it.
  expect_failures = [check.no_event_is_over]
}

run "between_two_close_events_no_environment_is_released" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_minimum = 10, provisioned_maximum = 40, reserved_concurrency = 1500, upgrades_per_second = 0 }
    events = [
      { name = "first", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T19:00:00Z", expected_logins_per_second = 1500 },
      { name = "second", starts_at = "2099-12-06T19:10:00Z", ends_at = "2099-12-06T20:00:00Z", expected_logins_per_second = 3000 },
    ]
  }

  assert {
    condition = { for name, action in aws_appautoscaling_scheduled_action.event : name => [action.schedule, action.scalable_target_action[0].min_capacity, action.scalable_target_action[0].max_capacity] } == {
      first-start  = ["at(2099-12-06T17:45:00)", "352", "1500"]
      second-start = ["at(2099-12-06T18:55:00)", "703", "1500"]
      first-end    = ["at(2099-12-06T19:00:00)", "703", "1500"]
      second-end   = ["at(2099-12-06T20:00:00)", "10", "40"]
    }
    error_message = "The environments of the second event must stay when the first ends, and the baseline must return at the end."
  }

  assert {
    condition     = join(", ", flatten(regexall("## (.*): the environments are released", output.evening))) == "6 Dec 2099 20:20 UTC"
    error_message = "The page of the first event must not release the environments of the second:\n${output.evening}"
  }
}

run "an_event_below_the_everyday_minimum_has_the_maximum_of_events_too" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_minimum = 400, provisioned_maximum = 450, reserved_concurrency = 1500, upgrades_per_second = 0 }
    events = [
      { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 1500 },
    ]
  }

  # The event needs 352 environments.
  assert {
    condition = { for name, action in aws_appautoscaling_scheduled_action.event : name => [action.scalable_target_action[0].min_capacity, action.scalable_target_action[0].max_capacity] } == {
      gala-start = ["400", "1500"]
      gala-end   = ["400", "450"]
    }
    error_message = "More logins than expected may arrive at this event too, so its maximum must be that of an event."
  }
}

run "a_reservation_of_zero_stops_the_function_and_releases_its_environments" {
  command = plan

  variables {
    capacity            = { policy = "bcrypt-11", provisioned_minimum = 10, provisioned_maximum = 40, reserved_concurrency = 0, upgrades_per_second = 0 }
    rollback_to_version = "41"
    events = [
      # More than the account has: a doubling that was refused must not keep the function from being stopped.
      { name = "endless", starts_at = "2001-01-01T00:00:00Z", ends_at = "2099-01-01T00:00:00Z", expected_logins_per_second = 15000 },
    ]
  }

  assert {
    condition = (
      aws_lambda_function.main.reserved_concurrent_executions == 0 && length(aws_lambda_provisioned_concurrency_config.live) == 0 &&
      aws_appautoscaling_target.live[0].min_capacity == 0 && aws_appautoscaling_target.live[0].max_capacity == 0 &&
      alltrue([for action in aws_appautoscaling_scheduled_action.event : action.scalable_target_action[0].max_capacity == "0"])
    )
    error_message = "Lambda must refuse every request, and nothing may be provisioned, during an event too."
  }

  assert {
    condition = (
      strcontains(output.evening, "| environments | **none, because the function is stopped**") && !strcontains(output.evening, "READY") &&
      strcontains(output.evening, "**The function is stopped.**") && strcontains(output.evening, "rm stop.auto.tfvars\n${output.hold_command}\n")
    )
    error_message = "The page must not promise environments of a stopped function, and must say how to start it:\n${output.evening}"
  }
}

run "during_an_event_the_maximum_may_be_lower_than_the_reservation" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_minimum = 10, provisioned_maximum = 40, provisioned_maximum_in_events = 500, reserved_concurrency = 1500, upgrades_per_second = 0 }
    events = [
      { name = "first", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T19:00:00Z", expected_logins_per_second = 1500 },
      { name = "second", starts_at = "2099-12-07T18:00:00Z", ends_at = "2099-12-07T19:00:00Z", expected_logins_per_second = 3000 },
    ]
  }

  assert {
    condition = { for name, action in aws_appautoscaling_scheduled_action.event : name => [action.scalable_target_action[0].min_capacity, action.scalable_target_action[0].max_capacity] } == {
      first-start  = ["352", "500"]
      first-end    = ["10", "40"]
      second-start = ["703", "703"]
      second-end   = ["10", "40"]
    }
    error_message = "The maximum must be the given one, and never below the environments that the event needs."
  }
}

run "a_release_during_an_event_is_refused" {
  command = plan

  variables {
    events = [
      { name = "endless", starts_at = "2001-01-01T00:00:00Z", ends_at = "2099-01-01T00:00:00Z", expected_logins_per_second = 1500 },
    ]
  }

  expect_failures = [aws_lambda_function.main]
}

run "during_an_event_an_apply_that_holds_the_version_is_accepted" {
  command = plan

  variables {
    rollback_to_version = "41"
    events = [
      { name = "endless", starts_at = "2001-01-01T00:00:00Z", ends_at = "2099-01-01T00:00:00Z", expected_logins_per_second = 1500 },
    ]
  }
}

run "events_above_the_budget_are_refused" {
  command = plan

  # 60.67 dollars an hour, for a year instead of an evening.
  variables {
    budget_usd = 1000
    capacity   = { policy = "bcrypt-11", milliseconds_per_request = 250, reserved_concurrency = 1500, upgrades_per_second = 0 }
    events = [
      { name = "gala", starts_at = "2098-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 },
    ]
  }

  expect_failures = [aws_lambda_function.main]
}

run "a_running_event_above_the_budget_is_a_warning" {
  command = plan

  # The first event lasts longer than was planned. The second one is within the budget.
  variables {
    budget_usd          = 1000
    capacity            = { policy = "bcrypt-11", milliseconds_per_request = 250, reserved_concurrency = 1500, upgrades_per_second = 0 }
    rollback_to_version = "41"
    events = [
      { name = "endless", starts_at = "2001-01-01T00:00:00Z", ends_at = "2098-12-06T21:30:00Z", expected_logins_per_second = 3000 },
      { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 },
    ]
  }

  expect_failures = [check.the_events_are_in_the_budget]
}

run "target_tracking_aims_at_seventy_percent_and_reads_missing_data_as_zero" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_minimum = 10, provisioned_maximum = 40, reserved_concurrency = 1500, upgrades_per_second = 0 }
  }

  assert {
    condition = (
      aws_appautoscaling_policy.utilisation[0].target_tracking_scaling_policy_configuration[0].target_value == 0.7 &&
      contains(
        aws_appautoscaling_policy.utilisation[0].target_tracking_scaling_policy_configuration[0].customized_metric_specification[0].metrics[*].expression,
        "FILL(utilisation, 0)"
      )
    )
    error_message = "The target must be 0.7, and the metric must be 0 without calls."
  }

  assert {
    condition = (
      aws_appautoscaling_target.live[0].resource_id == "function:saltern:live" &&
      aws_appautoscaling_target.live[0].min_capacity == 10 &&
      aws_appautoscaling_target.live[0].max_capacity == 40 &&
      aws_lambda_provisioned_concurrency_config.live[0].provisioned_concurrent_executions == 10 &&
      aws_lambda_provisioned_concurrency_config.live[0].qualifier == "live"
    )
    error_message = "Target tracking must scale live between the everyday bounds, and an apply must wait for the lower bound."
  }
}

run "without_events_and_a_baseline_nothing_is_provisioned" {
  command = plan

  assert {
    condition = (
      aws_appautoscaling_target.live[0].min_capacity == 0 && aws_appautoscaling_target.live[0].max_capacity == 0 &&
      length(aws_lambda_provisioned_concurrency_config.live) == 0 && contains(keys(aws_cloudwatch_metric_alarm.main), "spillover")
    )
    error_message = "The bounds must be 0 and 0, so that Application Auto Scaling releases the environments of a cancelled event."
  }
}

run "the_cost_follows_the_list_prices" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", milliseconds_per_request = 250, provisioned_minimum = 100, reserved_concurrency = 1500, upgrades_per_second = 0 }
    events = [
      { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 },
    ]
  }

  # 1769/1024 GB × 0.25 s × 0.0000133334 + 0.0000002, a million times: 5.9585.
  assert {
    condition     = output.cost_usd.per_million_logins == 5.96
    error_message = "A million logins must cost 5.96, not ${output.cost_usd.per_million_logins}."
  }

  # 10.8 million × (0.0000002 + 0.4319 GB s × 0.0000077778) + 1,072 × 1.7275 GB × 3,600 s ×
  # 0.0000033334: 60.662.
  assert {
    condition     = output.cost_usd.per_event_hour.gala == 60.67
    error_message = "An hour of the event must cost 60.67, not ${output.cost_usd.per_event_hour.gala}."
  }

  # 60.662 × 3.75 h, from 15 minutes before the start.
  assert {
    condition     = output.cost_usd.per_event.gala == 227.49 && output.cost_usd.events == 227.49
    error_message = "The event must cost 227.49, not ${output.cost_usd.per_event.gala}."
  }

  # 100 × 1.7275 GB × 3,600 s × 0.0000033334: 2.0731.
  assert {
    condition     = output.cost_usd.per_idle_hour == 2.08
    error_message = "An idle hour must cost 2.08, not ${output.cost_usd.per_idle_hour}."
  }
}

run "the_cost_of_an_event_follows_the_calendar" {
  command = plan

  # The first event passes the last day of a leap year's February, the second the end of a year.
  variables {
    events = [
      { name = "leap", starts_at = "2096-02-28T20:15:00Z", ends_at = "2096-03-01T20:00:00Z", expected_logins_per_second = 1000 },
      { name = "year", starts_at = "2099-12-31T20:15:00Z", ends_at = "2100-01-01T20:00:00Z", expected_logins_per_second = 1000 },
    ]
  }

  assert {
    condition     = abs(output.cost_usd.per_event.leap - 48 * output.cost_usd.per_event_hour.leap) < 0.49 && abs(output.cost_usd.per_event.year - 24 * output.cost_usd.per_event_hour.year) < 0.25
    error_message = "The events must last 48 and 24 hours: ${jsonencode(output.cost_usd)}"
  }
}

run "a_million_single_logins_under_bcrypt_11_cost_four_dollars" {
  command = plan

  # 1769/1024 GB × 0.164 s × 0.0000133334 + 0.0000002, a million times: 3.9776.
  assert {
    condition     = output.cost_usd.per_million_logins == 3.98
    error_message = "A million logins must cost 3.98, not ${output.cost_usd.per_million_logins}."
  }
}

run "a_batch_of_four_costs_less_than_a_third" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", batch = 4, reserved_concurrency = 1500, upgrades_per_second = 0 }
  }

  assert {
    condition     = output.cost_usd.per_million_logins == 1.16
    error_message = "A million logins in batches of four must cost 1.16, not ${output.cost_usd.per_million_logins}."
  }
}

run "the_module_reads_the_fields_of_the_account_that_are_left_out" {
  command = plan

  variables {
    account  = {}
    capacity = { policy = "bcrypt-11", reserved_concurrency = 900, upgrades_per_second = 0 }
  }

  assert {
    condition     = data.aws_servicequotas_service_quota.concurrency[0].quota_code == "L-B99A9384" && strcontains(aws_kms_key.main[0].policy, "123456789012")
    error_message = "The module must read the quota and the account."
  }
}

run "the_reservations_of_other_functions_reduce_the_quota" {
  command = plan

  variables {
    account  = { concurrency = 1000, concurrency_reserved_elsewhere = 300, id = "123456789012", partition = "aws", region = "eu-north-1" }
    capacity = { policy = "bcrypt-11", reserved_concurrency = 601, upgrades_per_second = 0 }
  }

  expect_failures = [aws_lambda_function.main]
}

run "the_quota_to_ask_for_includes_other_functions_and_the_largest_event" {
  command = plan

  # 2 × 1,402 here, 1,402 in staging, 100 that AWS leaves unreserved, and 200 of other functions.
  variables {
    account  = { concurrency = 3000, concurrency_reserved_elsewhere = 200, id = "123456789012", partition = "aws", region = "eu-north-1" }
    capacity = { policy = "bcrypt-12", reserved_concurrency = 1500, upgrades_per_second = 0 }
    events = [
      { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 },
      { name = "final", starts_at = "2099-12-07T18:00:00Z", ends_at = "2099-12-07T21:30:00Z", expected_logins_per_second = 1200 },
    ]
  }

  assert {
    condition     = output.capacity.account_concurrency_needed == 4506 && length(regexall("Prints at least `4506`", output.evening)) == 2
    error_message = "Both pages and the output must name 4,506, not ${output.capacity.account_concurrency_needed}."
  }
}

run "a_reservation_above_the_quota_that_was_read_is_refused" {
  command = plan

  variables {
    account  = {}
    capacity = { policy = "bcrypt-11", reserved_concurrency = 901, upgrades_per_second = 0 }
  }

  expect_failures = [aws_lambda_function.main]
}
