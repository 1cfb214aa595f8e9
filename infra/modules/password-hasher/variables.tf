variable "account" {
  description = <<-EOT
    Facts about the AWS account. The module reads `concurrency`, `id`, `partition` and `region` if they are left out:
    `concurrency` from Service Quotas, unless `managed_instances` is set, and the others from the provider. The provider
    reads the default quota first, then the applied one, and takes the default if none was applied. It needs
    `servicequotas:GetAWSDefaultServiceQuota` and `servicequotas:GetServiceQuota`. If these four fields are set, a plan reads
    nothing from AWS. `concurrency_reserved_elsewhere` is the part that other functions reserve, except Saltern's in the other
    environment. No data source returns it (infra/README.md).
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

  validation {
    condition     = var.account.concurrency_reserved_elsewhere >= 0 && floor(var.account.concurrency_reserved_elsewhere) == var.account.concurrency_reserved_elsewhere
    error_message = "account.concurrency_reserved_elsewhere must be a whole number, at least 0."
  }
}

variable "alarms" {
  description = <<-EOT
    The SNS topic of the alarms, and their thresholds. An alarm of the severity `page` needs an operator at once, and one of
    the severity `ticket` in the morning. `ticket_topic_arn` is the topic of the second kind; without it all go to
    `topic_arn`. During an announced event `concurrency`, `duration-p90` and `spillover` page too. `runbook_url` is the address of
    infra/OPERATIONS.md in your repository. The description of each alarm ends with its severity and its section there. The default of `duration_p90_milliseconds` is the planned duration,
    with that of an upgrade if `upgrades_per_second` is above 0, divided by the planned utilisation: at this duration all planned environments are busy. The default of `cost_usd_per_hour` is the
    price of an hour in which all planned environments are busy. `client_metrics_namespace` is
    the CloudWatch namespace to which your backends publish the client's Micrometer metrics. Use a separate namespace for
    each function, because the metrics do not name the function. Without a namespace there is no alarm for local hashing. If the
    metric ends, a ticket says so; before it begins, none does.
    `share_percent` replaces the threshold of a share, by the name of its alarm in metrics.json: `{ mismatches = 30 }`. Users
    mistype some 5 to 20 % of passwords, and a list of stolen passwords fails in some 98 %. So the default of `mismatches` is
    50. If bots send fewer passwords than your users, choose less.
  EOT
  type = object({
    topic_arn                   = string
    client_fallbacks_per_minute = optional(number, 60)
    client_metrics_namespace    = optional(string)
    concurrency_percent         = optional(number, 80)
    cost_usd_per_hour           = optional(number)
    duration_p90_milliseconds   = optional(number)
    errors_percent              = optional(number, 0.1)
    runbook_url                 = optional(string)
    share_percent               = optional(map(number), {})
    ticket_topic_arn            = optional(string)
  })
  nullable = false

  validation {
    condition = alltrue([
      for arn in [var.alarms.topic_arn, var.alarms.ticket_topic_arn] :
      arn == null ? true : can(regex("^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+$", arn))
    ])
    error_message = "alarm_topic_arn and alarm_ticket_topic_arn must be ARNs of SNS topics, for example arn:aws:sns:eu-north-1:123456789012:on-call."
  }

  validation {
    condition     = var.alarms.client_metrics_namespace == null ? true : can(regex("^[A-Za-z0-9._/#: -]{1,255}$", var.alarms.client_metrics_namespace))
    error_message = "client_metrics_namespace must be the name of a CloudWatch namespace: 1 to 255 letters, digits, spaces and ._/#:-. Leave it out if backends publish no metrics."
  }

  validation {
    condition     = var.alarms.runbook_url == null ? true : startswith(var.alarms.runbook_url, "https://")
    error_message = "runbook_url must be a whole address, for example https://git.example/saltern/blob/v1.0.0/infra/OPERATIONS.md. A pager cannot open a path."
  }

  validation {
    condition     = var.alarms.concurrency_percent > 0 && var.alarms.concurrency_percent <= 100
    error_message = "alarm_concurrency_percent must be above 0 and at most 100: it is a percentage of the reserved concurrency."
  }

  validation {
    condition     = var.alarms.errors_percent >= 0 && var.alarms.errors_percent < 100
    error_message = "alarm_errors_percent must be at least 0 and below 100: it is a percentage of the requests."
  }

  validation {
    condition = alltrue([
      for name, percent in var.alarms.share_percent :
      percent > 0 && percent < 100 && contains([for alarm in jsondecode(file("${path.module}/metrics.json")).alarms : alarm.name if can(alarm.percent)], name)
    ])
    error_message = "alarm_mismatches_percent must be above 0 and below 100, and so must each of share_percent, which names alarms of metrics.json that have a percentage."
  }

  validation {
    condition     = var.alarms.cost_usd_per_hour == null ? true : var.alarms.cost_usd_per_hour > 0
    error_message = "alarm_cost_usd_per_hour must be above 0, in US dollars."
  }

  validation {
    condition     = var.alarms.client_fallbacks_per_minute >= 0
    error_message = "alarm_client_fallbacks_per_minute must be at least 0."
  }

  validation {
    condition     = var.alarms.duration_p90_milliseconds == null ? true : var.alarms.duration_p90_milliseconds > 0
    error_message = "alarm_duration_p90_milliseconds must be above 0: with 0 every request raises the alarm."
  }
}

