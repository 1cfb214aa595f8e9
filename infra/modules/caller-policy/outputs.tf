output "policy_arn" {
  description = "ARN of the policy."
  value       = aws_iam_policy.main.arn
}

output "policy_json" {
  description = "The policy document, for a role in another account."
  value       = local.policy_json
}
