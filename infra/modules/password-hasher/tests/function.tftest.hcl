# The function with its version, alias, package, key, logs and role.

mock_provider "aws" {
  override_during = plan

  mock_resource "aws_lambda_function" {
    defaults = {
      arn     = "arn:aws:lambda:eu-north-1:123456789012:function:saltern"
      version = "7"
    }
  }
  mock_resource "aws_cloudwatch_log_group" {
    defaults = { arn = "arn:aws:logs:eu-north-1:123456789012:log-group:/aws/lambda/saltern" }
  }
  mock_resource "aws_kms_key" {
    defaults = { arn = "arn:aws:kms:eu-north-1:123456789012:key/1a2b" }
  }
  mock_resource "aws_signer_signing_profile" {
    defaults = { version_arn = "arn:aws:signer:eu-north-1:123456789012:/signing-profiles/saltern/v1" }
  }
  mock_resource "aws_lambda_code_signing_config" {
    defaults = { arn = "arn:aws:lambda:eu-north-1:123456789012:code-signing-config:csc-00000000000000000" }
  }
  mock_resource "aws_signer_signing_job" {
    defaults = { signed_object = [{ s3 = [{ bucket = "artefacts", key = "saltern/signed/job.zip" }] }] }
  }
  mock_resource "aws_s3_object" {
    defaults = { version_id = "v1" }
  }
}

variables {
  account      = { concurrency = 3000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 1000 }
  name         = "saltern"
  package_file = "tests/saltern-lambda-arm64.zip"
}

run "by_default_the_function_has_arm64_and_1769_mb_and_ten_seconds" {
  command = plan

  assert {
    condition = (
      aws_lambda_function.main.runtime == "provided.al2023" &&
      aws_lambda_function.main.handler == "bootstrap" &&
      aws_lambda_function.main.architectures == tolist(["arm64"]) &&
      aws_lambda_function.main.memory_size == 1769 &&
      aws_lambda_function.main.timeout == 10 &&
      aws_lambda_function.main.reserved_concurrent_executions == 1000
    )
    error_message = "The defaults must be arm64, 1,769 MB, provided.al2023 and 10 s, and the concurrency must be reserved."
  }

  assert {
    condition     = length(aws_lambda_function.main.vpc_config) == 0 && length(aws_lambda_function.main.capacity_provider_config) == 0
    error_message = "Without managed_instances the function must not be in a VPC or on instances."
  }
}

run "the_function_logs_json_at_info_and_is_traced" {
  command = plan

  assert {
    condition = (
      aws_lambda_function.main.logging_config[0].log_format == "JSON" &&
      aws_lambda_function.main.logging_config[0].application_log_level == "INFO" &&
      aws_lambda_function.main.logging_config[0].log_group == aws_cloudwatch_log_group.function[0].name &&
      aws_lambda_function.main.tracing_config[0].mode == "Active"
    )
    error_message = "The function must log JSON at INFO to its own log group, and must be traced."
  }

  assert {
    condition     = aws_cloudwatch_log_group.function[0].name == "/aws/lambda/saltern" && aws_cloudwatch_log_group.function[0].retention_in_days == 365
    error_message = "The log group must belong to the function and keep lines for a year."
  }
}

run "one_key_encrypts_the_logs_and_the_environment" {
  command = plan

  assert {
    condition = (
      aws_kms_key.main[0].enable_key_rotation &&
      aws_cloudwatch_log_group.function[0].kms_key_id == aws_kms_key.main[0].arn &&
      aws_lambda_function.main.kms_key_arn == aws_kms_key.main[0].arn
    )
    error_message = "The module's own, rotated key must encrypt the log lines and the environment variables."
  }

  assert {
    condition     = length(aws_lambda_function.main.environment[0].variables) > 0
    error_message = "There must be a variable, because without variables Lambda drops the key."
  }

  assert {
    condition = [for statement in jsondecode(aws_kms_key.main[0].policy).Statement : statement.Principal] == [
      { AWS = "arn:aws:iam::123456789012:root" },
      { Service = "logs.eu-north-1.amazonaws.com" },
    ]
    error_message = "Only IAM of this account and CloudWatch Logs of this region may use the key."
  }

  assert {
    condition = (
      jsondecode(aws_kms_key.main[0].policy).Statement[1].Condition.ArnEquals["kms:EncryptionContext:aws:logs:arn"] ==
      "arn:aws:logs:eu-north-1:123456789012:log-group:/aws/lambda/saltern" &&
      alltrue([for action in jsondecode(aws_kms_key.main[0].policy).Statement[1].Action : !strcontains(action, "*")])
    )
    error_message = "CloudWatch Logs may use the key for this log group only, by named actions."
  }
}

