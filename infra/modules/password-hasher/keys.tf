# One key encrypts the log lines and the function's environment variables. It may be yours.

locals {
  kms_key_arn = var.governance.kms_key_arn == null ? aws_kms_key.main[0].arn : var.governance.kms_key_arn
}

resource "aws_kms_key" "main" {
  count = var.governance.kms_key_arn == null ? 1 : 0

  description             = "Logs and environment variables of ${var.name}"
  enable_key_rotation     = true
  deletion_window_in_days = 30

  # In the policy of a key, the resource "*" is this key.
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        # The default of AWS. IAM policies of this account can then grant the use of the key.
        # Without this statement the key could never be changed again. Lambda needs it too, for its
        # grant on the environment variables.
        Sid       = "IamOfThisAccount"
        Effect    = "Allow"
        Principal = { AWS = "arn:${local.partition}:iam::${local.account_id}:root" }
        Action    = "kms:*"
        Resource  = "*"
      },
      {
        Sid       = "CloudWatchLogsForOneLogGroup"
        Effect    = "Allow"
        Principal = { Service = "logs.${local.region}.${local._dns_suffix}" }
        Action = [
          "kms:Decrypt",
          "kms:DescribeKey",
          "kms:Encrypt",
          "kms:GenerateDataKey",
          "kms:GenerateDataKeyWithoutPlaintext",
          "kms:ReEncryptFrom",
          "kms:ReEncryptTo",
        ]
        Resource = "*"
        Condition = {
          ArnEquals = {
            "kms:EncryptionContext:aws:logs:arn" = "arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:${local.log_group_name}"
          }
        }
      },
    ]
  })
}

resource "aws_kms_alias" "main" {
  count = var.governance.kms_key_arn == null ? 1 : 0

  name          = "alias/${var.name}"
  target_key_id = aws_kms_key.main[0].key_id
}
