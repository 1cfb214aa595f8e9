variable "account" {
  description = <<-EOT
    Facts about the AWS account. Fields that are left out are read. See modules/password-hasher. If `id` is set, the provider
    refuses credentials of another account.
  EOT
  type = object({
    concurrency                    = optional(number)
    concurrency_reserved_elsewhere = optional(number, 0)
    id                             = optional(string)
    partition                      = optional(string)
    region                         = optional(string)
  })
  default  = {}
  nullable = false
}

variable "alarm_thresholds" {
  description = <<-EOT
    Replaces thresholds of the alarms: `client_fallbacks_per_minute`, `concurrency_percent`, `duration_p90_milliseconds`,
    `errors_percent` and `share_percent`, for example `{ share_percent = { mismatches = 30 } }`. See modules/password-hasher.
  EOT
  # Not an object: Terraform drops unknown fields of an object.
  type     = any
  default  = {}
  nullable = false

  validation {
    condition = length(setsubtract(keys(var.alarm_thresholds), [
      "client_fallbacks_per_minute", "concurrency_percent", "duration_p90_milliseconds", "errors_percent", "share_percent",
    ])) == 0
    error_message = "alarm_thresholds has an unknown field. The fields are client_fallbacks_per_minute, concurrency_percent, duration_p90_milliseconds, errors_percent and share_percent."
  }
}

variable "alarm_ticket_topic_arn" {
  description = "ARN of the SNS topic for alarms that can wait until the morning. Without it they go to `alarm_topic_arn`."
  type        = string
  default     = null
}

variable "alarm_topic_arn" {
  description = "ARN of the SNS topic of your on-call rota, in the region of the function."
  type        = string
  nullable    = false
}

variable "artefact_bucket" {
  description = "The bucket for packages, from bootstrap. If it is set, packages are signed and Lambda refuses unsigned ones."
  type        = string
  default     = null
}

variable "budget_usd" {
  description = "The most that the announced events may cost, in US dollars. If they cost more, the plan fails. `null` sets no bound."
  type        = number
  default     = 1000
}

variable "callers" {
  description = "ARNs of the IAM roles that may invoke the function directly, by a name of your choice. See modules/password-hasher."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "capacity" {
  description = <<-EOT
    Replaces fields of the capacity in main.tf, for example `{ reserved_concurrency = 2000 }`. The fields are those of
    `capacity` in modules/password-hasher.
  EOT
  # Not an object: Terraform drops unknown fields of an object.
  type     = map(any)
  default  = {}
  nullable = false

  validation {
    condition = length(setsubtract(keys(var.capacity), [
      "batch", "milliseconds_per_request", "policy", "provisioned_maximum", "provisioned_maximum_in_events", "provisioned_minimum", "reserved_concurrency",
    ])) == 0
    error_message = "capacity has an unknown field. The fields are batch, milliseconds_per_request, policy, provisioned_maximum, provisioned_maximum_in_events, provisioned_minimum and reserved_concurrency."
  }
}

variable "client_metrics_namespace" {
  description = "CloudWatch namespace of your backends' Micrometer metrics."
  type        = string
  default     = null
}

variable "events" {
  description = "Announced events, in UTC. See modules/password-hasher."
  type        = list(map(string))
  default     = []
  nullable    = false
}

variable "function_url_callers" {
  description = "ARNs of the IAM roles that may use the Function URL, by a name of your choice. `null` creates no URL, and `{}` one without such roles."
  type        = map(string)
  default     = null
}

variable "governance" {
  description = <<-EOT
    For accounts with rules of their own: `execution_role_arn`, `kms_key_arn`, `log_group_name`, `logs_kept_on_destroy`,
    `role_path` and `role_permissions_boundary`. See modules/password-hasher.
  EOT
  # Not an object: Terraform drops unknown fields of an object.
  type     = any
  default  = {}
  nullable = false

  validation {
    condition = length(setsubtract(keys(var.governance), [
      "execution_role_arn", "kms_key_arn", "log_group_name", "logs_kept_on_destroy", "role_path", "role_permissions_boundary",
    ])) == 0
    error_message = "governance has an unknown field. The fields are execution_role_arn, kms_key_arn, log_group_name, logs_kept_on_destroy, role_path and role_permissions_boundary."
  }
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

variable "release_during_event" {
  description = "Allows an apply that may move `live` while an event is current. See modules/password-hasher."
  type        = bool
  default     = false
  nullable    = false
}

variable "rollback_to_version" {
  description = "Holds the alias `live` on this version."
  type        = string
  default     = null
}

variable "runbook_url" {
  description = "Address of infra/OPERATIONS.md in your repository. The description of each alarm links to it."
  type        = string
  default     = "infra/OPERATIONS.md"
  nullable    = false
}

variable "seal_key_holders" {
  description = "ARNs of the IAM roles and users that may encrypt the secrets of the function. See modules/password-hasher."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "settings" {
  description = <<-EOT
    Settings of the function, for example `{ kernels = "crates" }`. The fields are those of `settings` in
    modules/password-hasher.
  EOT
  # Not an object: Terraform drops unknown fields of an object.
  type     = any
  default  = {}
  nullable = false

  validation {
    condition = length(setsubtract(keys(var.settings), [
      "accept_weak", "ceilings", "distributions", "distributions_seconds", "firebase_project", "kernels", "seal_keys",
      "upgrades",
    ])) == 0
    error_message = "settings has an unknown field. The fields are accept_weak, ceilings, distributions, distributions_seconds, firebase_project, kernels, seal_keys and upgrades."
  }
}

variable "tags" {
  description = "Tags of all resources, beside `environment` and `service`."
  type        = map(string)
  default     = {}
  nullable    = false
}