run "the_key_admits_cloudwatch_of_each_partition" {
  command = plan

  variables {
    account = { concurrency = 3000, id = "123456789012", partition = "aws-cn", region = "cn-north-1" }
    alarms  = { topic_arn = "arn:aws-cn:sns:cn-north-1:123456789012:on-call" }
  }

  assert {
    condition     = jsondecode(aws_kms_key.main[0].policy).Statement[1].Principal.Service == "logs.cn-north-1.amazonaws.com.cn"
    error_message = "KMS refuses a policy with a principal that the partition does not have."
  }
}

run "the_role_may_write_logs_traces_and_metrics_and_nothing_else" {
  command = plan

  assert {
    condition = { for statement in jsondecode(aws_iam_role_policy.execution[0].policy).Statement : statement.Sid => [flatten([statement.Action]), statement.Resource, lookup(statement, "Condition", null)] } == {
      OwnLogs = [
        ["logs:CreateLogStream", "logs:PutLogEvents"],
        "arn:aws:logs:eu-north-1:123456789012:log-group:/aws/lambda/saltern:*",
        null,
      ]
      Traces     = [["xray:PutTelemetryRecords", "xray:PutTraceSegments"], "*", null]
      OwnMetrics = [["cloudwatch:PutMetricData"], "*", { StringEquals = { "cloudwatch:namespace" = "Saltern" } }]
      OwnEnvironmentVariables = [
        ["kms:Decrypt"],
        "arn:aws:kms:eu-north-1:123456789012:key/1a2b",
        { ArnLike = { "kms:EncryptionContext:aws:lambda:FunctionArn" = ["arn:aws:lambda:eu-north-1:123456789012:function:saltern", "arn:aws:lambda:eu-north-1:123456789012:function:saltern:*"] } },
      ]
    }
    error_message = "The execution role may only write its logs, traces and metrics, and decrypt its environment variables."
  }

  assert {
    condition = [for statement in jsondecode(aws_iam_role.execution[0].assume_role_policy).Statement : [statement.Principal, statement.Condition]] == [
      [{ Service = "lambda.amazonaws.com" }, { StringEquals = { "aws:SourceAccount" = "123456789012" } }]
    ]
    error_message = "Only Lambda may assume the execution role, for this account."
  }
}

run "no_statement_names_a_public_principal_or_a_wildcard_action" {
  command = plan

  assert {
    condition = alltrue([
      for statement in concat(
        jsondecode(aws_iam_role_policy.execution[0].policy).Statement,
        [for statement in jsondecode(aws_kms_key.main[0].policy).Statement : statement if statement.Sid != "IamOfThisAccount"]
      ) : alltrue([for action in flatten([statement.Action]) : !strcontains(action, "*")])
    ])
    error_message = "Only the key's statement for IAM of this account may have a wildcard action."
  }

  assert {
    condition     = !strcontains(join("", [aws_kms_key.main[0].policy, aws_iam_role.execution[0].assume_role_policy]), "\"Principal\":\"*\"")
    error_message = "No principal may be public."
  }
}

run "no_secret_is_in_the_environment" {
  command = plan

  variables {
    settings = {
      accept_weak           = ["ldap-sha", "ldap-ssha"]
      ceilings              = { bcrypt_cost = 12, argon2_memory_kib = 65536 }
      distributions         = "printed"
      distributions_seconds = 60
      kernels               = "crates"
      upgrades              = "10%"
    }
  }

  assert {
    condition = aws_lambda_function.main.environment[0].variables == tomap({
      SALTERN_ACCEPT_WEAK           = "ldap-sha,ldap-ssha"
      SALTERN_CEILINGS              = "argon2_memory_kib=65536,bcrypt_cost=12"
      SALTERN_DISTRIBUTIONS         = "printed"
      SALTERN_DISTRIBUTIONS_SECONDS = "60"
      SALTERN_KERNELS               = "crates"
      SALTERN_UPGRADES              = "10%"
    })
    error_message = "The environment must hold the settings and no secret."
  }
}

run "the_default_settings_are_those_of_the_function" {
  command = plan

  assert {
    condition = aws_lambda_function.main.environment[0].variables == tomap({
      SALTERN_DISTRIBUTIONS         = "cloudwatch"
      SALTERN_DISTRIBUTIONS_SECONDS = "30"
      SALTERN_KERNELS               = "lanes"
      SALTERN_UPGRADES              = "on"
    })
    error_message = "The default environment must be the function's own defaults, and must accept no weak scheme."
  }
}

run "a_new_package_publishes_a_version_and_live_follows" {
  command = plan

  assert {
    condition     = aws_lambda_function.main.publish && aws_lambda_function.main.source_code_hash == filebase64sha256("tests/saltern-lambda-arm64.zip")
    error_message = "The hash of the zip must decide the version."
  }

  assert {
    condition     = aws_lambda_alias.live.name == "live" && aws_lambda_alias.live.function_version == "7"
    error_message = "The alias must point to the newest version."
  }
}

