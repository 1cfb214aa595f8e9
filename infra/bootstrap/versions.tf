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
  allowed_account_ids = [var.account_id] # credentials of another account are refused before anything is made

  default_tags {
    tags = { service = "saltern" }
  }
}
