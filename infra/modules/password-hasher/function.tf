resource "aws_lambda_function" "main" {
  #checkov:skip=CKV_AWS_116:Callers wait for the response, so there is no dead letter.
  #checkov:skip=CKV_AWS_117:The function needs nothing inside a VPC.

  function_name = var.name
  description   = "Saltern: hashes and verifies passwords"
  role          = local.execution_role_arn

  runtime       = "provided.al2023"
  handler       = "bootstrap"
  architectures = [var.architecture]
  memory_size   = local.memory_size_mb
  timeout       = var.timeout_seconds

  # The package, or the copy that AWS Signer signed. A new hash of the package publishes a new
  # version.
  filename                = one(terraform_data.package[*].input)
  s3_bucket               = var.signing == null ? null : var.signing.artefact_bucket
  s3_key                  = var.signing == null ? null : aws_signer_signing_job.package[0].signed_object[0].s3[0].key
  source_code_hash        = filebase64sha256(var.package_file)
  code_signing_config_arn = one(aws_lambda_code_signing_config.main[*].arn)
  publish                 = true

  layers = length(local.layered) == 0 ? null : distinct([for layered in local.layered : layered.layer_arn])

  # Bounds the share of the account. On Managed Instances the number of environments is the bound.
  reserved_concurrent_executions = local.managed ? -1 : var.capacity.reserved_concurrency

  kms_key_arn = local.kms_key_arn

  # Never empty: without variables Lambda drops the key, and every plan would set it again.
  environment {
    variables = merge(
      {
        SALTERN_DISTRIBUTIONS         = var.settings.distributions
        SALTERN_DISTRIBUTIONS_SECONDS = tostring(var.settings.distributions_seconds)
        SALTERN_KERNELS               = var.settings.kernels
        SALTERN_UPGRADES              = var.settings.upgrades
      },
      length(var.settings.accept_weak) == 0 ? {} : { SALTERN_ACCEPT_WEAK = join(",", var.settings.accept_weak) },
      { for variable, layered in local.layered : variable => layered.file },
      length(var.settings.ceilings) == 0 ? {} : {
        SALTERN_CEILINGS = join(",", [for name, value in var.settings.ceilings : "${name}=${value}"])
      },
    )
  }

  logging_config {
    log_format            = "JSON"
    log_group             = local.log_group_name
    application_log_level = "INFO" # EMF lines are INFO: at WARN the metrics would be lost
    system_log_level      = "INFO"
  }

  tracing_config {
    mode = "Active"
  }

  dynamic "capacity_provider_config" {
    for_each = aws_lambda_capacity_provider.main

    content {
      lambda_managed_instances_capacity_provider_config {
        capacity_provider_arn                     = capacity_provider_config.value.arn
        execution_environment_memory_gib_per_vcpu = local.memory_gib_per_vcpu
        per_execution_environment_max_concurrency = local.lanes_per_vcpu * local.vcpus_per_environment
      }
    }
  }

  lifecycle {
    precondition {
      condition     = length(local._refusals) == 0
      error_message = join("\n\n", local._refusals)
    }
  }

  # Without the policy and the group the function cannot write its first log lines.
  depends_on = [aws_cloudwatch_log_group.function, aws_iam_role_policy.execution]
}

# The path that the package had when its hash last changed. The provider would publish a version for
# a new path alone. It reads the file only with a new hash or architecture, or for a new function,
# and then this is the present path. An unchanged plan reads only the present path, for its hash.
resource "terraform_data" "package" {
  count = var.signing == null ? 1 : 0

  input            = var.package_file
  triggers_replace = [filebase64sha256(var.package_file), var.architecture, var.name]

  # It does not hold for a replacement.
  lifecycle {
    ignore_changes = [input]
  }
}

# Callers call this alias. A deployment moves it forward, a rollback moves it back.
resource "aws_lambda_alias" "live" {
  name             = "live"
  description      = "The version that callers call"
  function_name    = aws_lambda_function.main.function_name
  function_version = local.live_version

  # On Managed Instances a version without environments refuses every request.
  depends_on = [aws_lambda_function_scaling_config.live]
}

