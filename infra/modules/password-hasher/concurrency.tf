# Provisioned concurrency: environments that are ready before a request arrives. Application Auto
# Scaling sets their number. Target tracking moves the number between two bounds, and the schedule
# of events moves the bounds.

locals {
  # Without an event the bound of target tracking. During an event more, because more logins may
  # arrive than expected.
  _everyday_maximum = local.stopped ? 0 : max(var.capacity.provisioned_minimum, var.capacity.provisioned_maximum)
  _event_maximum    = coalesce(var.capacity.provisioned_maximum_in_events, var.capacity.reserved_concurrency)
  maximum_at = {
    for name, minimum in local.minimum_at : name => (
      length(local.environments_at[name]) > 0 ? max(minimum, local._everyday_maximum, local._event_maximum) : local._everyday_maximum
    )
  }
}

# The apply that creates it waits until the minimum of the moment is ready: the everyday minimum, or
# that of a current event. If provisioned_minimum was 0 before, target tracking may have provisioned
# more. This apply then releases the rest, and target tracking adds it again. Its deletion releases
# nothing. Without skip_destroy a provisioned_minimum of 0 would release the environments of a
# current event too.
resource "aws_lambda_provisioned_concurrency_config" "live" {
  count = !local.managed && local.baseline > 0 ? 1 : 0

  function_name                     = aws_lambda_function.main.function_name
  qualifier                         = aws_lambda_alias.live.name
  provisioned_concurrent_executions = local.minimum_at.now
  skip_destroy                      = true

  lifecycle {
    ignore_changes = [provisioned_concurrent_executions] # Application Auto Scaling sets it
  }
}

# It always exists. A deregistered target leaves the environments of the moment provisioned and paid
# for. A target with the bounds 0 and 0 releases them.
resource "aws_appautoscaling_target" "live" {
  count = local.managed ? 0 : 1

  service_namespace  = "lambda"
  scalable_dimension = "lambda:function:ProvisionedConcurrency"
  resource_id        = "function:${aws_lambda_function.main.function_name}:${aws_lambda_alias.live.name}"

  # The bounds that the schedule has set by now, so that an apply during an event changes nothing.
  min_capacity = local.minimum_at.now
  max_capacity = local.maximum_at.now

  depends_on = [aws_lambda_provisioned_concurrency_config.live]
}

resource "aws_appautoscaling_policy" "utilisation" {
  count = local.managed ? 0 : 1

  name               = "${var.name}-utilisation"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.live[0].service_namespace
  scalable_dimension = aws_appautoscaling_target.live[0].scalable_dimension
  resource_id        = aws_appautoscaling_target.live[0].resource_id

  target_tracking_scaling_policy_configuration {
    target_value = local.limits.target_utilisation_percent / 100

    # The predefined metric has no data without calls, and target tracking would then not scale in.
    customized_metric_specification {
      metrics {
        id          = "utilisation"
        return_data = false

        metric_stat {
          stat = "Maximum"

          metric {
            namespace   = "AWS/Lambda"
            metric_name = "ProvisionedConcurrencyUtilization"

            dimensions {
              name  = "FunctionName"
              value = var.name
            }

            dimensions {
              name  = "Resource"
              value = local.alias_dimension
            }
          }
        }
      }

      metrics {
        id          = "filled"
        expression  = "FILL(utilisation, 0)"
        label       = "Utilisation of provisioned concurrency, 0 without calls"
        return_data = true
      }
    }
  }
}

resource "aws_appautoscaling_scheduled_action" "event" {
  for_each = local.managed ? {} : local.changes

  name               = each.key
  service_namespace  = aws_appautoscaling_target.live[0].service_namespace
  scalable_dimension = aws_appautoscaling_target.live[0].scalable_dimension
  resource_id        = aws_appautoscaling_target.live[0].resource_id
  schedule           = "at(${formatdate("YYYY-MM-DD'T'hh:mm:ss", each.value)})"
  timezone           = "UTC"

  scalable_target_action {
    min_capacity = local.minimum_at[each.key]
    max_capacity = local.maximum_at[each.key]
  }
}
