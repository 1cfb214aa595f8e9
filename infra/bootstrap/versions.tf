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
  region              = var.region
  allowed_account_ids = [var.account_id] # the provider refuses credentials of another account

  default_tags {
    tags = merge(var.tags, { service = "saltern" })
  }
}
