resource "aws_kms_key" "main" {
  description             = "State and packages of Saltern"
  enable_key_rotation     = true
  deletion_window_in_days = 30

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      # The default of AWS: IAM policies of this account grant the use of the key. In the policy of
      # a key, "*" is this key.
      Sid       = "IamOfThisAccount"
      Effect    = "Allow"
      Principal = { AWS = "arn:${var.partition}:iam::${var.account_id}:root" }
      Action    = "kms:*"
      Resource  = "*"
    }]
  })
}

resource "aws_kms_alias" "main" {
  name          = "alias/saltern-bootstrap"
  target_key_id = aws_kms_key.main.key_id
}
