# Created here, because the function has no permission to create it. The group may be yours.

locals {
  log_group_name = var.governance.log_group_name == null ? "/aws/lambda/${var.name}" : var.governance.log_group_name
  log_group_arn = (
    var.governance.log_group_name == null
    ? aws_cloudwatch_log_group.function[0].arn
    : "arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:${local.log_group_name}"
  )
}

resource "aws_cloudwatch_log_group" "function" {
  count = var.governance.log_group_name == null ? 1 : 0

  name              = local.log_group_name
  retention_in_days = var.log_retention_days
  kms_key_id        = local.kms_key_arn
  skip_destroy      = var.governance.logs_kept_on_destroy
}
