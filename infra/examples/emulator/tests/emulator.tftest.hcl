mock_provider "aws" {
  mock_resource "aws_lambda_function" {
    defaults = {
      arn     = "arn:aws:lambda:eu-north-1:123456789012:function:saltern-example-emulator"
      version = "1"
    }
  }
  mock_resource "aws_lambda_function_url" {
    defaults = { function_url = "https://abc.lambda-url.eu-north-1.on.aws/" }
  }
}

variables {
  package_file = "../../modules/password-hasher/tests/saltern-lambda-arm64.zip"
}

run "it_says_what_a_caller_and_a_reader_of_logs_want" {
  assert {
    condition     = [output.function_name, output.live_version, output.log_group_name, output.url] == ["saltern-example-emulator", "1", "/aws/lambda/saltern-example-emulator", "https://abc.lambda-url.eu-north-1.on.aws"]
    error_message = "The outputs name the function, its version, its log group and its URL."
  }

  assert {
    condition     = local.cloudwatch_endpoint == "http://127.0.0.1:5000"
    error_message = "CloudWatch is where all the rest is."
  }
}

run "cloudwatch_may_be_elsewhere" {
  command = plan

  variables {
    cloudwatch_endpoint = "http://127.0.0.1:4566"
  }

  assert {
    condition     = local.cloudwatch_endpoint == "http://127.0.0.1:4566"
    error_message = "CloudWatch is where it is said to be."
  }
}

run "an_emulator_on_another_machine_of_the_network" {
  command = plan

  variables {
    endpoint = "http://moto:5000"
  }
}

run "an_emulator_behind_tls_with_a_slash_at_the_end" {
  command = plan

  variables {
    endpoint = "https://localhost.localstack.cloud:4566/"
  }
}

run "the_other_architecture_with_its_package" {
  command = plan

  variables {
    architecture = "x86_64"
    package_file = "../../modules/password-hasher/tests/saltern-lambda-x86-64.zip"
  }
}

run "aws_itself" {
  command = plan

  variables {
    endpoint = "https://lambda.eu-north-1.amazonaws.com"
  }

  expect_failures = [var.endpoint]
}

run "an_endpoint_without_a_scheme" {
  command = plan

  variables {
    endpoint = "127.0.0.1:5000"
  }

  expect_failures = [var.endpoint]
}

run "cloudwatch_of_aws_itself" {
  command = plan

  variables {
    cloudwatch_endpoint = "https://monitoring.eu-north-1.amazonaws.com"
  }

  expect_failures = [var.cloudwatch_endpoint]
}
