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
  name                 = "saltern-production"
  package_file         = var.package_file
  release_during_event = var.release_during_event
  rollback_to_version  = var.rollback_to_version
  seal_key_holders     = var.seal_key_holders
  signing              = var.artefact_bucket == null ? null : { artefact_bucket = var.artefact_bucket }

  alarms = {
    topic_arn                   = var.alarm_topic_arn
    client_fallbacks_per_minute = var.alarm_client_fallbacks_per_minute
    client_metrics_namespace    = var.client_metrics_namespace
    concurrency_percent         = var.alarm_concurrency_percent
    cost_usd_per_hour           = var.alarm_cost_usd_per_hour
    duration_p90_milliseconds   = var.alarm_duration_p90_milliseconds
    errors_percent              = var.alarm_errors_percent
    runbook_url                 = var.runbook_url
    share_percent               = var.alarm_mismatches_percent == null ? {} : { mismatches = var.alarm_mismatches_percent }
    ticket_topic_arn            = var.alarm_ticket_topic_arn
  }

  # The policies of most stored hashes and of new ones, and the largest share of the account. These
  # numbers are for 3,000 logins a second under bcrypt-12, one in each request and none with an
  # upgrade. The output `capacity` names the concurrency that the account needs.
  capacity = {
    batch                         = var.batch
    milliseconds_per_request      = var.milliseconds_per_request
    milliseconds_per_upgrade      = var.milliseconds_per_upgrade
    policy                        = coalesce(var.capacity_policy, "bcrypt-12")
    provisioned_maximum           = coalesce(var.provisioned_maximum, 100)
    provisioned_maximum_in_events = var.provisioned_maximum_in_events
    provisioned_minimum           = coalesce(var.provisioned_minimum, 10)
    reserved_concurrency          = coalesce(var.reserved_concurrency, 1500)
    upgrade_policy                = var.upgrade_policy
    upgrades_per_second           = var.upgrades_per_second
  }

  settings = {
    accept_weak           = var.accept_weak
    blocklist             = var.blocklist_layer_arn == null ? null : { layer_arn = var.blocklist_layer_arn }
    ceilings              = var.ceilings
    distributions         = var.distributions
    distributions_seconds = var.distributions_seconds
    firebase_project      = var.firebase_project_layer_arn == null ? null : { layer_arn = var.firebase_project_layer_arn }
    kernels               = var.kernels
    seal_keys             = var.seal_keys_layer_arn == null ? null : { layer_arn = var.seal_keys_layer_arn }
    upgrades              = var.upgrades
  }
}

locals {
  # Terraform only warns of a misspelt name in a file of variables, and its value has no effect.
  _variables = flatten(regexall("(?m)^variable \"([a-z0-9_]+)\"", file("${path.module}/variables.tf")))
  _given = flatten([
    for file in fileset(path.module, "*.tfvars") : regexall("(?m)^([A-Za-z0-9_-]+)[ \t]*=", file("${path.module}/${file}"))
  ])
  unknown_variables = setsubtract(local._given, local._variables)
}