variable "architecture" {
  description = "`arm64` or `x86_64`. The package must be built for the same architecture."
  type        = string
  default     = "arm64"
  nullable    = false

  validation {
    condition     = contains(["arm64", "x86_64"], var.architecture)
    error_message = "architecture must be arm64 or x86_64."
  }
}

variable "budget_usd" {
  description = <<-EOT
    The most that the announced events may cost, in US dollars by the list prices. If they cost more, the plan fails. It finds
    an event with a wrong year. Of an event that is running the plan only warns. `null` sets no bound.
  EOT
  type        = number
  default     = null
}

variable "callers" {
  description = <<-EOT
    ARNs of the IAM roles that may invoke the function directly, by a name of your choice. A role of this account may use
    modules/caller-policy instead. A role of another account needs both. To change a role without refusing a call, add the
    new role under another name, apply, and then remove the old one.
  EOT
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for arn in values(var.callers) : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$", arn))])
    error_message = "Each of callers must be the ARN of one IAM role, for example arn:aws:iam::123456789012:role/backend. Wildcards and whole accounts are not allowed."
  }

  validation {
    condition     = alltrue([for name in keys(var.callers) : can(regex("^[A-Za-z0-9_-]{1,80}$", name))])
    error_message = "The names in callers must have 1 to 80 letters, digits, hyphens and underscores."
  }
}