locals {
  # The names that the function's settings accept.
  setting_names = jsondecode(file("${path.module}/settings.json"))

  managed        = var.managed_instances != null
  memory_size_mb = local.managed ? var.managed_instances.memory_size_mb : var.memory_size_mb

  _most_needed = max(0, [for capacity in module.capacity : capacity.concurrency]...)
  _events_need = join(", ", [for name, event in local.events : "${local.managed ? event.environments : module.capacity[name].concurrency} (${name})"])

  _over_the_quota = !local.managed && (
    var.capacity.reserved_concurrency > local._concurrency_available || !local.stopped && !alltrue(values(module.capacity)[*].fits_account)
  )
  _rate_that_fits = try(min(values(module.capacity)[*].logins_per_second_that_fit...), 0)

  # One message has all of these, so that one plan names everything that is missing. Each remedy
  # counts with the others. Terraform does not wrap an indented line, so it can be copied.
  _refusals = [for refusal in [
    {
      refused = local.no_upgrades_given
      message = <<-EOT
        A login that replaces a hash of ${var.capacity.policy} by one of ${var.capacity.upgrade_policy} computes two hashes, and the plan of the events must know how many do. Write fewer if you know better, and 0 if upgrades is "off", or no user has a hash of another policy. If every login may, as the rest of this message assumes:
          upgrades_per_second = ${local._most_logins}
      EOT
    },
    {
      refused = var.budget_usd == null || local.cost_usd_ahead == null ? false : local.cost_usd_ahead > var.budget_usd
      message = <<-EOT
        The announced events cost ${local.cost_usd_ahead == null ? 0 : ceil(local.cost_usd_ahead)} US dollars, and budget_usd is ${var.budget_usd == null ? 0 : var.budget_usd}. Are the rates, the times and the years of the events right? If they are, write:
          budget_usd = ${local.cost_usd_ahead == null ? 0 : ceil(local.cost_usd_ahead)}
      EOT
    },
    {
      refused = local._over_the_quota
      message = <<-EOT
        The account has a concurrency of ${local._account_concurrency} in ${local.region}. Other functions reserve ${var.account.concurrency_reserved_elsewhere}, and ${local.limits.concurrency_left_unreserved} must stay unreserved. The function needs ${max(var.capacity.reserved_concurrency, local._most_needed)}: reserved_concurrency is ${var.capacity.reserved_concurrency}${length(local.events) == 0 ? "" : ", and the events need ${local._events_need}"}. AWS takes days to raise the quota. To ask for it, run all three lines:
          export AWS_REGION=${local.region}
          set -- --service-code lambda --quota-code L-B99A9384 --desired-value ${local.account_concurrency_needed}
          aws service-quotas request-service-quota-increase "$@"
      EOT
    },
    {
      refused = local._over_the_quota && local._concurrency_available > 0 && local._rate_that_fits > 0
      message = <<-EOT
        Until AWS has raised the quota, no more than this fits in an event, and less by what Saltern's other environment reserves:
          expected_logins_per_second = ${local._rate_that_fits}
          reserved_concurrency = ${local._concurrency_available}
      EOT
    },
    {
      refused = local._over_the_quota && local._concurrency_available > 0 && length(local.events) == 0
      message = <<-EOT
        Until AWS has raised the quota, no more than this fits, and less by what Saltern's other environment reserves:
          reserved_concurrency = ${local._concurrency_available}
      EOT
    },
    {
      refused = !local.managed && !local.stopped && local._most_needed > var.capacity.reserved_concurrency
      message = <<-EOT
        reserved_concurrency is ${var.capacity.reserved_concurrency}, but the events need ${local._events_need}. ${local._over_the_quota ? "When AWS has raised the quota, write:" : "Write:"}
          reserved_concurrency = ${local._most_needed}
      EOT
    },
    {
      refused = local.managed && anytrue([for event in local.events : event.environments > try(var.managed_instances.maximum_environments, 0)])
      message = <<-EOT
        managed_instances.maximum_environments is ${try(var.managed_instances.maximum_environments, 0)}, but the events need ${local._events_need}. Write:
          maximum_environments = ${max(0, values(local.events)[*].environments...)}
      EOT
    },
    {
      refused = length(local.secrets) > 0 && !local.has_secrets_key
      message = <<-EOT
        Seal keys and a Firebase project need the KMS key that decrypts them. Name who may encrypt, for example:
          seal_key_holders = ["arn:${local.partition}:iam::${local.account_id}:role/security"]
      EOT
    },
    {
      refused = length(local._foreign_topics) > 0
      message = "An alarm of CloudWatch publishes only to a topic of its own region, ${local.region}. Create the topic there instead of ${join(", ", local._foreign_topics)}."
    },
    {
      refused = length(local.current_events) > 0 && var.rollback_to_version == null && !var.release_during_event
      message = <<-EOT
        The event ${join(", ", local.current_events)} is current, and a new version would have no environment ready. Hold the version:
          eval "$(terraform output -raw hold_command)"
        If you must release now:
          terraform apply -var release_during_event=true
      EOT
    },
  ] : chomp(refusal.message) if refusal.refused]

  # Not from the state: it does not know of a rollback by hand.
  hold_command = "terraform apply -var rollback_to_version=\"$(aws lambda get-alias --function-name ${var.name} --name live --query FunctionVersion --output text --region ${local.region})\""

  live_version = var.rollback_to_version == null ? aws_lambda_function.main.version : var.rollback_to_version
}
