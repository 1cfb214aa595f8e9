variable "architecture" {
  description = "`arm64` or `x86_64`. If the emulator runs functions, use the architecture of its machine."
  type        = string
  default     = "arm64"
  nullable    = false
}

variable "cloudwatch_endpoint" {
  description = "URL of an emulator that supports the provider's CloudWatch protocol. The default is `endpoint`."
  type        = string
  default     = null

  validation {
    condition     = var.cloudwatch_endpoint == null ? true : can(regex("^https?://[A-Za-z0-9.-]+(:[0-9]+)?/?$", var.cloudwatch_endpoint)) && !strcontains(var.cloudwatch_endpoint, "amazonaws")
    error_message = "cloudwatch_endpoint must be the URL of an emulator, for example http://127.0.0.1:4566, and not of AWS."
  }
}

variable "endpoint" {
  description = "URL of the emulator."
  type        = string
  default     = "http://127.0.0.1:5000"
  nullable    = false

  validation {
    condition     = can(regex("^https?://[A-Za-z0-9.-]+(:[0-9]+)?/?$", var.endpoint)) && !strcontains(var.endpoint, "amazonaws")
    error_message = "endpoint must be the URL of an emulator, for example http://127.0.0.1:5000 or http://moto:5000, and not of AWS: this example has no credentials."
  }
}

variable "events" {
  description = "Announced events, in UTC. See modules/password-hasher."
  type        = list(map(string))
  default     = []
  nullable    = false
}

variable "memory_size_mb" {
  description = "Memory in MB. See modules/password-hasher."
  type        = number
  default     = 1769
  nullable    = false
}

variable "package_file" {
  description = "The zip from `make package`. The default is the zip for `architecture`."
  type        = string
  default     = null
}

variable "region" {
  description = "Region that the emulator reports."
  type        = string
  default     = "eu-north-1"
  nullable    = false
}
