# Signing is switched off, and its configuration is replaced. The package moves to another path,
# with signing and without.

mock_provider "aws" {
  mock_resource "aws_lambda_function" {
    defaults = { version = "1" }
  }
  mock_resource "aws_signer_signing_job" {
    defaults = { signed_object = [{ s3 = [{ bucket = "artefacts", key = "saltern/signed/job.zip" }] }] }
  }
}

variables {
  account      = { concurrency = 1000, id = "123456789012", partition = "aws", region = "eu-north-1" }
  alarms       = { topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call" }
  capacity     = { policy = "bcrypt-11", reserved_concurrency = 900 }
  name         = "saltern"
  package_file = "tests/saltern-lambda-arm64.zip"
  signing      = { artefact_bucket = "artefacts" }
}

run "made" {}

run "moved" {
  command = plan

  variables {
    package_file = "known/saltern-lambda-arm64.zip"
  }
}

run "replaced" {
  command = plan

  plan_options {
    replace = [aws_lambda_code_signing_config.main[0]]
  }
}

run "off" {
  command = plan

  variables {
    signing = null
  }
}

run "unsigned" {
  variables {
    signing = null
  }
}

run "unsigned_moved" {
  command = plan

  variables {
    package_file = "known/saltern-lambda-arm64.zip"
    signing      = null
  }

  assert {
    condition     = aws_lambda_function.main.filename == "tests/saltern-lambda-arm64.zip"
    error_message = "The path at which the state first saw the hash must stay."
  }
}

run "unsigned_released" {
  command = plan

  variables {
    package_file = "known/released.zip"
    signing      = null
  }

  assert {
    condition     = aws_lambda_function.main.filename == "known/released.zip"
    error_message = "A package with another hash must be read from its own path."
  }
}

# The remedy of infra/OPERATIONS.md.
run "unsigned_read_anew" {
  command = plan

  variables {
    package_file = "known/saltern-lambda-arm64.zip"
    signing      = null
  }

  plan_options {
    replace = [terraform_data.package[0]]
  }

  assert {
    condition     = aws_lambda_function.main.filename == "known/saltern-lambda-arm64.zip"
    error_message = "After the remedy the package must be read from its present path."
  }
}
