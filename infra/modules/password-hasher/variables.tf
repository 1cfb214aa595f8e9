variable "account" {
  description = <<-EOT
    What is known of the account, so that nothing has to be asked. Each field that is left out is read:
    `concurrency` from Service Quotas (`servicequotas:GetServiceQuota`) unless `managed_instances` is given, the others from
    the provider.
  EOT
  type = object({
    concurrency = optional(number)
    id          = optional(string)
    partition   = optional(string)
    region      = optional(string)
  })
  default  = {}
  nullable = false
}

variable "alarms" {
  description = <<-EOT
    Where alarms go, and when they ring. `duration_p90_milliseconds` is by default the planned duration over the planned
    utilisation: from there on the planned environments are full. `client_metrics_namespace` is the CloudWatch namespace
    into which your backends publish the client's Micrometer metrics, one for each function, since the metrics do not say
    which function was missed; without it there is no alarm for local hashing.
  EOT
  type = object({
    topic_arn                   = string
    client_fallbacks_per_minute = optional(number, 60)
    client_metrics_namespace    = optional(string)
    concurrency_percent         = optional(number, 80)
    duration_p90_milliseconds   = optional(number)
    errors_percent              = optional(number, 0.1)
  })
  nullable = false

  validation {
    condition     = can(regex("^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+$", var.alarms.topic_arn))
    error_message = "alarms.topic_arn must be the ARN of an SNS topic, as arn:aws:sns:eu-north-1:123456789012:on-call."
  }

  validation {
    condition     = var.alarms.concurrency_percent > 0 && var.alarms.concurrency_percent <= 100
    error_message = "alarms.concurrency_percent must be above 0 and at most 100: it is a share of the reserved concurrency."
  }

  validation {
    condition     = var.alarms.errors_percent >= 0 && var.alarms.errors_percent < 100
    error_message = "alarms.errors_percent must be at least 0 and below 100: it is a share of the requests."
  }

  validation {
    condition     = var.alarms.client_fallbacks_per_minute >= 0
    error_message = "alarms.client_fallbacks_per_minute must be at least 0."
  }

  validation {
    condition     = var.alarms.duration_p90_milliseconds == null ? true : var.alarms.duration_p90_milliseconds > 0
    error_message = "alarms.duration_p90_milliseconds must be above 0: at 0 every request rings."
  }
}

variable "architecture" {
  description = "`arm64` or `x86_64`; the package must be for the same."
  type        = string
  default     = "arm64"
  nullable    = false

  validation {
    condition     = contains(["arm64", "x86_64"], var.architecture)
    error_message = "architecture must be arm64 or x86_64."
  }
}

