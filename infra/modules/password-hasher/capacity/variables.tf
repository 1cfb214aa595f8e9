variable "account_concurrency" {
  description = "Concurrency that the account has in this region."
  type        = number
  nullable    = false
}

variable "batch" {
  description = "Logins that one request carries."
  type        = number
  nullable    = false

  validation {
    condition     = var.batch >= 1 && floor(var.batch) == var.batch
    error_message = "batch must be a whole number of logins in a request, at least 1."
  }
}

variable "logins_per_second" {
  description = "Logins that arrive in a second."
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
