locals {
  metrics = jsondecode(file("${path.module}/metrics.json"))
}

# The role of the function. It may be yours: then it needs the policy of the output
# execution_policy_json.
resource "aws_iam_role" "execution" {
  count = var.governance.execution_role_arn == null ? 1 : 0

  name                 = "${var.name}-execution"
  description          = "Lets the function ${var.name} write its logs, traces and metrics"
  path                 = var.governance.role_path
  permissions_boundary = var.governance.role_permissions_boundary

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "Lambda"
      Effect    = "Allow"
      Principal = { Service = "lambda.amazonaws.com" }
      Action    = "sts:AssumeRole"
      # AWS documents no value of aws:SourceArn for the start of a function, and a wrong one would
      # refuse every start. Below, OnlyInThisFunction binds what is secret to the function.
      Condition = { StringEquals = { "aws:SourceAccount" = local.account_id } }
    }]
  })
}

resource "aws_iam_role_policy" "execution" {
  count = var.governance.execution_role_arn == null ? 1 : 0

  name   = "execution"
  role   = aws_iam_role.execution[0].id
  policy = local.execution_policy
}

locals {
  # By its parts, because the function waits for its role.
  function_arn       = "arn:${local.partition}:lambda:${local.region}:${local.account_id}:function:${var.name}"
  execution_role_arn = var.governance.execution_role_arn == null ? aws_iam_role.execution[0].arn : var.governance.execution_role_arn

  execution_policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat([
      {
        Sid      = "OwnLogs"
        Effect   = "Allow"
        Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
        Resource = "${local.log_group_arn}:*" # its streams
      },
      {
        # These two actions support no resource.
        Sid      = "Traces"
        Effect   = "Allow"
        Action   = ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]
        Resource = "*"
      },
      {
        # This action supports no resource. The condition limits it to one namespace.
        Sid       = "OwnMetrics"
        Effect    = "Allow"
        Action    = "cloudwatch:PutMetricData"
        Resource  = "*"
        Condition = { StringEquals = { "cloudwatch:namespace" = local.metrics.namespace } }
      },
      {
        # The log group has the same key. Lambda names the function in the encryption context.
        Sid       = "OwnEnvironmentVariables"
        Effect    = "Allow"
        Action    = "kms:Decrypt"
        Resource  = local.kms_key_arn
        Condition = { ArnLike = { "kms:EncryptionContext:aws:lambda:FunctionArn" = [local.function_arn, "${local.function_arn}:*"] } }
      },
      ], [
      for key in aws_kms_key.secrets : {
        # Whoever may pass this role to another function decrypts nothing there. AWS evaluates this
        # condition in policies of a role, and not in the policy of a key.
        Sid       = "OnlyInThisFunction"
        Effect    = "Deny"
        Action    = "kms:Decrypt"
        Resource  = key.arn
        Condition = { ArnNotEquals = { "lambda:SourceFunctionArn" = local.function_arn } }
      }
    ])
  })
}
