# The package is uploaded to the bucket, signed there and deployed from there. A new package has a
# new key, and the new object starts a new signing job. The same package from another path changes
# nothing.

resource "aws_signer_signing_profile" "main" {
  count = var.signing == null ? 0 : 1

  # Hyphens are not allowed. The rest of the name is random, because Signer never releases the name
  # of a cancelled profile.
  name_prefix = "${replace(substr(var.name, 0, 37), "-", "_")}_"
  platform_id = "AWSLambda-SHA384-ECDSA"
}

resource "aws_lambda_code_signing_config" "main" {
  count = var.signing == null ? 0 : 1

  description = "Packages of ${var.name}"

  allowed_publishers {
    signing_profile_version_arns = [aws_signer_signing_profile.main[0].version_arn]
  }

  policies {
    untrusted_artifact_on_deployment = "Enforce"
  }

  # Without it Terraform deletes the configuration before the function lets go of it, and Lambda
  # refuses that.
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_s3_object" "package" {
  count = var.signing == null ? 0 : 1

  bucket = var.signing.artefact_bucket
  key    = "${var.name}/unsigned-${filesha256(var.package_file)}.zip"
  source = var.package_file

  # The key changes with the content, and a replaced object is read from the new path.
  lifecycle {
    ignore_changes = [source]
  }
}

resource "aws_signer_signing_job" "package" {
  count = var.signing == null ? 0 : 1

  profile_name = aws_signer_signing_profile.main[0].name

  source {
    s3 {
      bucket  = var.signing.artefact_bucket
      key     = aws_s3_object.package[0].key
      version = aws_s3_object.package[0].version_id
    }
  }

  destination {
    s3 {
      bucket = var.signing.artefact_bucket
      prefix = "${var.name}/signed/"
    }
  }
}
