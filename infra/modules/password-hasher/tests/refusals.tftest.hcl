# Refused values: each run has one faulty value and names the variable or resource that refuses it.

mock_provider "aws" {}

variables {
  account      = { concurrency = 1000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 900, upgrades_per_second = 0 }
  name         = "saltern"
  package_file = "tests/saltern-lambda-arm64.zip"
}

run "a_topic_that_is_not_an_arn_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "on-call" }
  }

  expect_failures = [var.alarms]
}

run "a_concurrency_alarm_above_100_percent_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", concurrency_percent = 101 }
  }

  expect_failures = [var.alarms]
}

run "an_error_alarm_at_100_percent_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", errors_percent = 100 }
  }

  expect_failures = [var.alarms]
}

run "a_cost_alarm_at_zero_dollars_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", cost_usd_per_hour = 0 }
  }

  expect_failures = [var.alarms]
}

run "a_negative_number_of_fallbacks_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", client_fallbacks_per_minute = -1 }
  }

  expect_failures = [var.alarms]
}

run "a_share_of_an_unknown_alarm_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", share_percent = { mismatch = 30 } }
  }

  expect_failures = [var.alarms]
}

run "a_p90_alarm_at_zero_milliseconds_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", duration_p90_milliseconds = 0 }
  }

  expect_failures = [var.alarms]
}

run "an_empty_client_namespace_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", client_metrics_namespace = "" }
  }

  expect_failures = [var.alarms]
}

run "a_path_instead_of_the_address_of_the_runbook_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", runbook_url = "infra/OPERATIONS.md" }
  }

  expect_failures = [var.alarms]
}

run "a_ticket_topic_that_is_not_an_arn_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", ticket_topic_arn = "tickets" }
  }

  expect_failures = [var.alarms]
}

run "a_share_of_an_alarm_without_a_percentage_is_refused" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", share_percent = { faults = 30 } }
  }

  expect_failures = [var.alarms]
}

run "a_negative_reservation_of_other_functions_is_refused" {
  command = plan

  variables {
    account = { concurrency = 1000, concurrency_reserved_elsewhere = -1, id = "123456789012", partition = "aws", region = "eu-north-1" }
  }

  expect_failures = [var.account]
}

run "an_unknown_architecture_is_refused" {
  command = plan

  variables {
    architecture = "riscv64"
  }

  expect_failures = [var.architecture]
}

run "a_public_direct_caller_is_refused" {
  command = plan

  variables {
    callers = { all = "*" }
  }

  expect_failures = [var.callers]
}

run "a_direct_caller_with_a_name_that_lambda_does_not_allow_is_refused" {
  command = plan

  variables {
    callers = { "the backend" = "arn:aws:iam::123456789012:role/backend" }
  }

  expect_failures = [var.callers]
}

run "a_policy_without_a_duration_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-13", reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_batch_without_a_duration_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", batch = 3, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_duration_that_is_not_a_whole_number_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", milliseconds_per_request = 0.5, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_negative_reservation_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = -1 }
  }

  expect_failures = [var.capacity]
}

run "a_negative_rate_of_upgrades_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 900, upgrades_per_second = -1 }
  }

  expect_failures = [var.capacity]
}

run "an_upgrade_to_a_policy_without_a_duration_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 900, upgrade_policy = "argon2id-2026" }
  }

  expect_failures = [var.capacity]
}

run "a_reservation_that_is_not_a_whole_number_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 99.5 }
  }

  expect_failures = [var.capacity]
}

run "a_provisioned_maximum_above_the_reservation_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_maximum = 901, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_negative_provisioned_minimum_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_minimum = -1, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_provisioned_minimum_that_is_not_a_whole_number_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_minimum = 1.5, provisioned_maximum = 2, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_provisioned_maximum_that_is_not_a_whole_number_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_maximum = 1.5, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "an_event_name_with_spaces_and_capitals_is_refused" {
  command = plan

  variables {
    events = [{ name = "The Gala!", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "two_events_with_one_name_are_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }, { name = "gala", starts_at = "2099-12-07T18:00:00Z", ends_at = "2099-12-07T21:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "an_event_in_local_time_is_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T20:00:00+02:00", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "an_event_on_february_30_is_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-02-30T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "an_event_that_ends_before_it_starts_is_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T21:00:00Z", ends_at = "2099-12-06T18:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "events_that_overlap_are_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }, { name = "final", starts_at = "2099-12-06T20:59:59Z", ends_at = "2099-12-06T23:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "an_event_without_logins_is_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 0 }]
  }

  expect_failures = [var.events]
}

run "an_event_with_an_unknown_field_is_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10, comment = "final" }]
  }

  expect_failures = [var.events]
}

