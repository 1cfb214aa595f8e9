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

variable "security_group_ids" {
  description = "Security groups of the instances; they need a way out to CloudWatch and X-Ray."
  type        = list(string)
  nullable    = false
}

variable "subnet_ids" {
  description = "Subnets of the instances, in three availability zones."
  type        = list(string)
  nullable    = false
}
