terraform {
  required_version = ">= 1.10"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.54"
    }
  }
}

provider "aws" {
  region                      = var.region
  access_key                  = local.account_id
  secret_key                  = "none" # emulators accept any value
  max_retries                 = 2      # a retry of a call that the emulator lacks does not help
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_region_validation      = true

  endpoints {
    applicationautoscaling = var.endpoint
    cloudwatch             = local.cloudwatch_endpoint
    iam                    = var.endpoint
    kms                    = var.endpoint
    lambda                 = var.endpoint
    logs                   = var.endpoint
    sts                    = var.endpoint
  }
}
