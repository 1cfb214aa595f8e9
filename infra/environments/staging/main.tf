module "saltern" {
  source = "../../modules/password-hasher"

  account             = var.account
  function_url        = { callers = var.callers }
  name                = "saltern-staging"
  package_file        = var.package_file
  rollback_to_version = var.rollback_to_version
  signing             = var.artefact_bucket == null ? null : { artefact_bucket = var.artefact_bucket }

  alarms = {
    topic_arn                = var.alarm_topic_arn
    client_metrics_namespace = var.client_metrics_namespace
  }

  # No provisioned environments, and a low limit of cost. A new account has less than 1,000: request
  # that quota first.
  capacity = {
    policy               = "bcrypt-12"
    reserved_concurrency = 50
  }
}
