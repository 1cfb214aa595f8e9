# The function in an emulator of AWS, to try the Terraform without an account. What emulators lack is off: signing,
# Managed Instances, a provisioned minimum. Everything that would be asked of the account is given.

module "saltern" {
  source = "../../modules/password-hasher"

  account      = { concurrency = 3000, id = "123456789012", partition = "aws", region = var.region }
  alarms       = { topic_arn = "arn:aws:sns:${var.region}:123456789012:on-call" }
  capacity     = { policy = "bcrypt-12", reserved_concurrency = 1500 }
  events       = var.events
  function_url = { callers = { backend = "arn:aws:iam::123456789012:role/backend" } }
  name         = "saltern-example-emulator"
  package_file = var.package_file
}