variable "capacity" {
  description = <<-EOT
    Input of the capacity plan. `policy` is a key of durations.json: the policy of most stored hashes. `batch` is the number
    of logins that each request carries. The client's coalescing does not promise more than 1. If you have measured your
    function, `milliseconds_per_request` replaces the table. `reserved_concurrency` limits the function's share of the
    account's concurrency, and its cost. With 0 the function is stopped. `provisioned_minimum` environments are always ready. Target tracking provisions up to `provisioned_maximum`. During an
    event it provisions up to `provisioned_maximum_in_events`, by default up to `reserved_concurrency`, and never less than
    the event needs. A login whose user gets a new hash computes two hashes, the second under `upgrade_policy`: `current` of the
    policy document, by default of the shipped one. If it is not `policy`, events need `upgrades_per_second`, the number of such
    logins a second. A measured `milliseconds_per_upgrade` replaces the table.
  EOT
  type = object({
    policy                        = string
    batch                         = optional(number, 1)
    milliseconds_per_request      = optional(number)
    milliseconds_per_upgrade      = optional(number)
    provisioned_maximum           = optional(number, 0)
    provisioned_maximum_in_events = optional(number)
    provisioned_minimum           = optional(number, 0)
    reserved_concurrency          = number
    upgrade_policy                = optional(string, "argon2id-65536-4-1")
    upgrades_per_second           = optional(number)
  })
  nullable = false

  validation {
    condition     = length(setsubtract([var.capacity.policy, var.capacity.upgrade_policy], keys(jsondecode(file("${path.module}/durations.json")).policies))) == 0
    error_message = "capacity_policy and upgrade_policy must be some of ${join(", ", keys(jsondecode(file("${path.module}/durations.json")).policies))}. For another policy use the nearest one, and set milliseconds_per_request or milliseconds_per_upgrade."
  }

  validation {
    condition     = contains([1, 2, 4, 8], var.capacity.batch)
    error_message = "batch must be 1, 2, 4 or 8: durations.json has only their durations."
  }

  validation {
    condition = alltrue([
      for number in [coalesce(var.capacity.milliseconds_per_request, 1), coalesce(var.capacity.milliseconds_per_upgrade, 1)] : number >= 1 && floor(number) == number
    ])
    error_message = "milliseconds_per_request and milliseconds_per_upgrade must be whole numbers, at least 1. Round your measurement up."
  }

  validation {
    condition     = coalesce(var.capacity.upgrades_per_second, 0) >= 0 && floor(coalesce(var.capacity.upgrades_per_second, 0)) == coalesce(var.capacity.upgrades_per_second, 0)
    error_message = "upgrades_per_second must be a whole number, at least 0."
  }

  validation {
    condition     = var.capacity.reserved_concurrency >= 0 && floor(var.capacity.reserved_concurrency) == var.capacity.reserved_concurrency
    error_message = "reserved_concurrency must be a whole number, at least 0. With 0 Lambda refuses every request."
  }

  validation {
    condition = alltrue([
      for number in [var.capacity.provisioned_minimum, var.capacity.provisioned_maximum, coalesce(var.capacity.provisioned_maximum_in_events, 0)] :
      number >= 0 && (number <= var.capacity.reserved_concurrency || var.capacity.reserved_concurrency == 0) && floor(number) == number
    ])
    error_message = "provisioned_minimum, provisioned_maximum and provisioned_maximum_in_events must be whole numbers between 0 and reserved_concurrency."
  }
}

