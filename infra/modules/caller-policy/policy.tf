locals {
  _url = [
    {
      Sid       = "Url"
      Effect    = "Allow"
      Action    = "lambda:InvokeFunctionUrl"
      Resource  = var.alias_arn
      Condition = { StringEquals = { "lambda:FunctionUrlAuthType" = "AWS_IAM" } }
    },
    {
      # Required too. It allows calls through the URL only.
      Sid       = "InvokeThroughUrl"
      Effect    = "Allow"
      Action    = "lambda:InvokeFunction"
      Resource  = var.alias_arn
      Condition = { Bool = { "lambda:InvokedViaFunctionUrl" = "true" } }
    },
  ]

  _invoke = [
    merge(
      {
        Sid      = "Invoke"
        Effect   = "Allow"
        Action   = "lambda:InvokeFunction"
        Resource = var.alias_arn
      },
      length(var.vpc_endpoint_ids) == 0 ? {} : {
        Condition = { StringEquals = { "aws:SourceVpce" = var.vpc_endpoint_ids } }
      },
    ),
  ]

  policy_json = var.door == "url" ? jsonencode({ Version = "2012-10-17", Statement = local._url }) : jsonencode({ Version = "2012-10-17", Statement = local._invoke })
}

resource "aws_iam_policy" "main" {
  name        = var.name
  description = "Calls Saltern by ${var.door == "url" ? "its Function URL" : "direct Invoke"}"
  policy      = local.policy_json
}

resource "aws_iam_role_policy_attachment" "main" {
  for_each = var.role_names

  role       = each.value
  policy_arn = aws_iam_policy.main.arn
}
