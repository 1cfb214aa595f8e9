# With the override for moto: what the function's logging would change by is left alone.

mock_provider "aws" {}

variables {
  account      = { concurrency = 1000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 900 }
  name         = "first"
  package_file = "tests/saltern-lambda-arm64.zip"
}

run "made" {
  assert {
    condition     = aws_lambda_function.main.logging_config[0].log_group == "/aws/lambda/first"
    error_message = "A new function logs into its own group."
  }
}

run "changed" {
  variables {
    name = "second"
  }

  assert {
    condition     = aws_cloudwatch_log_group.function.name == "/aws/lambda/second" && aws_lambda_function.main.logging_config[0].log_group == "/aws/lambda/first"
    error_message = "The group changed, and the function's logging was left alone."
  }
}
