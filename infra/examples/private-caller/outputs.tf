output "alias_arn" {
  description = "ARN of the alias that the backend invokes."
  value       = module.saltern.alias_arn
}