run "a_rollback_moves_the_alias_and_nothing_else" {
  command = plan

  variables {
    rollback_to_version = "5"
  }

  assert {
    condition     = aws_lambda_alias.live.function_version == "5" && aws_lambda_function.main.version == "7"
    error_message = "The alias must point to the named version."
  }
}

run "the_command_that_holds_the_version_asks_aws_for_it" {
  command = plan

  assert {
    condition     = output.hold_command == "terraform apply -var rollback_to_version=\"$(aws lambda get-alias --function-name saltern --name live --query FunctionVersion --output text --region eu-north-1)\""
    error_message = "The state does not know of a rollback by hand, so the version must come from the alias."
  }
}

run "without_signing_the_package_is_deployed_unsigned" {
  command = plan

  assert {
    condition = (
      aws_lambda_function.main.filename == "tests/saltern-lambda-arm64.zip" &&
      aws_lambda_function.main.s3_bucket == null &&
      aws_lambda_function.main.code_signing_config_arn == null &&
      length(aws_signer_signing_job.package) == 0
    )
    error_message = "Without signing no resource of it may exist."
  }
}

run "signing_needs_no_manual_step_and_refuses_unsigned_packages" {
  command = plan

  variables {
    signing = { artefact_bucket = "artefacts" }
  }

  assert {
    condition = (
      aws_lambda_function.main.filename == null &&
      aws_lambda_function.main.s3_bucket == "artefacts" &&
      aws_lambda_function.main.s3_key == "saltern/signed/job.zip" &&
      aws_s3_object.package[0].key == "saltern/unsigned-${filesha256("tests/saltern-lambda-arm64.zip")}.zip" &&
      aws_lambda_function.main.source_code_hash == filebase64sha256("tests/saltern-lambda-arm64.zip")
    )
    error_message = "The signed package must be deployed, and the hash of the unsigned zip must decide the version."
  }

  assert {
    condition = (
      aws_signer_signing_job.package[0].source[0].s3[0].version == "v1" &&
      aws_signer_signing_profile.main[0].platform_id == "AWSLambda-SHA384-ECDSA" &&
      aws_lambda_function.main.code_signing_config_arn == aws_lambda_code_signing_config.main[0].arn &&
      aws_lambda_code_signing_config.main[0].policies[0].untrusted_artifact_on_deployment == "Enforce"
    )
    error_message = "The uploaded version of the object must be signed, and Lambda must refuse unsigned packages."
  }
}

run "a_role_a_key_and_a_log_group_of_yours_replace_the_created_ones" {
  command = plan

  variables {
    governance = {
      execution_role_arn = "arn:aws:iam::123456789012:role/services/saltern"
      kms_key_arn        = "arn:aws:kms:eu-north-1:123456789012:key/9f8e"
      log_group_name     = "/company/saltern"
    }
  }

  assert {
    condition     = length(aws_iam_role.execution) == 0 && length(aws_iam_role_policy.execution) == 0 && length(aws_kms_key.main) == 0 && length(aws_kms_alias.main) == 0 && length(aws_cloudwatch_log_group.function) == 0
    error_message = "No role, key or log group may be created."
  }

  assert {
    condition = (
      aws_lambda_function.main.role == "arn:aws:iam::123456789012:role/services/saltern" &&
      aws_lambda_function.main.kms_key_arn == "arn:aws:kms:eu-north-1:123456789012:key/9f8e" &&
      aws_lambda_function.main.logging_config[0].log_group == "/company/saltern" &&
      output.log_group_name == "/company/saltern"
    )
    error_message = "The function must have your role, key and log group."
  }

  assert {
    condition = { for statement in jsondecode(output.execution_policy_json).Statement : statement.Sid => statement.Resource if contains(["OwnLogs", "OwnEnvironmentVariables"], statement.Sid) } == {
      OwnLogs                 = "arn:aws:logs:eu-north-1:123456789012:log-group:/company/saltern:*"
      OwnEnvironmentVariables = "arn:aws:kms:eu-north-1:123456789012:key/9f8e"
    }
    error_message = "The output must be the policy that your role needs."
  }
}

run "created_roles_have_the_path_and_the_boundary_and_logs_can_outlive_the_function" {
  command = plan

  variables {
    governance = {
      kms_key_arn               = "arn:aws:kms:eu-north-1:123456789012:key/9f8e"
      logs_kept_on_destroy      = true
      role_path                 = "/services/"
      role_permissions_boundary = "arn:aws:iam::123456789012:policy/boundary"
    }
  }

  assert {
    condition     = aws_iam_role.execution[0].path == "/services/" && aws_iam_role.execution[0].permissions_boundary == "arn:aws:iam::123456789012:policy/boundary"
    error_message = "The created role must have the path and the boundary."
  }

  assert {
    condition     = aws_cloudwatch_log_group.function[0].skip_destroy && aws_cloudwatch_log_group.function[0].kms_key_id == "arn:aws:kms:eu-north-1:123456789012:key/9f8e"
    error_message = "The log group must outlive the function, under a key that does too."
  }
}
