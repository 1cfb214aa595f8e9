# terraform.tfvars has the facts of your deployment, and all that an operator changes at night. This
# file has only the name, and the capacity that holds without the variable.

module "saltern" {
  source = "../../modules/password-hasher"

  account              = var.account
  budget_usd           = var.budget_usd
  callers              = var.callers
  events               = var.events
  function_url         = var.function_url_callers == null ? null : { callers = var.function_url_callers }
  governance           = var.governance
  name                 = "saltern-staging"
  package_file         = var.package_file
  release_during_event = var.release_during_event
  rollback_to_version  = var.rollback_to_version
  seal_key_holders     = var.seal_key_holders
  settings             = var.settings
  signing              = var.artefact_bucket == null ? null : { artefact_bucket = var.artefact_bucket }

  alarms = merge(
    {
      topic_arn                = var.alarm_topic_arn
      client_metrics_namespace = var.client_metrics_namespace
      runbook_url              = var.runbook_url
      ticket_topic_arn         = var.alarm_ticket_topic_arn
    },
    var.alarm_thresholds,
  )

  # No provisioned environments, and a low limit of cost. A new account has less than 1,000: request
  # that quota first. For the load test of an event, set capacity.reserved_concurrency and events.
  capacity = merge(
    {
      policy               = "bcrypt-12"
      reserved_concurrency = 50
    },
    var.capacity,
  )
}

locals {
  # Terraform only warns of a misspelt name in a file of variables, and its value has no effect.
  _variables = flatten(regexall("(?m)^variable \"([a-z_]+)\"", file("${path.module}/variables.tf")))
  _given = flatten([
    for file in fileset(path.module, "*.tfvars") : regexall("(?m)^([A-Za-z0-9_-]+)[ \t]*=", file("${path.module}/${file}"))
  ])
  unknown_variables = setsubtract(local._given, local._variables)
}
