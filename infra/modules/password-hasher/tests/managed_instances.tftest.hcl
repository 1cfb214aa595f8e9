# The function on Lambda Managed Instances.

mock_provider "aws" {
  override_during = plan

  mock_resource "aws_lambda_function" {
    defaults = {
      arn     = "arn:aws:lambda:eu-north-1:123456789012:function:saltern"
      version = "7"
    }
  }
  mock_resource "aws_lambda_capacity_provider" {
    defaults = { arn = "arn:aws:lambda:eu-north-1:123456789012:capacity-provider:saltern" }
  }
}

variables {
  account      = { concurrency = 1000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 900, upgrades_per_second = 0 }
  name         = "saltern"
  package_file = "tests/saltern-lambda-arm64.zip"
  managed_instances = {
    subnet_ids            = ["subnet-a", "subnet-b", "subnet-c"]
    security_group_ids    = ["sg-a"]
    ec2_usd_per_vcpu_hour = 0.04
    maximum_environments  = 60
  }
}

run "eight_requests_for_each_vcpu_fill_the_lanes" {
  command = plan

  assert {
    condition = (
      aws_lambda_function.main.capacity_provider_config[0].lambda_managed_instances_capacity_provider_config[0].per_execution_environment_max_concurrency == 16 &&
      aws_lambda_function.main.capacity_provider_config[0].lambda_managed_instances_capacity_provider_config[0].execution_environment_memory_gib_per_vcpu == 2 &&
      aws_lambda_function.main.memory_size == 4096
    )
    error_message = "4,096 MB must be two vCPUs that take sixteen requests."
  }

  assert {
    condition     = aws_lambda_capacity_provider.main[0].instance_requirements[0].architectures == tolist(["arm64"]) && aws_lambda_capacity_provider.main[0].capacity_provider_scaling_config[0].max_vcpu_count == 240
    error_message = "The instances must have the function's architecture, and vCPUs for the environments of two versions."
  }
}

run "managed_instances_have_no_settings_of_classic_lambda" {
  command = plan

  variables {
    account = { id = "123456789012", partition = "aws", region = "eu-north-1" }
    events = [
      { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 1500 },
    ]
  }

  assert {
    condition = (
      length(aws_appautoscaling_target.live) == 0 &&
      length(aws_lambda_provisioned_concurrency_config.live) == 0 &&
      !contains(keys(aws_cloudwatch_metric_alarm.main), "concurrency") &&
      aws_lambda_function.main.reserved_concurrent_executions == -1 &&
      length(aws_lambda_function.main.vpc_config) == 0
    )
    error_message = "Managed Instances must have no provisioned concurrency, no reserved concurrency and no vpc_config."
  }

  assert {
    condition     = strcontains(output.evening, "get-function-scaling-config") && !strcontains(output.evening, "concurrency-config") && !strcontains(output.evening, "put-function-concurrency")
    error_message = "The page must not name a command that Managed Instances do not have:\n${output.evening}"
  }

  assert {
    condition     = strcontains(output.evening, "\nterraform apply -var rollback_to_version=\"$VERSION\"\n") && !strcontains(output.evening, "update-alias")
    error_message = "A rollback by the alias alone would move the callers to a version without environments:\n${output.evening}"
  }

  assert {
    condition     = length(data.aws_servicequotas_service_quota.concurrency) == 0
    error_message = "The account's concurrency does not limit Managed Instances, and must not be read."
  }
}

run "the_live_version_scales_between_its_bounds" {
  command = plan

  assert {
    condition = (
      aws_lambda_function_scaling_config.live[0].qualifier == "7" &&
      aws_lambda_function_scaling_config.live[0].function_scaling_config[0].min_execution_environments == 3 &&
      aws_lambda_function_scaling_config.live[0].function_scaling_config[0].max_execution_environments == 60
    )
    error_message = "Version 7 must have 3 to 60 environments."
  }
}

run "events_raise_the_minimum_of_instances" {
  command = plan

  variables {
    events = [
      { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 1500 },
    ]
  }

  # Eight bcrypt-11 hashes at once take 314 ms of a vCPU. So 59 vCPUs are busy, 85 at 70 percent: 43
  # environments of two vCPUs.
  assert {
    condition = { for name, schedule in aws_scheduler_schedule.event : name => [schedule.schedule_expression, jsondecode(schedule.target[0].input)] } == {
      gala-start = ["at(2099-12-06T17:45:00)", { FunctionName = "saltern", Qualifier = "7", FunctionScalingConfig = { MinExecutionEnvironments = 43, MaxExecutionEnvironments = 60 } }]
      gala-end   = ["at(2099-12-06T21:30:00)", { FunctionName = "saltern", Qualifier = "7", FunctionScalingConfig = { MinExecutionEnvironments = 3, MaxExecutionEnvironments = 60 } }]
    }
    error_message = "There must be 43 environments from 17:45, and 3 from 21:30: ${jsonencode([for schedule in aws_scheduler_schedule.event : schedule.target[0].input])}"
  }

  assert {
    condition     = jsondecode(aws_iam_role_policy.scheduler[0].policy).Statement[*].Action == ["lambda:PutFunctionScalingConfig"]
    error_message = "The scheduler may only scale this function."
  }
}

run "the_cost_follows_the_price_of_a_vcpu" {
  command = plan

  # 1,000,000 × (0.0000002 + 0.314 s ÷ 8 ÷ 0.7 × 0.04 × 1.15 ÷ 3600): 0.9165.
  assert {
    condition     = output.cost_usd.per_million_logins == 0.92
    error_message = "A million logins must cost 0.92, not ${output.cost_usd.per_million_logins}."
  }
}

run "without_a_price_of_ec2_the_cost_is_null" {
  command = plan

  variables {
    managed_instances = { subnet_ids = ["subnet-a"], security_group_ids = ["sg-a"], maximum_environments = 60 }
  }

  assert {
    condition     = output.cost_usd.per_million_logins == null && output.cost_usd.per_idle_hour == null
    error_message = "Without the price of a vCPU the cost must be null."
  }
}

run "an_event_above_the_maximum_of_instances_is_refused" {
  command = plan

  variables {
    events = [
      { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000 },
    ]
  }

  expect_failures = [aws_lambda_function.main]
}

run "created_roles_on_instances_serve_only_this_account" {
  command = plan

  variables {
    governance = { role_path = "/services/", role_permissions_boundary = "arn:aws:iam::123456789012:policy/boundary" }
  }

  assert {
    condition = alltrue([
      for role in [aws_iam_role.operator[0], aws_iam_role.scheduler[0]] :
      jsondecode(role.assume_role_policy).Statement[0].Condition == { StringEquals = { "aws:SourceAccount" = "123456789012" } } &&
      role.path == "/services/" && role.permissions_boundary == "arn:aws:iam::123456789012:policy/boundary"
    ])
    error_message = "AWS may assume both roles for this account only, and both must have the path and the boundary."
  }
}
