# The function in an emulator of AWS, to try the Terraform without an account. Features that
# emulators lack are off: signing, Managed Instances and a provisioned minimum. All facts about the
# account are set, so that no data source is read.

module "saltern" {
  source = "../../modules/password-hasher"

  # A new emulator has a concurrency of 1,000, of which 100 must stay unreserved, as on AWS.
  account        = { concurrency = 1000, id = local.account_id, partition = "aws", region = var.region }
  alarms         = { topic_arn = "arn:aws:sns:${var.region}:${local.account_id}:on-call" }
  architecture   = var.architecture
  capacity       = { policy = "bcrypt-12", reserved_concurrency = 900, upgrades_per_second = 0 }
  events         = var.events
  function_url   = { callers = { backend = "arn:aws:iam::${local.account_id}:role/backend" } }
  memory_size_mb = var.memory_size_mb
  name           = "saltern-example-emulator"
  package_file   = local.package_file
}

locals {
  # LocalStack reads the account from the access key. moto always has this account.
  account_id = "123456789012"

  cloudwatch_endpoint = coalesce(var.cloudwatch_endpoint, var.endpoint)
  package_file        = coalesce(var.package_file, "../../../dist/saltern-lambda-${replace(var.architecture, "_", "-")}.zip")
}
