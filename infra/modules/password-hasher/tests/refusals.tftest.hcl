# What is refused, and by which variable.

mock_provider "aws" {}

variables {
  account      = { concurrency = 1000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 900 }
  name         = "saltern"
  package_file = "tests/saltern-lambda-arm64.zip"
}

run "a_topic_that_is_none" {
  command = plan

  variables {
    alarms = { topic_arn = "on-call" }
  }

  expect_failures = [var.alarms]
}

run "a_share_of_concurrency_above_all" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", concurrency_percent = 101 }
  }

  expect_failures = [var.alarms]
}

run "a_share_of_errors_above_all" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", errors_percent = 100 }
  }

  expect_failures = [var.alarms]
}

run "a_negative_number_of_fallbacks" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", client_fallbacks_per_minute = -1 }
  }

  expect_failures = [var.alarms]
}

run "a_p90_of_no_time" {
  command = plan

  variables {
    alarms = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call", duration_p90_milliseconds = 0 }
  }

  expect_failures = [var.alarms]
}

run "an_unknown_architecture" {
  command = plan

  variables {
    architecture = "riscv64"
  }

  expect_failures = [var.architecture]
}

run "a_policy_without_a_duration" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-13", reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_batch_without_a_duration" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", batch = 3, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_duration_that_is_not_whole" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", milliseconds_per_request = 0.5, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_function_that_takes_no_request" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 0 }
  }

  expect_failures = [var.capacity]
}

run "a_reservation_that_is_not_whole" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 99.5 }
  }

  expect_failures = [var.capacity]
}

run "more_provisioned_than_reserved" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_maximum = 901, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "fewer_provisioned_than_none" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_minimum = -1, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_minimum_that_is_not_whole" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_minimum = 1.5, provisioned_maximum = 2, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "a_maximum_that_is_not_whole" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", provisioned_maximum = 1.5, reserved_concurrency = 900 }
  }

  expect_failures = [var.capacity]
}

run "an_event_without_a_plain_name" {
  command = plan

  variables {
    events = [{ name = "The Gala!", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "two_events_of_one_name" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }, { name = "gala", starts_at = "2099-12-07T18:00:00Z", ends_at = "2099-12-07T21:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "an_event_in_local_time" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T20:00:00+02:00", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "a_day_that_is_none" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-02-30T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "an_event_that_ends_before_it_starts" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T21:00:00Z", ends_at = "2099-12-06T18:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "events_that_overlap" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 10 }, { name = "final", starts_at = "2099-12-06T20:59:59Z", ends_at = "2099-12-06T23:00:00Z", expected_logins_per_second = 10 }]
  }

  expect_failures = [var.events]
}

run "an_event_to_which_nobody_comes" {
  command = plan

  variables {
    events = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 0 }]
  }

  expect_failures = [var.events]
}

run "everybody_as_a_caller" {
  command = plan

  variables {
    function_url = { callers = { all = "*" } }
  }

  expect_failures = [var.function_url]
}

run "a_whole_account_as_a_caller" {
  command = plan

  variables {
    function_url = { callers = { all = "arn:aws:iam::123456789012:root" } }
  }

  expect_failures = [var.function_url]
}

run "a_caller_with_a_wildcard" {
  command = plan

  variables {
    function_url = { callers = { all = "arn:aws:iam::123456789012:role/*" } }
  }

  expect_failures = [var.function_url]
}

run "a_name_of_a_caller_that_lambda_would_not_take" {
  command = plan

  variables {
    function_url = { callers = { "the backend" = "arn:aws:iam::123456789012:role/backend" } }
  }

  expect_failures = [var.function_url]
}

run "a_retention_that_cloudwatch_has_not" {
  command = plan

  variables {
    log_retention_days = 42
  }

  expect_failures = [var.log_retention_days]
}

run "memory_that_makes_no_whole_vcpu" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 9, memory_size_mb = 3000 }
  }

  expect_failures = [var.managed_instances]
}

run "a_minimum_above_the_maximum" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 2 }
  }

  expect_failures = [var.managed_instances]
}

run "a_minimum_of_instances_that_is_not_whole" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 9, minimum_environments = 3.5 }
  }

  expect_failures = [var.managed_instances]
}