variable "events" {
  description = <<-EOT
    Announced events, in UTC. Each has a `name`, `starts_at`, `ends_at` and `expected_logins_per_second`. With `utc_offset`, such as
    `"+02:00"`, the page of the output `evening` also has the times of a clock there. A missing or unknown field is refused. From 15 minutes before `starts_at` until `ends_at` the module provisions the environments that
    `expected_logins_per_second` needs, and refuses releases. An event that is over has no effect, and the plan warns of it. An apply tells the alarms of the next twelve.
  EOT
  # Not an object: Terraform drops unknown fields of an object, so a misspelt one would vanish.
  type     = list(map(string))
  default  = []
  nullable = false

  validation {
    condition = alltrue([
      for event in var.events : setsubtract([for field, value in event : field if value != null], ["utc_offset"]) == toset(["ends_at", "expected_logins_per_second", "name", "starts_at"])
    ])
    error_message = "Each event must have the fields name, starts_at, ends_at and expected_logins_per_second, and besides these only utc_offset."
  }

  validation {
    condition     = alltrue([for event in var.events : can(regex("^[+-](0[0-9]|1[0-4]):[0-5][0-9]$", coalesce(lookup(event, "utc_offset", null), "+00:00")))])
    error_message = "The utc_offset of an event must have the form +02:00."
  }

  validation {
    condition     = alltrue([for event in var.events : can(regex("^[a-z0-9][a-z0-9-]{0,39}$", event.name))])
    error_message = "The name of an event must have 1 to 40 lower-case letters, digits and hyphens, for example new-year-2027."
  }

  validation {
    condition     = length(distinct([for event in var.events : lookup(event, "name", "")])) == length(var.events)
    error_message = "Two events have the same name. Give each event its own name."
  }

  validation {
    condition = alltrue([
      for time in flatten([for event in var.events : [lookup(event, "starts_at", ""), lookup(event, "ends_at", "")]]) :
      can(regex("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$", time)) && can(timeadd(time, "0s"))
    ])
    error_message = "starts_at and ends_at must be valid times in UTC, for example 2026-12-06T18:00:00Z."
  }

  validation {
    condition     = alltrue([for event in var.events : try(timecmp(event.starts_at, event.ends_at) < 0, true)])
    error_message = "ends_at of an event must be after its starts_at."
  }

  validation {
    condition = alltrue([
      for pair in setproduct(range(length(var.events)), range(length(var.events))) : try(
        timecmp(var.events[pair[0]].ends_at, var.events[pair[1]].starts_at) <= 0 ||
        timecmp(var.events[pair[1]].ends_at, var.events[pair[0]].starts_at) <= 0,
        true
      ) if pair[0] < pair[1]
    ])
    error_message = "Two events overlap. Combine them into one event, with the sum of their logins per second."
  }

  validation {
    condition = alltrue([
      for event in var.events : try(tonumber(event.expected_logins_per_second) >= 1 && floor(tonumber(event.expected_logins_per_second)) == tonumber(event.expected_logins_per_second), false)
    ])
    error_message = "expected_logins_per_second must be a whole number, at least 1."
  }
}

