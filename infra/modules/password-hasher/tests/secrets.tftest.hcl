# The secrets of the function, and the key that decrypts them.

mock_provider "aws" {
  override_during = plan

  mock_resource "aws_cloudwatch_log_group" {
    defaults = { arn = "arn:aws:logs:eu-north-1:123456789012:log-group:/aws/lambda/saltern" }
  }
  mock_resource "aws_iam_role" {
    defaults = { arn = "arn:aws:iam::123456789012:role/saltern-execution" }
  }
  mock_resource "aws_kms_key" {
    defaults = { arn = "arn:aws:kms:eu-north-1:123456789012:key/1a2b" }
  }
}

variables {
  account          = { concurrency = 3000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms           = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity         = { policy = "bcrypt-11", reserved_concurrency = 1000 }
  name             = "saltern"
  package_file     = "tests/saltern-lambda-arm64.zip"
  seal_key_holders = ["arn:aws:iam::123456789012:role/security"]

  settings = {
    firebase_project = { layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets:3" }
    seal_keys        = { layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets:3" }
  }
}

run "one_layer_may_hold_both_secrets_and_variables_name_their_files" {
  command = plan

  assert {
    condition = (
      aws_lambda_function.main.layers == tolist(["arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets:3"]) &&
      aws_lambda_function.main.environment[0].variables["SALTERN_FIREBASE_PROJECT"] == "/opt/firebase-project.kms" &&
      aws_lambda_function.main.environment[0].variables["SALTERN_SEAL_KEYS"] == "/opt/seal-keys.kms"
    )
    error_message = "The function must have the layer once, and a variable must name each file in it."
  }
}

run "a_block_list_has_a_layer_and_needs_no_key" {
  command = plan

  variables {
    seal_key_holders = []
    settings         = { blocklist = { layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:breached:7" } }
  }

  assert {
    condition = (
      aws_lambda_function.main.layers == tolist(["arn:aws:lambda:eu-north-1:123456789012:layer:breached:7"]) &&
      aws_lambda_function.main.environment[0].variables["SALTERN_BLOCKLIST"] == "/opt/breached"
    )
    error_message = "The function must have the layer of the block list, and know its file."
  }
}

run "only_the_function_decrypts_to_serve_and_only_holders_encrypt" {
  command = plan

  assert {
    condition = {
      for statement in jsondecode(aws_kms_key.secrets[0].policy).Statement :
      statement.Sid => [statement.Principal.AWS, statement.Action, statement.Condition.StringEquals] if statement.Sid != "AdministrationByIamOfThisAccount"
      } == {
      TheFunctionDecrypts = [
        "arn:aws:iam::123456789012:role/saltern-execution",
        "kms:Decrypt",
        { "kms:EncryptionContext:function" = "saltern", "kms:EncryptionContext:purpose" = "serve" },
      ]
      HoldersEncrypt = [
        ["arn:aws:iam::123456789012:role/security"],
        "kms:Encrypt",
        { "kms:EncryptionContext:function" = "saltern", "kms:EncryptionContext:purpose" = ["offline", "serve"] },
      ]
      HoldersDecryptTheirCopy = [
        ["arn:aws:iam::123456789012:role/security"],
        "kms:Decrypt",
        { "kms:EncryptionContext:function" = "saltern", "kms:EncryptionContext:purpose" = "offline" },
      ]
    }
    error_message = "The function may decrypt to serve, and the holders may encrypt, and decrypt their own copies."
  }

  assert {
    condition = alltrue([
      for action in jsondecode(aws_kms_key.secrets[0].policy).Statement[0].Action :
      !strcontains(action, "*") && !contains(["kms:CreateGrant", "kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom"], action)
    ])
    error_message = "IAM of the account may administer the key, and must not be able to allow its use."
  }

  assert {
    condition     = aws_kms_key.secrets[0].enable_key_rotation && output.secrets_key_arn == "arn:aws:kms:eu-north-1:123456789012:key/1a2b"
    error_message = "The key must be rotated, and its ARN must be an output."
  }
}

run "the_role_decrypts_secrets_in_this_function_alone_and_its_policy_allows_no_use_of_their_key" {
  command = plan

  variables {
    governance = { kms_key_arn = "arn:aws:kms:eu-north-1:123456789012:key/9f8e" }
  }

  assert {
    condition     = !contains([for statement in jsondecode(output.execution_policy_json).Statement : statement.Resource if statement.Effect == "Allow"], "arn:aws:kms:eu-north-1:123456789012:key/1a2b")
    error_message = "The policy of the key alone must admit the role: then the role decrypts nothing under the key of another account."
  }

  assert {
    condition = [for statement in jsondecode(output.execution_policy_json).Statement : [statement.Action, statement.Resource, statement.Condition] if statement.Effect == "Deny"] == [
      ["kms:Decrypt", "arn:aws:kms:eu-north-1:123456789012:key/1a2b", { ArnNotEquals = { "lambda:SourceFunctionArn" = "arn:aws:lambda:eu-north-1:123456789012:function:saltern" } }]
    ]
    error_message = "Another function with the role must not decrypt."
  }
}

run "another_decryption_and_a_change_of_the_key_reach_the_topic" {
  command = plan

  assert {
    condition = { for name, rule in aws_cloudwatch_event_rule.secrets : name => [rule.state, jsondecode(rule.event_pattern).detail.resources.ARN] } == {
      for name in ["secrets-key-changed", "secrets-key-used"] : name => [
        "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS", ["arn:aws:kms:eu-north-1:123456789012:key/1a2b", "arn:aws:kms:eu-north-1:123456789012:alias/saltern-secrets"],
      ]
    }
    error_message = "Both rules must see every call of the key, also those that change nothing."
  }

  assert {
    condition = alltrue([
      for name, target in aws_cloudwatch_event_target.secrets :
      target.arn == "arn:aws:sns:eu-north-1:123456789012:on-call" &&
      can(regex("^saltern-${name}: .* Runbook: infra/OPERATIONS\\.md, section ${name}$", jsondecode(target.input_transformer[0].input_template)))
    ])
    error_message = "The topic must get one sentence with the name of the section in the runbook."
  }
}

run "a_key_that_would_seal_too_much_in_a_year_raises_an_alarm" {
  command = plan

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.main["seals"].threshold == 2147483648 &&
      one([for query in aws_cloudwatch_metric_alarm.main["seals"].metric_query : query.expression if query.return_data == true]) == "365 * counted" &&
      one(flatten([for query in aws_cloudwatch_metric_alarm.main["seals"].metric_query : [for metric in query.metric : metric.period]])) == 86400
    )
    error_message = "365 times the seals of a day must stay below half of what one key may seal."
  }
}

run "without_holders_nothing_of_the_key_exists" {
  command = plan

  variables {
    seal_key_holders = []
    settings         = {}
  }

  assert {
    condition     = length(aws_kms_key.secrets) == 0 && length(aws_kms_alias.secrets) == 0 && length(aws_cloudwatch_event_rule.secrets) == 0 && aws_lambda_function.main.layers == null && !contains(keys(aws_cloudwatch_metric_alarm.main), "seals")
    error_message = "Without holders there must be no key, no rule and no layer."
  }
}

run "a_secret_without_a_holder_is_refused" {
  command = plan

  variables {
    seal_key_holders = []
  }

  expect_failures = [aws_lambda_function.main]
}
