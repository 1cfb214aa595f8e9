variable "account_concurrency" {
  description = "Concurrency of the account in this region."
  type        = number
  nullable    = false
}

variable "batch" {
  description = "Logins in one request."
  type        = number
  nullable    = false

  validation {
    condition     = var.batch >= 1 && floor(var.batch) == var.batch
    error_message = "batch must be a whole number, at least 1: the logins in one request."
  }
}

variable "logins_per_second" {
  description = "Logins per second."
  type        = number
  nullable    = false

  validation {
    condition     = var.logins_per_second >= 0 && floor(var.logins_per_second) == var.logins_per_second
    error_message = "logins_per_second must be a whole number, at least 0."
  }
}

variable "milliseconds_per_request" {
  description = "Milliseconds that one request keeps an environment busy."
  type        = number
  nullable    = false

  validation {
    condition     = var.milliseconds_per_request >= 1 && floor(var.milliseconds_per_request) == var.milliseconds_per_request
    error_message = "milliseconds_per_request must be a whole number, at least 1: round a measurement up."
  }
}

variable "milliseconds_per_upgrade" {
  description = "Milliseconds that the new hashes of one request keep its environment busy."
  type        = number
  default     = 0
  nullable    = false
}

variable "upgrades_per_second" {
  description = "Logins per second that get a new hash."
  type        = number
  default     = 0
  nullable    = false
}