run "a_maximum_of_instances_that_is_not_whole" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 9.5 }
  }

  expect_failures = [var.managed_instances]
}

run "more_vcpus_in_two_versions_than_a_capacity_provider_has" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 3751 }
  }

  expect_failures = [var.managed_instances]
}

run "instances_without_a_subnet" {
  command = plan

  variables {
    managed_instances = { subnet_ids = [], security_group_ids = ["sg-a"], maximum_environments = 9 }
  }

  expect_failures = [var.managed_instances]
}

run "too_little_memory" {
  command = plan

  variables {
    memory_size_mb = 128
  }

  expect_failures = [var.memory_size_mb]
}

run "too_much_memory" {
  command = plan

  variables {
    memory_size_mb = 10241
  }

  expect_failures = [var.memory_size_mb]
}

run "memory_that_is_not_whole" {
  command = plan

  variables {
    memory_size_mb = 1769.5
  }

  expect_failures = [var.memory_size_mb]
}

run "a_name_that_not_every_service_takes" {
  command = plan

  variables {
    name = "Saltern_1"
  }

  expect_failures = [var.name]
}

run "a_package_that_nobody_made" {
  command = plan

  variables {
    package_file = "../../../dist/nothing.zip"
  }

  expect_failures = [var.package_file]
}

run "a_package_for_another_architecture" {
  command = plan

  variables {
    package_file = "tests/saltern-lambda-x86-64.zip"
  }

  expect_failures = [var.package_file]
}

run "a_roll_back_to_no_version" {
  command = plan

  variables {
    rollback_to_version = "$LATEST"
  }

  expect_failures = [var.rollback_to_version]
}

run "unknown_kernels" {
  command = plan

  variables {
    settings = { kernels = "fast" }
  }

  expect_failures = [var.settings]
}

run "a_weak_scheme_that_there_is_not" {
  command = plan

  variables {
    settings = { accept_weak = ["ldap-sha1"] }
  }

  expect_failures = [var.settings]
}

run "a_strong_scheme_among_the_weak" {
  command = plan

  variables {
    settings = { accept_weak = ["bcrypt"] }
  }

  expect_failures = [var.settings]
}

run "all_weak_schemes_and_one_more" {
  command = plan

  variables {
    settings = { accept_weak = ["all", "ldap-sha"] }
  }

  expect_failures = [var.settings]
}

run "distributions_to_nowhere" {
  command = plan

  variables {
    settings = { distributions = "statsd" }
  }

  expect_failures = [var.settings]
}

run "distributions_too_seldom" {
  command = plan

  variables {
    settings = { distributions_seconds = 301 }
  }

  expect_failures = [var.settings]
}

run "a_ceiling_that_is_not_whole" {
  command = plan

  variables {
    settings = { ceilings = { bcrypt_cost = 12.5 } }
  }

  expect_failures = [var.settings]
}

run "a_ceiling_that_there_is_not" {
  command = plan

  variables {
    settings = { ceilings = { bcrypt_costs = 12 } }
  }

  expect_failures = [var.settings]
}

run "a_layer_without_a_version" {
  command = plan

  variables {
    settings = { firebase_project = { layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-firebase" } }
  }

  expect_failures = [var.settings]
}

run "a_file_that_no_layer_has" {
  command = plan

  variables {
    settings = { firebase_project = { layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-firebase:3", file = "firebase-project" } }
  }

  expect_failures = [var.settings]
}

run "a_timeout_that_is_not_whole" {
  command = plan

  variables {
    timeout_seconds = 1.5
  }

  expect_failures = [var.timeout_seconds]
}

run "a_timeout_beyond_any_deadline" {
  command = plan

  variables {
    timeout_seconds = 61
  }

  expect_failures = [var.timeout_seconds]
}

run "more_reserved_than_the_account_has" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 901 }
  }

  expect_failures = [aws_lambda_function.main]
}

run "an_event_beyond_what_is_reserved" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-11", reserved_concurrency = 700 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 3000 }]
  }

  expect_failures = [aws_lambda_function.main]
}

run "an_event_beyond_the_account" {
  command = plan

  variables {
    capacity = { policy = "bcrypt-12", reserved_concurrency = 900 }
    events   = [{ name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:00:00Z", expected_logins_per_second = 3000 }]
  }

  expect_failures = [aws_lambda_function.main]
}
