mock_provider "aws" {
  mock_resource "aws_iam_policy" {
    defaults = { arn = "arn:aws:iam::123456789012:policy/calls-saltern" }
  }
}

variables {
  alias_arn = "arn:aws:lambda:eu-north-1:123456789012:function:saltern:live"
  door      = "url"
  name      = "calls-saltern"
}

run "a_caller_by_url_gets_two_actions_on_the_alias" {
  assert {
    condition = jsondecode(aws_iam_policy.main.policy).Statement == [
      {
        Sid       = "Url"
        Effect    = "Allow"
        Action    = "lambda:InvokeFunctionUrl"
        Resource  = "arn:aws:lambda:eu-north-1:123456789012:function:saltern:live"
        Condition = { StringEquals = { "lambda:FunctionUrlAuthType" = "AWS_IAM" } }
      },
      {
        Sid       = "InvokeThroughUrl"
        Effect    = "Allow"
        Action    = "lambda:InvokeFunction"
        Resource  = "arn:aws:lambda:eu-north-1:123456789012:function:saltern:live"
        Condition = { Bool = { "lambda:InvokedViaFunctionUrl" = "true" } }
      },
    ]
    error_message = "With door = url the policy must allow two actions on the alias live, through the URL only."
  }
}

run "a_caller_by_invoke_gets_one_action_through_the_named_endpoints" {
  variables {
    door             = "invoke"
    vpc_endpoint_ids = ["vpce-1"]
  }

  assert {
    condition = jsondecode(output.policy_json).Statement == [{
      Sid       = "Invoke"
      Effect    = "Allow"
      Action    = "lambda:InvokeFunction"
      Resource  = "arn:aws:lambda:eu-north-1:123456789012:function:saltern:live"
      Condition = { StringEquals = { "aws:SourceVpce" = ["vpce-1"] } }
    }]
    error_message = "With door = invoke the policy must allow one action on the alias live, through the endpoint only."
  }
}

run "the_policy_is_attached_to_the_named_roles" {
  variables {
    role_names = { backend = "the-backend", jobs = "the-jobs" }
  }

  assert {
    condition     = { for name, attachment in aws_iam_role_policy_attachment.main : name => [attachment.role, attachment.policy_arn] } == { backend = ["the-backend", aws_iam_policy.main.arn], jobs = ["the-jobs", aws_iam_policy.main.arn] }
    error_message = "Both roles must have the policy."
  }
}

run "the_same_plan_may_create_the_role" {
  module {
    source = "./tests/made-beside"
  }

  assert {
    condition     = output.policy_arn == "arn:aws:iam::123456789012:policy/calls-saltern"
    error_message = "A role name that is known only after the apply must not stop the plan."
  }
}

run "an_arn_without_the_alias_is_refused" {
  command = plan

  variables {
    alias_arn = "arn:aws:lambda:eu-north-1:123456789012:function:saltern"
  }

  expect_failures = [var.alias_arn]
}

run "an_unknown_door_is_refused" {
  command = plan

  variables {
    door = "window"
  }

  expect_failures = [var.door]
}

run "a_name_that_iam_does_not_allow_is_refused" {
  command = plan

  variables {
    name = "calls saltern"
  }

  expect_failures = [var.name]
}

run "an_endpoint_for_the_url_is_refused" {
  command = plan

  variables {
    vpc_endpoint_ids = ["vpce-1"]
  }

  expect_failures = [var.vpc_endpoint_ids]
}