variable "function_url" {
  description = <<-EOT
    A Function URL, beside direct calls. It is an endpoint on the internet, and always requires AWS_IAM. `callers` names the
    IAM roles that may use it, from this account or another. Roles of this account may use modules/caller-policy instead. If
    Lambda refuses a role that the same apply has just created, apply again: a new role is not visible to Lambda at once.
    `null` creates no URL.
  EOT
  type = object({
    callers = optional(map(string), {})
  })
  default = null

  validation {
    condition     = alltrue([for arn in values(var.function_url == null ? {} : var.function_url.callers) : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$", arn))])
    error_message = "Each of function_url_callers must be the ARN of one IAM role, for example arn:aws:iam::123456789012:role/backend. Wildcards and whole accounts are not allowed."
  }

  validation {
    condition     = alltrue([for name in keys(var.function_url == null ? {} : var.function_url.callers) : can(regex("^[A-Za-z0-9_-]{1,80}$", name))])
    error_message = "The names in function_url_callers must have 1 to 80 letters, digits, hyphens and underscores."
  }
}

variable "governance" {
  description = <<-EOT
    For accounts with rules. `execution_role_arn`, `kms_key_arn` and `log_group_name` name a role, a key and a log
    group of yours, and the module creates none. The role needs the policy of the output `execution_policy_json`. The policy of the
    key must allow CloudWatch Logs of this region, and the role, to use it. `logs_kept_on_destroy` keeps the created log group
    when the function is destroyed. It needs `kms_key_arn`, because the created key is deleted with the function. `role_path` and `role_permissions_boundary` are those of the created roles.
    Set the role, the key, the group and the path before the first apply. Later the apply deletes the created one, which the function still uses, and without the created key nobody reads its lines or starts its older versions.
  EOT
  type = object({
    execution_role_arn        = optional(string)
    kms_key_arn               = optional(string)
    log_group_name            = optional(string)
    logs_kept_on_destroy      = optional(bool, false)
    role_path                 = optional(string, "/")
    role_permissions_boundary = optional(string)
  })
  default  = {}
  nullable = false

  validation {
    condition     = var.governance.execution_role_arn == null ? true : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$", var.governance.execution_role_arn))
    error_message = "governance.execution_role_arn must be the ARN of an IAM role, for example arn:aws:iam::123456789012:role/saltern-execution."
  }

  validation {
    condition     = var.governance.kms_key_arn == null ? true : can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$", var.governance.kms_key_arn))
    error_message = "governance.kms_key_arn must be the ARN of a KMS key, not of an alias."
  }

  validation {
    condition     = !var.governance.logs_kept_on_destroy || var.governance.kms_key_arn != null
    error_message = "governance.logs_kept_on_destroy needs governance.kms_key_arn: the created key is deleted with the function, and nobody could read the lines."
  }

  validation {
    condition     = var.governance.log_group_name == null ? true : can(regex("^[A-Za-z0-9._/#-]{1,512}$", var.governance.log_group_name))
    error_message = "governance.log_group_name must be the name of a log group, for example /company/saltern, not its ARN."
  }

  validation {
    condition     = can(regex("^/([A-Za-z0-9+=,.@_-]+/)*$", var.governance.role_path))
    error_message = "governance.role_path must begin and end with a slash, for example /services/."
  }

  validation {
    condition     = var.governance.role_permissions_boundary == null ? true : can(regex("^arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/[A-Za-z0-9+=,.@_/-]+$", var.governance.role_permissions_boundary))
    error_message = "governance.role_permissions_boundary must be the ARN of an IAM policy."
  }
}

variable "log_retention_days" {
  description = "Days for which log lines are kept. CloudWatch Logs supports only some values."
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
    Runs the function on Lambda Managed Instances (EC2 in your VPC) instead of classic Lambda. Each environment takes 8
    requests at once for each vCPU, which fill the lanes. Use it for steady load: Lambda answers 429 if the traffic doubles
    within five minutes. An environment has one vCPU for each 2 GiB. The subnets need a route to CloudWatch Logs, X-Ray and
    CloudWatch. Here `capacity.milliseconds_per_request` is the duration of eight requests at once. `reserved_concurrency`,
    `provisioned_minimum` and `provisioned_maximum` have no effect. During a release two versions have up to
    `maximum_environments` each.
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
    error_message = "managed_instances.memory_size_mb must be 2048, 4096, 8192, 16384 or 32768, for 1, 2, 4, 8 or 16 vCPUs."
  }

  validation {
    condition = var.managed_instances == null ? true : (
      0 <= var.managed_instances.minimum_environments &&
      var.managed_instances.minimum_environments <= var.managed_instances.maximum_environments &&
      alltrue([for number in [var.managed_instances.minimum_environments, var.managed_instances.maximum_environments] : floor(number) == number])
    )
    error_message = "managed_instances.minimum_environments and maximum_environments must be whole numbers, and the minimum must not be above the maximum."
  }

  validation {
    condition = var.managed_instances == null ? true : (
      local.versions_at_once * var.managed_instances.maximum_environments * var.managed_instances.memory_size_mb / local.memory_mib_per_vcpu <= local.maximum_vcpus
    )
    error_message = "managed_instances.maximum_environments times the vCPUs of one environment must be at most ${local.maximum_vcpus / local.versions_at_once}. A capacity provider has at most ${local.maximum_vcpus} vCPUs, and during a release two versions share them."
  }

  validation {
    condition     = var.managed_instances == null ? true : length(var.managed_instances.subnet_ids) >= 1 && length(var.managed_instances.security_group_ids) >= 1
    error_message = "managed_instances needs at least one subnet and one security group. Use subnets in three availability zones, to survive the loss of one."
  }
}

variable "memory_size_mb" {
  description = "Memory in MB. 1,769 MB is one vCPU. With less, a hash takes longer for the same price; with more, one hash is no faster."
  type        = number
  default     = 1769
  nullable    = false

  validation {
    condition     = var.memory_size_mb >= 256 && var.memory_size_mb <= 10240 && floor(var.memory_size_mb) == var.memory_size_mb
    error_message = "memory_size_mb must be a whole number from 256 to 10240. The shipped policies need 256; Lambda's maximum is 10240."
  }
}

variable "name" {
  description = "Name of the function, and prefix of all other names."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,39}$", var.name))
    error_message = "name must have 2 to 40 lower-case letters, digits and hyphens, and begin with a letter."
  }
}

