locals {
  # Not with try(): if an ARN is known only after the apply, try() makes the names unknown too, and
  # the plan fails.
  callers = var.function_url == null ? {} : var.function_url.callers
}

resource "aws_lambda_function_url" "live" {
  count = var.function_url == null ? 0 : 1

  function_name      = aws_lambda_function.main.function_name
  qualifier          = aws_lambda_alias.live.name
  authorization_type = "AWS_IAM"
}

# A caller needs both permissions. Each is limited to calls through the Function URL.

resource "aws_lambda_permission" "url" {
  for_each = local.callers

  statement_id           = "url-${each.key}"
  action                 = "lambda:InvokeFunctionUrl"
  function_name          = aws_lambda_function.main.function_name
  qualifier              = aws_lambda_alias.live.name
  principal              = each.value
  function_url_auth_type = "AWS_IAM"
}

resource "aws_lambda_permission" "invoke_via_url" {
  for_each = local.callers

  statement_id             = "invoke-via-url-${each.key}"
  action                   = "lambda:InvokeFunction"
  function_name            = aws_lambda_function.main.function_name
  qualifier                = aws_lambda_alias.live.name
  principal                = each.value
  invoked_via_function_url = true
}
