# With the override for moto, an apply does not change the function's logging.

mock_provider "aws" {}

variables {
  account      = { concurrency = 1000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 900 }
  name         = "first"
  package_file = "tests/saltern-lambda-arm64.zip"
}

run "a_new_function_logs_to_its_own_group" {
  assert {
    condition     = aws_lambda_function.main.logging_config[0].log_group == "/aws/lambda/first"
    error_message = "A new function must log to its own group."
  }
}

run "a_change_of_the_group_leaves_the_function_alone" {
  variables {
    name = "second"
  }

  assert {
    condition     = aws_cloudwatch_log_group.function[0].name == "/aws/lambda/second" && aws_lambda_function.main.logging_config[0].log_group == "/aws/lambda/first"
    error_message = "The group must change, and the function's logging must not."
  }
}
