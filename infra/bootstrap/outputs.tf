output "artefact_bucket" {
  description = "Value for `artefact_bucket` of the environments: the bucket for packages."
  value       = aws_s3_bucket.main["artefacts"].bucket
}

output "backend" {
  description = "Content of the file for `terraform init -backend-config`: the bucket of the environments' state."
  value       = <<-EOT
    bucket     = "${aws_s3_bucket.main["state"].bucket}"
    region     = "${var.region}"
    kms_key_id = "${aws_kms_key.main.arn}"
  EOT
}
