# The function on EC2 instances in your VPC, for steady load. One process takes many requests at
# once, which fill the lanes.

module "saltern" {
  source = "../../modules/password-hasher"

  account      = var.account
  alarms       = { topic_arn = var.alarm_topic_arn }
  capacity     = { policy = "bcrypt-12", reserved_concurrency = 900, upgrades_per_second = 0 }
  events       = var.events
  function_url = {}
  name         = "saltern-example-managed"
  package_file = var.package_file

  managed_instances = {
    subnet_ids           = var.subnet_ids
    security_group_ids   = var.security_group_ids
    maximum_environments = 40
  }
}
