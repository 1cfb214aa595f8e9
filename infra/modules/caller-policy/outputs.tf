output "policy_arn" {
  description = "ARN of the policy."
  value       = aws_iam_policy.main.arn
}

output "policy_json" {
  description = "The policy itself, for a role of another account."
  value       = local.policy_json
}
