variable "alias_arn" {
  description = "ARN of the alias `live`: the output `alias_arn` of modules/password-hasher."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:function:[A-Za-z0-9-_]+:live$", var.alias_arn))
    error_message = "alias_arn must be the ARN of the alias live, as arn:aws:lambda:eu-north-1:123456789012:function:saltern:live."
  }
}

variable "door" {
  description = "`url`: signed HTTPS to the Function URL. `invoke`: the same requests by direct Invoke."
  type        = string
  nullable    = false

  validation {
    condition     = contains(["url", "invoke"], var.door)
    error_message = "door must be url or invoke."
  }
}

variable "name" {
  description = "Name of the policy."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9+=,.@_-]{1,128}$", var.name))
    error_message = "name must be one that IAM takes: 1 to 128 letters, digits and +=,.@_-"
  }
}

variable "role_names" {
  description = "Roles of the backends that call, by a name of yours. Those of another account take `policy_json` into a policy of their own."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "vpc_endpoint_ids" {
  description = "With `invoke`: the Lambda endpoints through which alone the call may come. A Function URL has no such endpoint."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = length(var.vpc_endpoint_ids) == 0 || var.door == "invoke"
    error_message = "vpc_endpoint_ids only bounds the door invoke: a Function URL is reached over the internet."
  }
}
