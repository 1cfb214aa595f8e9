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

variable "events" {
  description = "Announced events, in UTC. See modules/password-hasher."
  type        = list(map(string))
  default     = []
  nullable    = false
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

variable "security_group_ids" {
  description = "Security groups of the instances. They must allow outgoing traffic to CloudWatch and X-Ray."
  type        = list(string)
  nullable    = false
}

variable "subnet_ids" {
  description = "Subnets of the instances, in three availability zones."
  type        = list(string)
  nullable    = false
}
