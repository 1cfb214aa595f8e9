# Two buckets: one for Terraform's state, one for the packages that AWS Signer reads and writes.

locals {
  # Days for which a replaced version can be restored.
  noncurrent_days = {
    artefacts = 365
    state     = 90
  }
}

resource "aws_s3_bucket" "main" {
  #checkov:skip=CKV_AWS_18:CloudTrail's data events log each access with the identity.
  #checkov:skip=CKV_AWS_144:State and packages belong to one region, like the function.
  #checkov:skip=CKV2_AWS_62:No program waits for a new state or package.
  for_each = local.noncurrent_days

  bucket = "${var.bucket_prefix}-saltern-${each.key}"

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_s3_bucket_versioning" "main" {
  for_each = local.noncurrent_days

  bucket = aws_s3_bucket.main[each.key].id

  versioning_configuration {
    status = "Enabled" # AWS Signer signs a version, and a lost state is restored from one
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "main" {
  for_each = local.noncurrent_days

  bucket = aws_s3_bucket.main[each.key].id

  rule {
    bucket_key_enabled = true

    apply_server_side_encryption_by_default {
      sse_algorithm     = "aws:kms"
      kms_master_key_id = aws_kms_key.main.arn
    }
  }
}

resource "aws_s3_bucket_ownership_controls" "main" {
  for_each = local.noncurrent_days

  bucket = aws_s3_bucket.main[each.key].id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_public_access_block" "main" {
  for_each = local.noncurrent_days

  bucket                  = aws_s3_bucket.main[each.key].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_policy" "main" {
  for_each = local.noncurrent_days

  bucket = aws_s3_bucket.main[each.key].id

  # The statement denies, so it names every principal and every action.
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "NothingWithoutTls"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [aws_s3_bucket.main[each.key].arn, "${aws_s3_bucket.main[each.key].arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
    }]
  })

  depends_on = [aws_s3_bucket_public_access_block.main]
}

resource "aws_s3_bucket_lifecycle_configuration" "main" {
  for_each = local.noncurrent_days

  bucket = aws_s3_bucket.main[each.key].id

  rule {
    id     = "old-versions"
    status = "Enabled"

    filter {}

    noncurrent_version_expiration {
      noncurrent_days = local.noncurrent_days[each.key]
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }
  }

  depends_on = [aws_s3_bucket_versioning.main]
}
