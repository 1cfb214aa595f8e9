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

variable "backend_security_group_id" {
  description = "Security group of the backend's tasks."
  type        = string
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

variable "subnet_ids" {
  description = "Subnets of the endpoint: one in each availability zone where the backend runs."
  type        = list(string)
  nullable    = false
}

variable "vpc_id" {
  description = "VPC of the backend."
  type        = string
  nullable    = false
}
