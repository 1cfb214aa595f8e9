# The function on EC2 instances that Lambda manages in your VPC. Each environment takes many
# requests at once.

locals {
  # During a release the old version and the new one both have environments.
  versions_at_once = 2

  # The maximum of a capacity provider (Lambda API, CapacityProviderScalingConfig).
  maximum_vcpus = 15000

  memory_gib_per_vcpu   = 2
  memory_mib_per_vcpu   = local.memory_gib_per_vcpu * 1024
  vcpus_per_environment = try(var.managed_instances.memory_size_mb, 0) / local.memory_mib_per_vcpu
}

resource "aws_lambda_capacity_provider" "main" {
  count = local.managed ? 1 : 0

  name = var.name

  vpc_config {
    subnet_ids         = var.managed_instances.subnet_ids
    security_group_ids = var.managed_instances.security_group_ids
  }

  permissions_config {
    capacity_provider_operator_role_arn = aws_iam_role.operator[0].arn
  }

  instance_requirements = [{
    architectures           = [var.architecture]
    allowed_instance_types  = var.managed_instances.allowed_instance_types
    excluded_instance_types = null
  }]

  capacity_provider_scaling_config = [{
    max_vcpu_count   = max(2, local.versions_at_once * var.managed_instances.maximum_environments * local.vcpus_per_environment)
    scaling_mode     = "Auto"
    scaling_policies = null
  }]

  depends_on = [aws_iam_role_policy_attachment.operator]
}

# The role with which Lambda starts and stops instances. AWS maintains its policy.
resource "aws_iam_role" "operator" {
  count = local.managed ? 1 : 0

  name                 = "${var.name}-operator"
  description          = "Lets Lambda run the instances of ${var.name}"
  path                 = var.governance.role_path
  permissions_boundary = var.governance.role_permissions_boundary

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "Lambda"
      Effect    = "Allow"
      Principal = { Service = "lambda.amazonaws.com" }
      Action    = "sts:AssumeRole"
      Condition = { StringEquals = { "aws:SourceAccount" = local.account_id } }
    }]
  })
}

resource "aws_iam_role_policy_attachment" "operator" {
  count = local.managed ? 1 : 0

  role       = aws_iam_role.operator[0].name
  policy_arn = "arn:${local.partition}:iam::aws:policy/AWSLambdaManagedEC2ResourceOperator"
}

# Scales the live version, because Lambda accepts no alias here. A new version gets its environments
# before `live` moves to it. The previous version falls back to Lambda's default bounds and keeps
# instances until you scale it to zero (infra/OPERATIONS.md).
resource "aws_lambda_function_scaling_config" "live" {
  count = local.managed ? 1 : 0

  function_name = aws_lambda_function.main.function_name
  qualifier     = local.live_version

  function_scaling_config {
    min_execution_environments = local.minimum_at.now
    max_execution_environments = var.managed_instances.maximum_environments
  }

  lifecycle {
    create_before_destroy = true
  }
}

# Application Auto Scaling does not support Managed Instances, so EventBridge Scheduler calls
# Lambda's API.

resource "aws_scheduler_schedule_group" "events" {
  count = local.managed ? 1 : 0

  name = var.name
}

resource "aws_scheduler_schedule" "event" {
  #checkov:skip=CKV_AWS_297:The schedule holds no secret, only names and numbers.
  for_each = local.managed ? local.changes : {}

  name                         = each.key
  group_name                   = aws_scheduler_schedule_group.events[0].name
  schedule_expression          = "at(${formatdate("YYYY-MM-DD'T'hh:mm:ss", each.value)})"
  schedule_expression_timezone = "UTC"

  flexible_time_window {
    mode = "OFF"
  }

  target {
    arn      = "arn:${local.partition}:scheduler:::aws-sdk:lambda:putFunctionScalingConfig"
    role_arn = aws_iam_role.scheduler[0].arn

    input = jsonencode({
      FunctionName = aws_lambda_function.main.function_name
      Qualifier    = local.live_version
      FunctionScalingConfig = {
        MinExecutionEnvironments = local.minimum_at[each.key]
        MaxExecutionEnvironments = var.managed_instances.maximum_environments
      }
    })
  }
}

resource "aws_iam_role" "scheduler" {
  count = local.managed ? 1 : 0

  name                 = "${var.name}-scheduler"
  description          = "Lets EventBridge Scheduler scale ${var.name} for events"
  path                 = var.governance.role_path
  permissions_boundary = var.governance.role_permissions_boundary

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "Scheduler"
      Effect    = "Allow"
      Principal = { Service = "scheduler.amazonaws.com" }
      Action    = "sts:AssumeRole"
      Condition = { StringEquals = { "aws:SourceAccount" = local.account_id } }
    }]
  })
}

resource "aws_iam_role_policy" "scheduler" {
  count = local.managed ? 1 : 0

  name = "scale"
  role = aws_iam_role.scheduler[0].id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid    = "ScaleThisFunction"
      Effect = "Allow"
      Action = "lambda:PutFunctionScalingConfig"
      Resource = [
        aws_lambda_function.main.arn,
        "${aws_lambda_function.main.arn}:*", # its versions
      ]
    }]
  })
}
