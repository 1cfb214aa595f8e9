mock_provider "aws" {
  mock_resource "aws_lambda_alias" {
    defaults = { arn = "arn:aws:lambda:eu-north-1:123456789012:function:saltern-example-private:live" }
  }
  mock_resource "aws_iam_role" {
    defaults = { arn = "arn:aws:iam::123456789012:role/saltern-example-private-backend" }
  }
  mock_resource "aws_vpc_endpoint" {
    defaults = { id = "vpce-1" }
  }
}

variables {
  account                   = { concurrency = 1000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarm_topic_arn           = "arn:aws:sns:eu-north-1:123456789012:on-call"
  backend_security_group_id = "sg-1"
  package_file              = "../../modules/password-hasher/tests/saltern-lambda-arm64.zip"
  region                    = "eu-north-1"
  subnet_ids                = ["subnet-1"]
  vpc_id                    = "vpc-1"
}

run "the_role_and_the_endpoint_limit_each_other" {
  assert {
    condition     = module.saltern.url == null
    error_message = "There must be no URL."
  }

  assert {
    condition = jsondecode(aws_vpc_endpoint.lambda.policy).Statement == [{
      Sid       = "ThisBackendToThisFunction"
      Effect    = "Allow"
      Principal = { AWS = "arn:aws:iam::123456789012:role/saltern-example-private-backend" }
      Action    = "lambda:InvokeFunction"
      Resource  = "arn:aws:lambda:eu-north-1:123456789012:function:saltern-example-private:live"
    }]
    error_message = "The endpoint must allow only this role to invoke this function."
  }

  assert {
    condition     = jsondecode(module.caller_policy.policy_json).Statement[0].Condition == { StringEquals = { "aws:SourceVpce" = ["vpce-1"] } }
    error_message = "The role must be allowed to invoke through this endpoint only."
  }
}
