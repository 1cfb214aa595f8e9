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

run "the_outputs_name_what_a_caller_and_an_operator_need" {
  assert {
    condition     = [output.function_name, output.log_group_name, output.url] == ["saltern-example-emulator", "/aws/lambda/saltern-example-emulator", "https://abc.lambda-url.eu-north-1.on.aws"]
    error_message = "The outputs must name the function, its log group and its URL."
  }

  assert {
    condition     = local.cloudwatch_endpoint == "http://127.0.0.1:5000"
    error_message = "The default endpoint of CloudWatch must be that of the emulator."
  }
}

run "cloudwatch_may_have_another_endpoint" {
  command = plan

  variables {
    cloudwatch_endpoint = "http://127.0.0.1:4566"
  }

  assert {
    condition     = local.cloudwatch_endpoint == "http://127.0.0.1:4566"
    error_message = "The endpoint of CloudWatch must be cloudwatch_endpoint."
  }
}

run "an_emulator_on_another_machine_is_accepted" {
  command = plan

  variables {
    endpoint = "http://moto:5000"
  }
}

run "an_emulator_with_tls_and_a_trailing_slash_is_accepted" {
  command = plan

  variables {
    endpoint = "https://localhost.localstack.cloud:4566/"
  }
}

run "the_other_architecture_with_its_package_is_accepted" {
  command = plan

  variables {
    architecture = "x86_64"
    package_file = "../../modules/password-hasher/tests/saltern-lambda-x86-64.zip"
  }
}

run "an_endpoint_of_aws_is_refused" {
  command = plan

  variables {
    endpoint = "https://lambda.eu-north-1.amazonaws.com"
  }

  expect_failures = [var.endpoint]
}

run "an_endpoint_without_a_url_scheme_is_refused" {
  command = plan

  variables {
    endpoint = "127.0.0.1:5000"
  }

  expect_failures = [var.endpoint]
}

run "a_cloudwatch_endpoint_of_aws_is_refused" {
  command = plan

  variables {
    cloudwatch_endpoint = "https://monitoring.eu-north-1.amazonaws.com"
  }

  expect_failures = [var.cloudwatch_endpoint]
}
