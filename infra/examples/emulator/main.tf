# The function in an emulator of AWS, to try the Terraform without an account. What emulators lack is off: signing,
# Managed Instances, a provisioned minimum. Everything that would be asked of the account is given.

module "saltern" {
  source = "../../modules/password-hasher"

  # 1,000 is what a new emulator has, and 100 of it stay unreserved, as at AWS.
  account        = { concurrency = 1000, id = local.account_id, partition = "aws", region = var.region }
  alarms         = { topic_arn = "arn:aws:sns:${var.region}:${local.account_id}:on-call" }
  architecture   = var.architecture
  capacity       = { policy = "bcrypt-12", reserved_concurrency = 900 }
  events         = var.events
  function_url   = { callers = { backend = "arn:aws:iam::${local.account_id}:role/backend" } }
  memory_size_mb = var.memory_size_mb
  name           = "saltern-example-emulator"
  package_file   = local.package_file
}

locals {
  # LocalStack takes the account from the access key; moto has this one.
  account_id = "123456789012"

  cloudwatch_endpoint = coalesce(var.cloudwatch_endpoint, var.endpoint)
  package_file        = coalesce(var.package_file, "../../../dist/saltern-lambda-${replace(var.architecture, "_", "-")}.zip")
}
