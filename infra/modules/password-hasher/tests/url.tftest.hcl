# The Function URL.

mock_provider "aws" {
  mock_resource "aws_lambda_function_url" {
    defaults = { function_url = "https://abc.lambda-url.eu-north-1.on.aws/" }
  }
}

variables {
  account      = { concurrency = 3000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 1000 }
  function_url = {}
  name         = "saltern"
  package_file = "tests/saltern-lambda-arm64.zip"
}

run "the_url_calls_live_and_always_requires_iam" {
  assert {
    condition     = aws_lambda_function_url.live[0].authorization_type == "AWS_IAM" && aws_lambda_function_url.live[0].qualifier == "live"
    error_message = "The URL must require AWS_IAM and call live."
  }

  assert {
    condition     = output.url == "https://abc.lambda-url.eu-north-1.on.aws"
    error_message = "The output must be the URL without a trailing slash."
  }
}

run "every_caller_gets_the_two_permissions_that_a_url_needs" {
  variables {
    function_url = {
      callers = {
        backend = "arn:aws:iam::123456789012:role/backend"
        batch   = "arn:aws:iam::210987654321:role/jobs/batch"
      }
    }
  }

  assert {
    condition = { for name, permission in aws_lambda_permission.url : name => [permission.action, permission.principal, permission.function_url_auth_type, permission.qualifier] } == {
      backend = ["lambda:InvokeFunctionUrl", "arn:aws:iam::123456789012:role/backend", "AWS_IAM", "live"]
      batch   = ["lambda:InvokeFunctionUrl", "arn:aws:iam::210987654321:role/jobs/batch", "AWS_IAM", "live"]
    }
    error_message = "Each caller must be allowed to call the URL of live with signed requests."
  }

  assert {
    condition = { for name, permission in aws_lambda_permission.invoke_via_url : name => [permission.action, permission.principal, tostring(permission.invoked_via_function_url), permission.qualifier] } == {
      backend = ["lambda:InvokeFunction", "arn:aws:iam::123456789012:role/backend", "true", "live"]
      batch   = ["lambda:InvokeFunction", "arn:aws:iam::210987654321:role/jobs/batch", "true", "live"]
    }
    error_message = "Each caller must be allowed to invoke live, through the URL only."
  }
}

run "the_same_plan_may_create_the_callers_and_the_topic" {
  module {
    source = "./tests/made-beside"
  }

  assert {
    condition     = output.url == "https://abc.lambda-url.eu-north-1.on.aws"
    error_message = "An ARN that is known only after the apply must not stop the plan."
  }
}

run "by_default_there_is_no_public_endpoint" {
  variables {
    function_url = null
  }

  assert {
    condition     = length(aws_lambda_function_url.live) == 0 && length(aws_lambda_permission.url) == 0 && length(aws_lambda_permission.invoke_via_url) == 0 && !contains(keys(aws_cloudwatch_metric_alarm.main), "url-5xx") && output.url == null
    error_message = "There must be no URL, no permission and no alarm for 5xx."
  }
}

run "a_direct_caller_gets_one_permission_to_invoke_live" {
  variables {
    callers      = { backend = "arn:aws:iam::210987654321:role/backend" }
    function_url = null
  }

  assert {
    condition = { for name, permission in aws_lambda_permission.invoke : name => [permission.action, permission.principal, permission.qualifier, permission.statement_id] } == {
      backend = ["lambda:InvokeFunction", "arn:aws:iam::210987654321:role/backend", "live", "invoke-backend"]
    }
    error_message = "The caller must be allowed to invoke live."
  }
}

run "a_caller_with_a_new_role_is_added_beside_the_old_one" {
  variables {
    callers      = { backend = "arn:aws:iam::210987654321:role/backend", backend-2 = "arn:aws:iam::210987654321:role/next" }
    function_url = null
  }

  assert {
    condition     = { for name, permission in aws_lambda_permission.invoke : name => permission.principal } == { backend = "arn:aws:iam::210987654321:role/backend", backend-2 = "arn:aws:iam::210987654321:role/next" }
    error_message = "Both roles must be allowed until the old one is removed."
  }
}