variable "capacity" {
  description = <<-EOT
    What capacity is planned with. `policy` is a key of durations.json: the one that most stored hashes have. `batch` is
    how many logins a request carries (the client's coalescing). Measured your own function? `milliseconds_per_request`
    replaces the table. `reserved_concurrency` bounds what this function may take from the account, and cost.
    `provisioned_minimum` is always there; target tracking goes up to `provisioned_maximum`, and during an event up to
    `reserved_concurrency`.
  EOT
  type = object({
    policy                   = string
    batch                    = optional(number, 1)
    milliseconds_per_request = optional(number)
    provisioned_maximum      = optional(number, 0)
    provisioned_minimum      = optional(number, 0)
    reserved_concurrency     = number
  })
  nullable = false

  validation {
    condition     = contains(keys(jsondecode(file("${path.module}/durations.json")).policies), var.capacity.policy)
    error_message = "capacity.policy must be one of ${join(", ", keys(jsondecode(file("${path.module}/durations.json")).policies))}. For another policy take the nearest, and give capacity.milliseconds_per_request."
  }

  validation {
    condition     = contains([1, 2, 4, 8], var.capacity.batch)
    error_message = "capacity.batch must be 1, 2, 4 or 8: for these durations.json says how long a batch takes."
  }

  validation {
    condition = var.capacity.milliseconds_per_request == null ? true : (
      var.capacity.milliseconds_per_request >= 1 && floor(var.capacity.milliseconds_per_request) == var.capacity.milliseconds_per_request
    )
    error_message = "capacity.milliseconds_per_request must be a whole number, at least 1: round your measurement up."
  }

  validation {
    condition     = var.capacity.reserved_concurrency >= 1 && floor(var.capacity.reserved_concurrency) == var.capacity.reserved_concurrency
    error_message = "capacity.reserved_concurrency must be a whole number, at least 1: with 0 Lambda refuses every request."
  }

  validation {
    condition = (
      min(var.capacity.provisioned_minimum, var.capacity.provisioned_maximum) >= 0 &&
      max(var.capacity.provisioned_minimum, var.capacity.provisioned_maximum) <= var.capacity.reserved_concurrency &&
      alltrue([for number in [var.capacity.provisioned_minimum, var.capacity.provisioned_maximum] : floor(number) == number])
    )
    error_message = "capacity.provisioned_minimum and capacity.provisioned_maximum must be whole numbers between 0 and capacity.reserved_concurrency."
  }
}

variable "events" {
  description = <<-EOT
    Announced evenings, in UTC. From 15 minutes before `starts_at` to `ends_at` as many environments are provisioned as
    `expected_logins_per_second` needs. Events that are over do nothing, and may stay in the list.
  EOT
  type = list(object({
    name                       = string
    starts_at                  = string
    ends_at                    = string
    expected_logins_per_second = number
  }))
  default  = []
  nullable = false

  validation {
    condition     = alltrue([for event in var.events : can(regex("^[a-z0-9][a-z0-9-]{0,39}$", event.name))])
    error_message = "The name of an event must have 1 to 40 lower-case letters, digits and hyphens, as new-year-2027."
  }

  validation {
    condition     = length(distinct(var.events[*].name)) == length(var.events)
    error_message = "Two events have the same name."
  }

  validation {
    condition = alltrue([
      for time in concat(var.events[*].starts_at, var.events[*].ends_at) :
      can(regex("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$", time)) && can(timeadd(time, "0s"))
    ])
    error_message = "starts_at and ends_at must be in UTC, as 2026-12-06T18:00:00Z."
  }

  validation {
    condition     = alltrue([for event in var.events : try(timecmp(event.starts_at, event.ends_at) < 0, true)])
    error_message = "An event must end after it starts."
  }

  validation {
    condition = alltrue([
      for pair in setproduct(range(length(var.events)), range(length(var.events))) : try(
        timecmp(var.events[pair[0]].ends_at, var.events[pair[1]].starts_at) <= 0 ||
        timecmp(var.events[pair[1]].ends_at, var.events[pair[0]].starts_at) <= 0,
        true
      ) if pair[0] < pair[1]
    ])
    error_message = "Two events overlap. Make one event of them, with what you expect from both."
  }

  validation {
    condition     = alltrue([for event in var.events : event.expected_logins_per_second >= 1 && floor(event.expected_logins_per_second) == event.expected_logins_per_second])
    error_message = "expected_logins_per_second must be a whole number, at least 1."
  }
}

variable "function_url" {
  description = <<-EOT
    The HTTPS door, always with AWS_IAM. `callers` names the IAM roles that may use it, from this account or another; roles
    of this account may also be let in by modules/caller-policy. Lambda may not see a role yet that the same apply has
    just made, and then refuses it as a principal: apply again. `null` makes no URL: callers then invoke the function
    directly.
  EOT
  type = object({
    callers = optional(map(string), {})
  })
  default = {}

  validation {
    condition     = alltrue([for arn in values(var.function_url == null ? {} : var.function_url.callers) : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$", arn))])
    error_message = "Each of function_url.callers must be the ARN of one IAM role, as arn:aws:iam::123456789012:role/backend: no wildcard, no whole account."
  }

  validation {
    condition     = alltrue([for name in keys(var.function_url == null ? {} : var.function_url.callers) : can(regex("^[A-Za-z0-9_-]{1,80}$", name))])
    error_message = "The names in function_url.callers must have 1 to 80 letters, digits, hyphens and underscores."
  }
}

variable "log_retention_days" {
  description = "Days that log lines are kept; one of those that CloudWatch Logs has."
  type        = number
  default     = 365
  nullable    = false

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "log_retention_days must be one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653."
  }
}

variable "managed_instances" {
  description = <<-EOT
    Runs the function on Lambda Managed Instances (EC2 in your VPC) instead: each environment takes 8 requests at once for
    each vCPU, which fill the lanes. For load that is steady; it answers 429 to traffic that doubles within five minutes.
    An environment has a vCPU for each 2 GiB. The subnets need a way to CloudWatch Logs, X-Ray and CloudWatch. A measured
    `capacity.milliseconds_per_request` is here that of eight at once; `reserved_concurrency` and what is provisioned are
    classic Lambda's and do nothing. During a release two versions have up to `maximum_environments` each.
  EOT
  type = object({
    subnet_ids             = list(string)
    security_group_ids     = list(string)
    allowed_instance_types = optional(list(string))
    ec2_usd_per_vcpu_hour  = optional(number)
    maximum_environments   = number
    memory_size_mb         = optional(number, 4096)
    minimum_environments   = optional(number, 3)
  })
  default = null

  validation {
    condition     = var.managed_instances == null ? true : contains([2048, 4096, 8192, 16384, 32768], var.managed_instances.memory_size_mb)
    error_message = "managed_instances.memory_size_mb must be 2048, 4096, 8192, 16384 or 32768: 1, 2, 4, 8 or 16 vCPUs."
  }

  validation {
    condition = var.managed_instances == null ? true : (
      0 <= var.managed_instances.minimum_environments &&
      var.managed_instances.minimum_environments <= var.managed_instances.maximum_environments &&
      alltrue([for number in [var.managed_instances.minimum_environments, var.managed_instances.maximum_environments] : floor(number) == number])
    )
    error_message = "managed_instances.minimum_environments and maximum_environments must be whole numbers, the first at most the second."
  }

  validation {
    condition = var.managed_instances == null ? true : (
      local.versions_at_once * var.managed_instances.maximum_environments * var.managed_instances.memory_size_mb / local.memory_mib_per_vcpu <= local.maximum_vcpus
    )
    error_message = "managed_instances.maximum_environments times the vCPUs of one must be at most ${local.maximum_vcpus / local.versions_at_once}: a capacity provider has at most ${local.maximum_vcpus}, and a release has two versions side by side."
  }

  validation {
    condition     = var.managed_instances == null ? true : length(var.managed_instances.subnet_ids) >= 1 && length(var.managed_instances.security_group_ids) >= 1
    error_message = "managed_instances needs at least one subnet and one security group; subnets in three availability zones survive the loss of one."
  }
}

variable "memory_size_mb" {
  description = "Memory in MB. 1,769 is one vCPU: with less a hash takes longer for the same price, with more one hash is no faster."
  type        = number
  default     = 1769
  nullable    = false

  validation {
    condition     = var.memory_size_mb >= 256 && var.memory_size_mb <= 10240 && floor(var.memory_size_mb) == var.memory_size_mb
    error_message = "memory_size_mb must be a whole number, 256 to 10240: below, the shipped policies do not fit; above, Lambda has none."
  }
}

variable "name" {
  description = "Name of the function, and the beginning of every other name."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,39}$", var.name))
    error_message = "name must have 2 to 40 lower-case letters, digits and hyphens, and begin with a letter."
  }
}

