# The same plan creates the role, so its name is known only after the apply.

terraform {
  required_version = ">= 1.10"

  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

# A value that a plan does not know.
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
