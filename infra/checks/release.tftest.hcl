# A release on Managed Instances: another version becomes live, and its scaling replaces the old
# one.

mock_provider "aws" {}

run "made" {}

run "released" {
  command = plan

  plan_options {
    replace = [module.saltern.aws_lambda_function_scaling_config.live[0]]
  }
}
