terraform {
  required_version = ">= 1.10"

  required_providers {
    aws = {
      source = "hashicorp/aws"
      # 6.54 is the first version with aws_lambda_function_scaling_config.
      version = "~> 6.54"
    }
  }
}
