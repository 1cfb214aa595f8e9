# With the override for taking bootstrap down: what this makes is destroyed when it ends, which the buckets else refuse.

mock_provider "aws" {
  mock_resource "aws_kms_key" {
    defaults = { arn = "arn:aws:kms:eu-north-1:123456789012:key/1a2b" }
  }
}

variables {
  account_id    = "123456789012"
  bucket_prefix = "example"
  region        = "eu-north-1"
}

run "made" {
  assert {
    condition     = alltrue([for bucket in aws_s3_bucket.main : bucket.force_destroy])
    error_message = "The buckets empty themselves."
  }
}
