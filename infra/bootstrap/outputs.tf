output "artefact_bucket" {
  description = "For `signing.artefact_bucket`."
  value       = aws_s3_bucket.main["artefacts"].bucket
}

output "backend" {
  description = "For `terraform init -backend-config`: where the environments keep their state."
  value       = <<-EOT
    bucket     = "${aws_s3_bucket.main["state"].bucket}"
    region     = "${var.region}"
    kms_key_id = "${aws_kms_key.main.arn}"
  EOT
}
