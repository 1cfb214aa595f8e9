module "saltern" {
  source = "../../modules/password-hasher"

  account             = var.account
  events              = var.events
  function_url        = { callers = var.callers }
  name                = "saltern-production"
  package_file        = var.package_file
  rollback_to_version = var.rollback_to_version
  signing             = var.artefact_bucket == null ? null : { artefact_bucket = var.artefact_bucket }

  alarms = {
    topic_arn                = var.alarm_topic_arn
    client_metrics_namespace = var.client_metrics_namespace
  }

  # The policy of most stored hashes, and the largest share of the account. These numbers are for
  # 3,000 logins a second under bcrypt-12, one in each request. The account needs a concurrency of
  # at least 1,600.
  capacity = {
    policy               = "bcrypt-12"
    provisioned_minimum  = 10
    provisioned_maximum  = 100
    reserved_concurrency = 1500
  }
}
