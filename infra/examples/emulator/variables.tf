variable "architecture" {
  description = "`arm64` or `x86_64`: what the machine of the emulator runs, if it runs the function at all."
  type        = string
  default     = "arm64"
  nullable    = false
}

variable "cloudwatch_endpoint" {
  description = "Where an emulator listens that knows CloudWatch as the provider speaks to it; by default `endpoint`."
  type        = string
  default     = null

  validation {
    condition     = var.cloudwatch_endpoint == null ? true : can(regex("^https?://[A-Za-z0-9.-]+(:[0-9]+)?/?$", var.cloudwatch_endpoint)) && !strcontains(var.cloudwatch_endpoint, "amazonaws")
    error_message = "cloudwatch_endpoint must be an emulator, as http://127.0.0.1:4566, and not AWS itself."
  }
}

variable "endpoint" {
  description = "Where the emulator listens."
  type        = string
  default     = "http://127.0.0.1:5000"
  nullable    = false

  validation {
    condition     = can(regex("^https?://[A-Za-z0-9.-]+(:[0-9]+)?/?$", var.endpoint)) && !strcontains(var.endpoint, "amazonaws")
    error_message = "endpoint must be an emulator, as http://127.0.0.1:5000 or http://moto:5000, and not AWS itself: the credentials here are none."
  }
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

variable "memory_size_mb" {
  description = "Memory in MB. See modules/password-hasher."
  type        = number
  default     = 1769
  nullable    = false
}

variable "package_file" {
  description = "What `make package` made; by default the zip for `architecture`."
  type        = string
  default     = null
}

variable "region" {
  description = "Region that the emulator plays."
  type        = string
  default     = "eu-north-1"
  nullable    = false
}
