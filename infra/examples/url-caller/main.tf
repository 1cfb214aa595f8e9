# A backend on ECS that calls the Function URL and signs each request. Its role and the function are
# in one account, so the policy of the role is enough. A role in another account must also be in
# function_url.callers.

module "saltern" {
  source = "../../modules/password-hasher"

  account      = var.account
  alarms       = { topic_arn = var.alarm_topic_arn }
  capacity     = { policy = "bcrypt-12", reserved_concurrency = 100 }
  function_url = {}
  name         = "saltern-example-url"
  package_file = var.package_file
}

resource "aws_iam_role" "backend" {
  name = "saltern-example-backend"

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "ecs-tasks.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
}

module "caller_policy" {
  source = "../../modules/caller-policy"

  alias_arn  = module.saltern.alias_arn
  door       = "url"
  name       = "saltern-example-calls-url"
  role_names = { backend = aws_iam_role.backend.name }
}
