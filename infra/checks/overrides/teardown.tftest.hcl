# With the override for the removal of bootstrap, the end of this test destroys the buckets.
# Otherwise they refuse that.

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

run "the_buckets_can_be_destroyed" {
  assert {
    condition     = alltrue([for bucket in aws_s3_bucket.main : bucket.force_destroy])
    error_message = "The buckets must be deleted with their content."
  }
}
