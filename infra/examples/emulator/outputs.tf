output "alias_arn" {
  description = "What callers invoke."
  value       = module.saltern.alias_arn
}
