# Each switch is a variable of its own, so that a line pasted into terraform.tfvars changes nothing else.
# `null` is the value of main.tf, or the default of modules/password-hasher.

variable "accept_weak" {
  description = "The schemes of which the function verifies weak hashes too, for example `[\"ldap-sha\"]`."
  type        = list(string)
  default     = null
}

variable "account" {
  description = <<-EOT
    Facts about the AWS account. Fields that are left out are read. See modules/password-hasher. If `id` is set, the provider
    refuses credentials of another account.
  EOT
  # Not an object: Terraform drops unknown fields of an object, so a misspelt id would admit every account.
  type     = any
  default  = {}
  nullable = false

  validation {
    condition     = length(setsubtract(keys(var.account), ["concurrency", "concurrency_reserved_elsewhere", "id", "partition", "region"])) == 0
    error_message = "account has an unknown field. The fields are concurrency, concurrency_reserved_elsewhere, id, partition and region."
  }
}

variable "alarm_client_fallbacks_per_minute" {
  description = "Local hashes a minute above which `client-fallback` rings."
  type        = number
  default     = null
}

variable "alarm_concurrency_percent" {
  description = "Percentage of `reserved_concurrency` above which `concurrency` rings."
  type        = number
  default     = null
}

variable "alarm_cost_usd_per_hour" {
  description = "US dollars an hour above which `cost-per-hour` rings."
  type        = number
  default     = null
}

variable "alarm_duration_p90_milliseconds" {
  description = "Milliseconds above which `duration-p90` rings."
  type        = number
  default     = null
}

variable "alarm_errors_percent" {
  description = "Percentage of the requests above which `errors` and `url-5xx` ring."
  type        = number
  default     = null
}

variable "alarm_mismatches_percent" {
  description = "Percentage of wrong passwords above which `mismatches` rings."
  type        = number
  default     = null
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

variable "batch" {
  description = "Logins that each request carries: 1, 2, 4 or 8. The client's coalescing does not promise more than 1."
  type        = number
  default     = null
}

variable "blocklist_layer_arn" {
  description = "ARN of the layer version with a list of breached passwords (`saltern blocklist build`), as the file `breached`."
  type        = string
  default     = null
}

variable "budget_usd" {
  description = "The most that the announced events may cost, in US dollars. If they cost more, the plan fails, and warns of a running event. `null` sets no bound."
  type        = number
  default     = 1000
}

variable "callers" {
  description = "ARNs of the IAM roles that may invoke the function directly, by a name of your choice. See modules/password-hasher."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "capacity_policy" {
  description = "The policy of most stored hashes, a key of durations.json."
  type        = string
  default     = null
}

variable "ceilings" {
  description = "Lower ceilings than those of the policy document, for example `{ bcrypt_cost = 12 }`."
  type        = map(number)
  default     = null
}

variable "client_metrics_namespace" {
  description = "CloudWatch namespace of your backends' Micrometer metrics."
  type        = string
  default     = null
}

variable "distributions" {
  description = "`cloudwatch` or `printed`: where the function sends its distributions."
  type        = string
  default     = null
}

variable "distributions_seconds" {
  description = "The least number of seconds between two calls that send distributions."
  type        = number
  default     = null
}

variable "events" {
  description = "Announced events, in UTC. See modules/password-hasher."
  type        = list(map(string))
  default     = []
  nullable    = false
}

variable "firebase_project_layer_arn" {
  description = "ARN of the layer version with the encrypted parameters of a Firebase project."
  type        = string
  default     = null
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

variable "kernels" {
  description = "`lanes`, or `crates` for the reference implementations."
  type        = string
  default     = null
}

variable "milliseconds_per_request" {
  description = "The duration of a request that you have measured. It replaces that of `capacity_policy`."
  type        = number
  default     = null
}

variable "milliseconds_per_upgrade" {
  description = "The duration of a new hash that you have measured. It replaces that of `upgrade_policy`."
  type        = number
  default     = null
}

variable "package_file" {
  description = "The zip from `make package`."
  type        = string
  default     = "../../../dist/saltern-lambda-arm64.zip"
  nullable    = false
}

variable "provisioned_maximum" {
  description = "Up to this number target tracking provisions environments without an event."
  type        = number
  default     = null
}

variable "provisioned_maximum_in_events" {
  description = "Up to this number target tracking provisions environments during an event. Without it up to `reserved_concurrency`."
  type        = number
  default     = null
}

variable "provisioned_minimum" {
  description = "Environments that are always ready."
  type        = number
  default     = null
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

variable "reserved_concurrency" {
  description = "The most environments of the function. It bounds the cost. 0 stops the function."
  type        = number
  default     = null
}

variable "rollback_to_version" {
  description = "Holds the alias `live` on this version."
  type        = string
  default     = null
}

variable "runbook_url" {
  description = "Address of infra/OPERATIONS.md in your repository, with https://. The description of each alarm links to it."
  type        = string
  default     = null
}

variable "seal_key_holders" {
  description = "ARNs of the IAM roles and users that may encrypt the secrets of the function. See modules/password-hasher."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "seal_keys_layer_arn" {
  description = "ARN of the layer version with the encrypted keys of sealed hashes."
  type        = string
  default     = null
}

variable "tags" {
  description = "Tags of all resources, beside `environment` and `service`."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "upgrade_policy" {
  description = "The policy of the hash that an upgrade makes, a key of durations.json: `current` of the policy document."
  type        = string
  default     = null
}

variable "upgrades" {
  description = "Which matches that need a new hash get one: `on`, `off`, or a share such as `10%`."
  type        = string
  default     = null
}

variable "upgrades_per_second" {
  description = <<-EOT
    Logins a second in an event whose users get a new hash, which computes two hashes. At most `expected_logins_per_second`
    counts. Required with events if `capacity_policy` is not `upgrade_policy`. 0 if `upgrades` is `off`.
  EOT
  type        = number
  default     = null
}
