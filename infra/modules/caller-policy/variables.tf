variable "alias_arn" {
  description = "ARN of the alias `live`: the output `alias_arn` of modules/password-hasher."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:function:[A-Za-z0-9-_]+:live$", var.alias_arn))
    error_message = "alias_arn must be the ARN of the alias live, for example arn:aws:lambda:eu-north-1:123456789012:function:saltern:live."
  }
}

variable "door" {
  description = "How the backend calls: `url` for signed HTTPS to the Function URL, `invoke` for direct Invoke."
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
    error_message = "name must have 1 to 128 characters: letters, digits and +=,.@_-"
  }
}

variable "role_names" {
  description = "Names of the backends' roles, by a key of your choice. For a role in another account, use `policy_json` in a policy there."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "vpc_endpoint_ids" {
  description = "For `invoke`: calls are allowed only through these Lambda endpoints. A Function URL has no such endpoint."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = length(var.vpc_endpoint_ids) == 0 || var.door == "invoke"
    error_message = "vpc_endpoint_ids requires the door invoke: a Function URL has no VPC endpoint."
  }
}
