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

run "by_url_it_is_two_actions_on_one_alias" {
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
    error_message = "By URL: both actions, on live, through the URL."
  }
}

run "by_invoke_it_is_one_action_through_the_named_endpoints" {
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
    error_message = "By invoke: one action, on live, through the endpoint."
  }
}

run "it_is_attached_to_the_named_roles" {
  variables {
    role_names = { backend = "the-backend", jobs = "the-jobs" }
  }

  assert {
    condition     = { for name, attachment in aws_iam_role_policy_attachment.main : name => [attachment.role, attachment.policy_arn] } == { backend = ["the-backend", aws_iam_policy.main.arn], jobs = ["the-jobs", aws_iam_policy.main.arn] }
    error_message = "Both roles have the policy."
  }
}

run "a_role_may_be_made_by_the_same_plan" {
  module {
    source = "./tests/made-beside"
  }

  assert {
    condition     = output.policy_arn == "arn:aws:iam::123456789012:policy/calls-saltern"
    error_message = "A name that is known only after the apply stops nothing."
  }
}

run "an_arn_without_the_alias" {
  command = plan

  variables {
    alias_arn = "arn:aws:lambda:eu-north-1:123456789012:function:saltern"
  }

  expect_failures = [var.alias_arn]
}

run "an_unknown_door" {
  command = plan

  variables {
    door = "window"
  }

  expect_failures = [var.door]
}

run "a_name_that_iam_would_not_take" {
  command = plan

  variables {
    name = "calls saltern"
  }

  expect_failures = [var.name]
}

run "an_endpoint_for_the_url" {
  command = plan

  variables {
    vpc_endpoint_ids = ["vpce-1"]
  }

  expect_failures = [var.vpc_endpoint_ids]
}