run "an_event_without_an_end_is_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "an_event_with_a_rate_in_words_is_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = "many" }]
  }

  expect_failures = [var.events]
}

run "a_public_caller_is_refused" {
  command = plan

  variables {
    function_url = { callers = { all = "*" } }
  }

  expect_failures = [var.function_url]
}

run "a_whole_account_as_a_caller_is_refused" {
  command = plan

  variables {
    function_url = { callers = { all = "arn:aws:iam::123456789012:root" } }
  }

  expect_failures = [var.function_url]
}

run "a_caller_with_a_wildcard_is_refused" {
  command = plan

  variables {
    function_url = { callers = { all = "arn:aws:iam::123456789012:role/*" } }
  }

  expect_failures = [var.function_url]
}

run "a_caller_name_that_lambda_does_not_allow_is_refused" {
  command = plan

  variables {
    function_url = { callers = { "the backend" = "arn:aws:iam::123456789012:role/backend" } }
  }

  expect_failures = [var.function_url]
}

run "an_execution_role_that_is_not_an_arn_is_refused" {
  command = plan

  variables {
    governance = { execution_role_arn = "saltern" }
  }

  expect_failures = [var.governance]
}

run "an_alias_of_a_key_is_refused" {
  command = plan

  variables {
    governance = { kms_key_arn = "arn:aws:kms:eu-north-1:123456789012:alias/logs" }
  }

  expect_failures = [var.governance]
}

run "logs_kept_without_a_key_of_yours_are_refused" {
  command = plan

  variables {
    governance = { logs_kept_on_destroy = true }
  }

  expect_failures = [var.governance]
}

run "the_arn_of_a_log_group_is_refused" {
  command = plan

  variables {
    governance = { log_group_name = "arn:aws:logs:eu-north-1:123456789012:log-group:/company/saltern" }
  }

  expect_failures = [var.governance]
}

run "a_role_path_without_slashes_is_refused" {
  command = plan

  variables {
    governance = { role_path = "services" }
  }

  expect_failures = [var.governance]
}

run "a_boundary_that_is_not_a_policy_is_refused" {
  command = plan

  variables {
    governance = { role_permissions_boundary = "arn:aws:iam::123456789012:role/boundary" }
  }

  expect_failures = [var.governance]
}

run "a_retention_that_cloudwatch_does_not_support_is_refused" {
  command = plan

  variables {
    log_retention_days = 42
  }

  expect_failures = [var.log_retention_days]
}

run "instance_memory_that_is_not_a_whole_number_of_vcpus_is_refused" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 9, memory_size_mb = 3000 }
  }

  expect_failures = [var.managed_instances]
}

run "an_instance_minimum_above_the_maximum_is_refused" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 2 }
  }

  expect_failures = [var.managed_instances]
}

run "an_instance_minimum_that_is_not_a_whole_number_is_refused" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 9, minimum_environments = 3.5 }
  }

  expect_failures = [var.managed_instances]
}

run "an_instance_maximum_that_is_not_a_whole_number_is_refused" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 9.5 }
  }

  expect_failures = [var.managed_instances]
}

run "two_versions_with_more_vcpus_than_a_capacity_provider_has_are_refused" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 3751 }
  }

  expect_failures = [var.managed_instances]
}

run "instances_without_a_subnet_are_refused" {
  command = plan

  variables {
    managed_instances = { subnet_ids = [], security_group_ids = ["sg-a"], maximum_environments = 9 }
  }

  expect_failures = [var.managed_instances]
}

run "memory_below_256_mb_is_refused" {
  command = plan

  variables {
    memory_size_mb = 128
  }

  expect_failures = [var.memory_size_mb]
}

run "memory_above_10240_mb_is_refused" {
  command = plan

  variables {
    memory_size_mb = 10241
  }

  expect_failures = [var.memory_size_mb]
}

run "memory_that_is_not_a_whole_number_is_refused" {
  command = plan

  variables {
    memory_size_mb = 1769.5
  }

  expect_failures = [var.memory_size_mb]
}

