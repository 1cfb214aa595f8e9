terraform {
  required_version = ">= 1.10"

  required_providers {
    aws = {
      source = "hashicorp/aws"
      # 6.54 brought aws_lambda_function_scaling_config; invoked_via_function_url is older.
      version = "~> 6.54"
    }
  }
}