variable "package_file" {
  description = "The zip from `make package`. A new hash of the zip publishes a new version, and another path does not."
  type        = string
  nullable    = false

  validation {
    condition     = fileexists(var.package_file)
    error_message = <<-EOT
      The file ${var.package_file} does not exist. In the root of the repository, run:
        make package
    EOT
  }

  validation {
    condition     = !strcontains(basename(var.package_file), var.architecture == "arm64" ? "x86-64" : "arm64")
    error_message = "${basename(var.package_file)} is not for ${var.architecture}. Set architecture, or build the other package."
  }
}

variable "release_during_event" {
  description = <<-EOT
    Allows an apply that may move `live` while an event is current. Without it such an apply is refused unless
    `rollback_to_version` holds the version: a new version has no environment ready.
  EOT
  type        = bool
  default     = false
  nullable    = false
}

variable "rollback_to_version" {
  description = "Holds the alias `live` on this published version, for example `\"41\"`. If it is `null`, the alias follows the newest version."
  type        = string
  default     = null

  validation {
    condition     = var.rollback_to_version == null ? true : can(regex("^[1-9][0-9]*$", var.rollback_to_version))
    error_message = "rollback_to_version must be the number of a published version, for example \"41\"."
  }
}

variable "seal_key_holders" {
  description = <<-EOT
    ARNs of the IAM roles and users that may encrypt the secrets of the function, and decrypt their own copies. With one of
    them the module creates a KMS key, alias `<name>-secrets`. It reports each decryption that is not the function's. Without
    holders the function has neither seal keys nor a Firebase project.
  EOT
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.seal_key_holders : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/[A-Za-z0-9+=,.@_/-]+$", arn))])
    error_message = "Each of seal_key_holders must be the ARN of one IAM role or user, for example arn:aws:iam::123456789012:role/security. Wildcards and whole accounts are not allowed."
  }
}

