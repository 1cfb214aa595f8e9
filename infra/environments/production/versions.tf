terraform {
  required_version = ">= 1.10"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.54"
    }
  }

  # The bucket, the region and the KMS key come from backend.hcl, an output of bootstrap. The lock
  # is a file beside the state.
  backend "s3" {
    key          = "saltern/production.tfstate"
    encrypt      = true
    use_lockfile = true
  }
}

provider "aws" {
  region              = var.region
  allowed_account_ids = compact([lookup(var.account, "id", null)])

  default_tags {
    tags = merge(var.tags, {
      environment = "production"
      service     = "saltern"
    })
  }
}
