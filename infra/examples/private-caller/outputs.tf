output "alias_arn" {
  description = "What the backend invokes."
  value       = module.saltern.alias_arn
}
