variable "account_id" {
  description = "The id of the AWS account, 12 digits."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[0-9]{12}$", var.account_id))
    error_message = <<-EOT
      account_id must be the 12 digits of the account. This command prints them:
        aws sts get-caller-identity
    EOT
  }
}

variable "bucket_prefix" {
  description = "Prefix of the buckets' names, for example your organisation. Names of buckets are unique among all AWS accounts."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9-]{1,39}$", var.bucket_prefix))
    error_message = "bucket_prefix must have 2 to 40 lower-case letters, digits and hyphens."
  }
}

variable "partition" {
  description = "`aws`, `aws-cn` or `aws-us-gov`."
  type        = string
  default     = "aws"
  nullable    = false
}

variable "region" {
  description = "The region of the buckets and of the functions that are deployed from them."
  type        = string
  nullable    = false
}

variable "tags" {
  description = "Tags of all resources, beside `service`."
  type        = map(string)
  default     = {}
  nullable    = false
}
