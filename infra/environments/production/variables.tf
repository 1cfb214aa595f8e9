variable "account" {
  description = "What is known of the account; the rest is read. See modules/password-hasher."
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
  description = "SNS topic of those who are on call."
  type        = string
  nullable    = false
}

variable "artefact_bucket" {
  description = "Bucket that bootstrap made for packages. With it they are signed, and nothing else is taken."
  type        = string
  default     = null
}

variable "callers" {
  description = "IAM roles that may use the URL, by a name of yours."
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
  description = "Announced evenings, in UTC. See modules/password-hasher."
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
  description = "What `make package` made."
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
  description = "Holds `live` on this version."
  type        = string
  default     = null
}