variable "package_file" {
  description = "The zip that `make package` made. Its hash decides whether a new version is published."
  type        = string
  nullable    = false

  validation {
    condition     = fileexists(var.package_file)
    error_message = "There is no ${var.package_file}. Make it: make package, in the root of the repository."
  }

  validation {
    condition     = !strcontains(basename(var.package_file), var.architecture == "arm64" ? "x86-64" : "arm64")
    error_message = "${basename(var.package_file)} is not for ${var.architecture}."
  }
}

variable "rollback_to_version" {
  description = "Holds the alias `live` on this published version, as `\"41\"`. Without it the alias follows the newest."
  type        = string
  default     = null

  validation {
    condition     = var.rollback_to_version == null ? true : can(regex("^[1-9][0-9]*$", var.rollback_to_version))
    error_message = "rollback_to_version must be the number of a published version, as \"41\"."
  }
}

variable "settings" {
  description = <<-EOT
    Settings of the function itself, none of them secret. `accept_weak` names the unsalted and fast schemes that are verified
    all the same (`["ldap-sha"]`, or `["all"]`). `ceilings` lowers ceilings of the policy document (`{ bcrypt_cost = 12 }`);
    above the document's own, or below what a listed policy needs, the function does not start.
    `distributions` is `cloudwatch`, or `printed` to send none by CloudWatch's API and print them; `distributions_seconds` is
    how often they are sent at the most. `firebase_project` names the version of a layer, and the file in it, that holds a
    Firebase project's parameters (infra/README.md). `kernels` is `lanes`, or `crates` to go back to the reference implementations.
  EOT
  type = object({
    accept_weak           = optional(list(string), [])
    ceilings              = optional(map(number), {})
    distributions         = optional(string, "cloudwatch")
    distributions_seconds = optional(number, 30)
    firebase_project = optional(object({
      layer_arn = string
      file      = optional(string, "/opt/firebase-project")
    }))
    kernels = optional(string, "lanes")
  })
  default  = {}
  nullable = false

  validation {
    condition     = length(setsubtract(var.settings.accept_weak, concat(["all"], local.setting_names.accept_weak))) == 0
    error_message = "settings.accept_weak must be [\"all\"] or some of ${join(", ", local.setting_names.accept_weak)}. A function with another name would not start."
  }

  validation {
    condition     = !contains(var.settings.accept_weak, "all") || length(var.settings.accept_weak) == 1
    error_message = "settings.accept_weak must be [\"all\"] or a list of names: all has every name in it."
  }

  validation {
    condition     = contains(["cloudwatch", "printed"], var.settings.distributions)
    error_message = "settings.distributions must be cloudwatch or printed."
  }

  validation {
    condition = (
      var.settings.distributions_seconds >= 1 && var.settings.distributions_seconds <= 300 &&
      floor(var.settings.distributions_seconds) == var.settings.distributions_seconds
    )
    error_message = "settings.distributions_seconds must be a whole number, 1 to 300."
  }

  validation {
    condition     = var.settings.firebase_project == null ? true : can(regex("^arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:layer:[A-Za-z0-9_-]+:[0-9]+$", var.settings.firebase_project.layer_arn))
    error_message = "settings.firebase_project.layer_arn must be the ARN of a version of a layer, as arn:aws:lambda:eu-north-1:123456789012:layer:saltern-firebase:3."
  }

  validation {
    condition     = var.settings.firebase_project == null ? true : can(regex("^/opt/[A-Za-z0-9._/-]+$", var.settings.firebase_project.file))
    error_message = "settings.firebase_project.file must lie under /opt, where Lambda puts what is in a layer."
  }

  validation {
    condition     = contains(["lanes", "crates"], var.settings.kernels)
    error_message = "settings.kernels must be lanes or crates."
  }

  validation {
    condition     = alltrue([for name, value in var.settings.ceilings : contains(local.setting_names.ceilings, name) && value >= 0 && floor(value) == value])
    error_message = "settings.ceilings must be whole numbers, as { bcrypt_cost = 12 }, for some of ${join(", ", local.setting_names.ceilings)}. A function with another name would not start."
  }
}

variable "signing" {
  description = <<-EOT
    Signs the package and lets Lambda take no other. `artefact_bucket` is a versioned bucket of this region, as bootstrap
    makes it: the package is put there, signed there by AWS Signer, and deployed from there, all in one apply. `null`
    uploads the package as it is.
  EOT
  type = object({
    artefact_bucket = string
  })
  default = null
}

variable "timeout_seconds" {
  description = "Seconds after which Lambda ends a request. The service answers before that: its deadline is 100 ms earlier."
  type        = number
  default     = 10
  nullable    = false

  validation {
    condition     = var.timeout_seconds >= 1 && var.timeout_seconds <= 60 && floor(var.timeout_seconds) == var.timeout_seconds
    error_message = "timeout_seconds must be a whole number, 1 to 60: a caller can ask for no more than 60 s."
  }
}
