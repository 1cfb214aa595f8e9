# The module where the role is made by the same plan, which does not know its name yet.

terraform {
  required_version = ">= 1.10"

  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

# What a plan does not know before it is applied.
resource "terraform_data" "role_name" {
  input = "backend"
}

module "caller_policy" {
  source = "../.."

  alias_arn  = "arn:aws:lambda:eu-north-1:123456789012:function:saltern:live"
  door       = "url"
  name       = "calls-saltern"
  role_names = { backend = terraform_data.role_name.output }
}

output "policy_arn" {
  description = "ARN of the policy."
  value       = module.caller_policy.policy_arn
}
