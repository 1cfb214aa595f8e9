mock_provider "aws" {
  mock_resource "aws_kms_key" {
    defaults = { arn = "arn:aws:kms:eu-north-1:123456789012:key/1a2b" }
  }
}

# The runs only plan, because prevent_destroy would stop the end of a test that applies.

variables {
  account_id    = "123456789012"
  bucket_prefix = "example"
  region        = "eu-north-1"
}

run "both_buckets_are_private_versioned_and_encrypted" {
  command = plan

  assert {
    condition     = { for name, bucket in aws_s3_bucket.main : name => bucket.bucket } == { artefacts = "example-saltern-artefacts", state = "example-saltern-state" }
    error_message = "There must be one bucket for state and one for packages."
  }

  assert {
    condition = alltrue([
      for name in ["artefacts", "state"] :
      aws_s3_bucket_versioning.main[name].versioning_configuration[0].status == "Enabled" &&
      one(one(aws_s3_bucket_server_side_encryption_configuration.main[name].rule).apply_server_side_encryption_by_default).sse_algorithm == "aws:kms" &&
      aws_s3_bucket_ownership_controls.main[name].rule[0].object_ownership == "BucketOwnerEnforced" &&
      aws_s3_bucket_public_access_block.main[name].block_public_acls &&
      aws_s3_bucket_public_access_block.main[name].block_public_policy &&
      aws_s3_bucket_public_access_block.main[name].ignore_public_acls &&
      aws_s3_bucket_public_access_block.main[name].restrict_public_buckets
    ])
    error_message = "Both buckets must be versioned, encrypted with the key, and private."
  }
}

run "an_account_id_that_is_not_12_digits_is_refused" {
  command = plan

  variables {
    account_id = "production"
  }

  expect_failures = [var.account_id]
}

run "a_bucket_prefix_that_s3_does_not_allow_is_refused" {
  command = plan

  variables {
    bucket_prefix = "Example_"
  }

  expect_failures = [var.bucket_prefix]
}
