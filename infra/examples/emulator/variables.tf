variable "endpoint" {
  description = "Where the emulator listens."
  type        = string
  default     = "http://127.0.0.1:5000"
  nullable    = false

  validation {
    condition     = can(regex("^http://(127\\.0\\.0\\.1|localhost)(:[0-9]+)?$", var.endpoint))
    error_message = "endpoint must be on this machine, as http://127.0.0.1:5000: the credentials here are none."
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

variable "package_file" {
  description = "What `make package` made."
  type        = string
  default     = "../../../dist/saltern-lambda-arm64.zip"
  nullable    = false
}

variable "region" {
  description = "Region that the emulator plays."
  type        = string
  default     = "eu-north-1"
  nullable    = false
}
