variable "account" {
  description = "Facts about the AWS account. Fields that are left out are read. See modules/password-hasher."
  type = object({
    concurrency = optional(number)
    id          = optional(string)
    partition   = optional(string)
    region      = optional(string)
  })
  default  = {}
  nullable = false
}

variable "alarm_topic_arn" {
  description = "ARN of the SNS topic of your on-call rota."
  type        = string
  nullable    = false
}

variable "artefact_bucket" {
  description = "The bucket for packages, from bootstrap. If it is set, packages are signed and Lambda refuses unsigned ones."
  type        = string
  default     = null
}

variable "callers" {
  description = "ARNs of the IAM roles that may use the URL, by a name of your choice."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "client_metrics_namespace" {
  description = "CloudWatch namespace of your backends' Micrometer metrics."
  type        = string
  default     = null
}

variable "events" {
  description = "Announced events, in UTC. See modules/password-hasher."
  type = list(object({
    name                       = string
    starts_at                  = string
    ends_at                    = string
    expected_logins_per_second = number
  }))
  default  = []
  nullable = false
}

variable "package_file" {
  description = "The zip from `make package`."
  type        = string
  default     = "../../../dist/saltern-lambda-arm64.zip"
  nullable    = false
}

variable "region" {
  description = "Region of the function."
  type        = string
  nullable    = false
}

variable "rollback_to_version" {
  description = "Holds the alias `live` on this version."
  type        = string
  default     = null
}
