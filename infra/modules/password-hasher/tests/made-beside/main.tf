# The same plan creates the caller and the topic, so their ARNs are known only after the apply.

terraform {
  required_version = ">= 1.10"

  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

# Values that a plan does not know.
resource "terraform_data" "arn" {
  for_each = {
    caller = "arn:aws:iam::123456789012:role/backend"
    topic  = "arn:aws:sns:eu-north-1:123456789012:on-call"
  }

  input = each.value
}

module "saltern" {
  source = "../.."

  account      = { concurrency = 3000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = terraform_data.arn["topic"].output }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 1000 }
  function_url = { callers = { backend = terraform_data.arn["caller"].output } }
  name         = "saltern"
  package_file = "${path.module}/../saltern-lambda-arm64.zip"
}

output "url" {
  description = "The Function URL."
  value       = module.saltern.url
}
