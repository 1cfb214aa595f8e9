# A backend in a VPC without internet access. It invokes the function through the VPC's Lambda
# endpoint; there is no Function URL. The policy of the endpoint allows only this role and this
# function. The policy of the role allows only this endpoint.

module "saltern" {
  source = "../../modules/password-hasher"

  account      = var.account
  alarms       = { topic_arn = var.alarm_topic_arn }
  capacity     = { policy = "bcrypt-12", reserved_concurrency = 100 }
  name         = "saltern-example-private"
  package_file = var.package_file
}

module "caller_policy" {
  source = "../../modules/caller-policy"

  alias_arn        = module.saltern.alias_arn
  door             = "invoke"
  name             = "saltern-example-calls-privately"
  role_names       = { backend = aws_iam_role.backend.name }
  vpc_endpoint_ids = [aws_vpc_endpoint.lambda.id]
}

resource "aws_iam_role" "backend" {
  name = "saltern-example-private-backend"

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "ecs-tasks.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
}

resource "aws_vpc_endpoint" "lambda" {
  vpc_id              = var.vpc_id
  service_name        = "com.amazonaws.${var.region}.lambda"
  vpc_endpoint_type   = "Interface"
  subnet_ids          = var.subnet_ids
  security_group_ids  = [aws_security_group.endpoint.id]
  private_dns_enabled = true # the client's usual host name resolves to this endpoint

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "ThisBackendToThisFunction"
      Effect    = "Allow"
      Principal = { AWS = aws_iam_role.backend.arn }
      Action    = "lambda:InvokeFunction"
      Resource  = module.saltern.alias_arn
    }]
  })
}

resource "aws_security_group" "endpoint" {
  name        = "saltern-example-endpoint"
  description = "The Lambda endpoint, for the backend"
  vpc_id      = var.vpc_id
}

resource "aws_vpc_security_group_ingress_rule" "backend" {
  security_group_id            = aws_security_group.endpoint.id
  description                  = "HTTPS from the backend"
  referenced_security_group_id = var.backend_security_group_id
  ip_protocol                  = "tcp"
  from_port                    = 443
  to_port                      = 443
}
