# The secrets of the function: the keys of sealed hashes, and the parameters of a Firebase project.
# They are in layers, encrypted by this key. Terraform knows the ARN of a layer, and no secret.

locals {
  has_secrets_key = length(var.seal_key_holders) > 0

  # The settings that name an encrypted file, by the variable of the function.
  secrets = {
    for variable, secret in {
      SALTERN_FIREBASE_PROJECT = var.settings.firebase_project
      SALTERN_SEAL_KEYS        = var.settings.seal_keys
    } : variable => secret if secret != null
  }

  # The settings that name a file in a layer.
  layered = merge(local.secrets, var.settings.blocklist == null ? {} : { SALTERN_BLOCKLIST = var.settings.blocklist })

  # The calls that an operator must see, each under the name of its section in infra/OPERATIONS.md.
  key_events = {
    secrets-key-changed = {
      description = "A call that changes who may use the key of the secrets, ends its use, or moves its alias."
      # A holder encrypts by the alias. Under the key of somebody else the secrets would be theirs.
      calls = [
        "CreateGrant", "DeleteAlias", "DisableKey", "DisableKeyRotation", "PutKeyPolicy", "RetireGrant", "RevokeGrant", "ScheduleKeyDeletion", "UpdateAlias",
      ]
      by = {}
    }
    secrets-key-used = {
      description = "A decryption that is not the function's: by a holder of the keys, or refused."
      calls       = ["Decrypt", "ReEncrypt"]
      # Lambda names the session of a role after the function. Another function with the role has
      # another name, and its call is refused.
      by = { "$or" = [
        { userIdentity = { arn = [{ anything-but = ["arn:${local.partition}:sts::${local.account_id}:assumed-role/${reverse(split("/", local.execution_role_arn))[0]}/${var.name}"] }, { exists = false }] } },
        { errorCode = [{ exists = true }] },
      ] }
    }
  }
}

resource "aws_kms_key" "secrets" {
  count = local.has_secrets_key ? 1 : 0

  description             = "Seal keys and Firebase parameters of ${var.name}"
  enable_key_rotation     = true
  deletion_window_in_days = 30

  # In the policy of a key, the resource "*" is this key. No IAM policy can allow a decryption: only
  # the principals here can.
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        # Without this statement the key could never be changed again.
        Sid       = "AdministrationByIamOfThisAccount"
        Effect    = "Allow"
        Principal = { AWS = "arn:${local.partition}:iam::${local.account_id}:root" }
        Action = [
          "kms:CancelKeyDeletion",
          "kms:CreateAlias",
          "kms:DeleteAlias",
          "kms:DescribeKey",
          "kms:DisableKey",
          "kms:EnableKey",
          "kms:EnableKeyRotation",
          "kms:GetKeyPolicy",
          "kms:GetKeyRotationStatus",
          "kms:ListGrants",
          "kms:ListKeyPolicies",
          "kms:ListResourceTags",
          "kms:PutKeyPolicy",
          "kms:RevokeGrant",
          "kms:ScheduleKeyDeletion",
          "kms:TagResource",
          "kms:UntagResource",
          "kms:UpdateAlias",
          "kms:UpdateKeyDescription",
        ]
        Resource = "*"
      },
      {
        Sid       = "TheFunctionDecrypts"
        Effect    = "Allow"
        Principal = { AWS = local.execution_role_arn }
        Action    = "kms:Decrypt"
        Resource  = "*"
        Condition = {
          StringEquals = { "kms:EncryptionContext:function" = var.name, "kms:EncryptionContext:purpose" = "serve" }
        }
      },
      {
        Sid       = "HoldersEncrypt"
        Effect    = "Allow"
        Principal = { AWS = var.seal_key_holders }
        Action    = "kms:Encrypt"
        Resource  = "*"
        Condition = {
          StringEquals = { "kms:EncryptionContext:function" = var.name, "kms:EncryptionContext:purpose" = ["offline", "serve"] }
        }
      },
      {
        Sid       = "HoldersDecryptTheirCopy"
        Effect    = "Allow"
        Principal = { AWS = var.seal_key_holders }
        Action    = "kms:Decrypt"
        Resource  = "*"
        Condition = {
          StringEquals = { "kms:EncryptionContext:function" = var.name, "kms:EncryptionContext:purpose" = "offline" }
        }
      },
    ]
  })
}

resource "aws_kms_alias" "secrets" {
  count = local.has_secrets_key ? 1 : 0

  name          = "alias/${var.name}-secrets"
  target_key_id = aws_kms_key.secrets[0].key_id
}

# CloudTrail sends each call of the key to EventBridge, and EventBridge sends these to the topic. A
# single call matters, and CloudWatch's metrics of EventBridge may lack it.
resource "aws_cloudwatch_event_rule" "secrets" {
  for_each = { for name, event in local.key_events : name => event if local.has_secrets_key }

  name        = "${var.name}-${each.key}"
  description = each.value.description

  # Decrypt changes nothing, and a rule that is only ENABLED gets no such call.
  state = "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"

  event_pattern = jsonencode({
    source      = ["aws.kms"]
    detail-type = ["AWS API Call via CloudTrail"]
    detail = merge(
      {
        eventSource = ["kms.amazonaws.com"]
        eventName   = each.value.calls
        # A call that moves the alias names the alias and the other key.
        resources = { ARN = [aws_kms_key.secrets[0].arn, "arn:${local.partition}:kms:${local.region}:${local.account_id}:alias/${var.name}-secrets"] }
      },
      each.value.by,
    )
  })
}

resource "aws_cloudwatch_event_target" "secrets" {
  for_each = aws_cloudwatch_event_rule.secrets

  rule      = each.value.name
  target_id = "topic"
  arn       = local.topic_arns.page

  input_transformer {
    input_paths = {
      address = "$.detail.sourceIPAddress"
      call    = "$.detail.eventName"
      error   = "$.detail.errorCode"
      time    = "$.detail.eventTime"
      who     = "$.detail.userIdentity.arn"
    }
    input_template = "\"${var.name}-${each.key}: <call> by <who> from <address> at <time>, error: <error>. ${each.value.description} Runbook: ${local.runbook}${each.key}\""
  }
}