run "a_function_name_with_capitals_or_underscores_is_refused" {
  command = plan

  variables {
    name = "Saltern_1"
  }

  expect_failures = [var.name]
}

run "a_missing_package_is_refused" {
  command = plan

  variables {
    package_file = "../../../dist/nothing.zip"
  }

  expect_failures = [var.package_file]
}

run "a_package_for_another_architecture_is_refused" {
  command = plan

  variables {
    package_file = "tests/saltern-lambda-x86-64.zip"
  }

  expect_failures = [var.package_file]
}

run "a_rollback_to_latest_is_refused" {
  command = plan

  variables {
    rollback_to_version = "$LATEST"
  }

  expect_failures = [var.rollback_to_version]
}

run "a_share_of_upgrades_above_all_is_refused" {
  command = plan

  variables {
    settings = { upgrades = "101%" }
  }

  expect_failures = [var.settings]
}

run "unknown_kernels_are_refused" {
  command = plan

  variables {
    settings = { kernels = "fast" }
  }

  expect_failures = [var.settings]
}

run "an_unknown_weak_scheme_is_refused" {
  command = plan

  variables {
    settings = { accept_weak = ["ldap-sha1"] }
  }

  expect_failures = [var.settings]
}

run "a_policy_among_the_schemes_is_refused" {
  command = plan

  variables {
    settings = { accept_weak = ["ldap-sha", "bcrypt-12-2023"] }
  }

  expect_failures = [var.settings]
}

run "all_weak_schemes_and_a_name_are_refused" {
  command = plan

  variables {
    settings = { accept_weak = ["all", "ldap-sha"] }
  }

  expect_failures = [var.settings]
}

run "an_unknown_target_of_distributions_is_refused" {
  command = plan

  variables {
    settings = { distributions = "statsd" }
  }

  expect_failures = [var.settings]
}

run "distributions_less_often_than_every_300_seconds_are_refused" {
  command = plan

  variables {
    settings = { distributions_seconds = 301 }
  }

  expect_failures = [var.settings]
}

run "a_ceiling_that_is_not_a_whole_number_is_refused" {
  command = plan

  variables {
    settings = { ceilings = { bcrypt_cost = 12.5 } }
  }

  expect_failures = [var.settings]
}

run "an_unknown_ceiling_is_refused" {
  command = plan

  variables {
    settings = { ceilings = { bcrypt_costs = 12 } }
  }

  expect_failures = [var.settings]
}

run "a_layer_without_a_version_is_refused" {
  command = plan

  variables {
    settings = { seal_keys = { layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets" } }
  }

  expect_failures = [var.settings]
}

run "two_versions_of_one_layer_are_refused" {
  command = plan

  variables {
    settings = {
      firebase_project = { layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets:3" }
      seal_keys        = { layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets:4" }
    }
  }

  expect_failures = [var.settings]
}

run "a_firebase_file_outside_the_layer_is_refused" {
  command = plan

  variables {
    settings = { firebase_project = { layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets:3", file = "firebase-project.kms" } }
  }

  expect_failures = [var.settings]
}

run "a_holder_that_is_not_one_role_or_user_is_refused" {
  command = plan

  variables {
    seal_key_holders = ["arn:aws:iam::123456789012:root"]
  }

  expect_failures = [var.seal_key_holders]
}

run "a_timeout_that_is_not_a_whole_number_is_refused" {
  command = plan

  variables {
    timeout_seconds = 1.5
  }

  expect_failures = [var.timeout_seconds]
}

run "a_timeout_above_60_seconds_is_refused" {
  command = plan

  variables {
    timeout_seconds = 61
  }

  expect_failures = [var.timeout_seconds]
}

run "a_reservation_above_the_account_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 901 }
  }

  expect_failures = [aws_lambda_function.main]
}

run "a_utc_offset_without_minutes_is_refused" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10, utc_offset = "+2" }]
  }

  expect_failures = [var.events]
}

run "an_event_above_the_reservation_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 700, upgrades_per_second = 0 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 3000 }]
  }

  expect_failures = [aws_lambda_function.main]
}

run "an_event_above_the_account_is_refused" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-12", reserved_concurrency = 900, upgrades_per_second = 0 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 3000 }]
  }

  expect_failures = [aws_lambda_function.main]
}
