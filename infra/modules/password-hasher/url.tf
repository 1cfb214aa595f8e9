locals {
  # Not with try(): if an ARN is known only after the apply, try() makes the names unknown too, and
  # the plan fails.
  url_callers = var.function_url == null ? {} : var.function_url.callers
}

resource "aws_lambda_function_url" "live" {
  count = var.function_url == null ? 0 : 1

  function_name      = aws_lambda_function.main.function_name
  qualifier          = aws_lambda_alias.live.name
  authorization_type = "AWS_IAM"
}

# Roles that invoke the function directly. A role of this account needs no permission here if its
# own policy allows the call (modules/caller-policy). A role of another account needs both.
#
# A changed role under the same name is refused for a moment, between the removal of its old
# permission and the new one. A role under a new name is not. The permissions cannot be created
# before the old ones are destroyed: Terraform would treat the execution role so too, and its name
# is unique.
resource "aws_lambda_permission" "invoke" {
  for_each = var.callers

  statement_id  = "invoke-${each.key}"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.main.function_name
  qualifier     = aws_lambda_alias.live.name
  principal     = each.value
}

# A caller of the URL needs both permissions. Each is limited to calls through the Function URL.

resource "aws_lambda_permission" "url" {
  for_each = local.url_callers

  statement_id           = "url-${each.key}"
  action                 = "lambda:InvokeFunctionUrl"
  function_name          = aws_lambda_function.main.function_name
  qualifier              = aws_lambda_alias.live.name
  principal              = each.value
  function_url_auth_type = "AWS_IAM"
}

resource "aws_lambda_permission" "invoke_via_url" {
  for_each = local.url_callers

  statement_id             = "invoke-via-url-${each.key}"
  action                   = "lambda:InvokeFunction"
  function_name            = aws_lambda_function.main.function_name
  qualifier                = aws_lambda_alias.live.name
  principal                = each.value
  invoked_via_function_url = true
}