variable "settings" {
  description = <<-EOT
    Settings of the function. None of them is secret. `accept_weak` names the schemes of which the function verifies weak
    hashes too: unsalted, fast or below a floor (`["ldap-sha"]`, or `["all"]`). `blocklist` names a layer version, and in it a list
    of breached passwords, which get no new hash (`saltern blocklist build`). `ceilings` lowers ceilings of the policy document
    (`{ bcrypt_cost = 12 }`). The function does not start if a ceiling is above that of the document, or below the cost of a
    listed policy. `distributions` is `cloudwatch` to send the distributions to CloudWatch's API, or `printed` to write them
    to the log. `distributions_seconds` is the minimum number of seconds between two such calls. `firebase_project`
    (its parameters) and `seal_keys` (the keys of sealed hashes) name a layer version, and a file in it that KMS has encrypted
    (infra/README.md). `kernels` is `lanes`, or `crates` for the reference implementations. `upgrades` says which of the matches
    that need a new hash get one: `on`, `off`, or a share such as `10%`.
  EOT
  type = object({
    accept_weak = optional(list(string), [])
    blocklist = optional(object({
      layer_arn = string
      file      = optional(string, "/opt/breached")
    }))
    ceilings              = optional(map(number), {})
    distributions         = optional(string, "cloudwatch")
    distributions_seconds = optional(number, 30)
    firebase_project = optional(object({
      layer_arn = string
      file      = optional(string, "/opt/firebase-project.kms")
    }))
    kernels = optional(string, "lanes")
    seal_keys = optional(object({
      layer_arn = string
      file      = optional(string, "/opt/seal-keys.kms")
    }))
    upgrades = optional(string, "on")
  })
  default  = {}
  nullable = false

  validation {
    condition     = length(setsubtract(var.settings.accept_weak, concat(["all"], local.setting_names.accept_weak))) == 0
    error_message = "accept_weak must be [\"all\"] or some of ${join(", ", local.setting_names.accept_weak)}. With another name the function does not start."
  }

  validation {
    condition     = !contains(var.settings.accept_weak, "all") || length(var.settings.accept_weak) == 1
    error_message = "accept_weak must be [\"all\"] or a list of names. all already includes every name."
  }

  validation {
    condition     = contains(["cloudwatch", "printed"], var.settings.distributions)
    error_message = "distributions must be cloudwatch or printed."
  }

  validation {
    condition = (
      var.settings.distributions_seconds >= 1 && var.settings.distributions_seconds <= 300 &&
      floor(var.settings.distributions_seconds) == var.settings.distributions_seconds
    )
    error_message = "distributions_seconds must be a whole number from 1 to 300."
  }

  validation {
    condition = alltrue([
      for layered in [var.settings.blocklist, var.settings.firebase_project, var.settings.seal_keys] :
      layered == null ? true : can(regex("^arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:layer:[A-Za-z0-9_-]+:[0-9]+$", layered.layer_arn))
    ])
    error_message = "blocklist_layer_arn, firebase_project_layer_arn and seal_keys_layer_arn must be ARNs of layer versions, for example arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets:3."
  }

  validation {
    condition = alltrue([
      for layered in [var.settings.blocklist, var.settings.firebase_project, var.settings.seal_keys] :
      layered == null ? true : can(regex("^/opt/[A-Za-z0-9._/-]+$", layered.file))
    ])
    error_message = "In settings, the file of blocklist, firebase_project and seal_keys must be a path under /opt, where Lambda extracts the layer."
  }

  validation {
    condition = length(distinct(compact([for layered in [var.settings.blocklist, var.settings.firebase_project, var.settings.seal_keys] : try(layered.layer_arn, "")]))) == length(distinct(compact([
      for layered in [var.settings.blocklist, var.settings.firebase_project, var.settings.seal_keys] : try(trimsuffix(layered.layer_arn, regex(":[0-9]+$", layered.layer_arn)), "")
    ])))
    error_message = "Two of blocklist_layer_arn, firebase_project_layer_arn and seal_keys_layer_arn name different versions of one layer, which Lambda refuses. Publish the files in one version, and name it in each."
  }

  validation {
    condition     = contains(["lanes", "crates"], var.settings.kernels)
    error_message = "kernels must be lanes or crates."
  }

  validation {
    condition     = can(regex("^(on|off|([0-9]|[1-9][0-9]|100)%)$", var.settings.upgrades))
    error_message = "upgrades must be on, off or a share from 0% to 100%."
  }

  validation {
    condition     = alltrue([for name, value in var.settings.ceilings : contains(local.setting_names.ceilings, name) && value >= 0 && floor(value) == value])
    error_message = <<-EOT
      ceilings must be whole numbers for some of ${join(", ", local.setting_names.ceilings)}. With another name the function does not start. For example:
        ceilings = { bcrypt_cost = 12 }
    EOT
  }
}

variable "signing" {
  description = <<-EOT
    Signs the package, and Lambda then refuses unsigned packages. `artefact_bucket` is a versioned bucket in this region, for
    example that of bootstrap. One apply uploads the package to the bucket, signs it there with AWS Signer, and deploys it
    from there. `null` deploys the package unsigned.
  EOT
  type = object({
    artefact_bucket = string
  })
  default = null
}

variable "timeout_seconds" {
  description = "Seconds after which Lambda terminates a request. The deadline of the service is 100 ms earlier."
  type        = number
  default     = 10
  nullable    = false

  validation {
    condition     = var.timeout_seconds >= 1 && var.timeout_seconds <= 60 && floor(var.timeout_seconds) == var.timeout_seconds
    error_message = "timeout_seconds must be a whole number from 1 to 60: the longest deadline of a caller is 60 s."
  }
}
