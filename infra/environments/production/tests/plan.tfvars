account                    = { concurrency = 3000, id = "123456789012", partition = "aws", region = "eu-north-1" }
alarm_topic_arn            = "arn:aws:sns:eu-north-1:123456789012:on-call"
artefact_bucket            = "example-saltern-artefacts"
callers                    = { backend = "arn:aws:iam::123456789012:role/backend" }
client_metrics_namespace   = "backend"
firebase_project_layer_arn = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets:1"
package_file               = "../../modules/password-hasher/tests/saltern-lambda-arm64.zip"
region                     = "eu-north-1"
seal_key_holders           = ["arn:aws:iam::123456789012:role/security"]
seal_keys_layer_arn        = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern-secrets:1"
upgrades_per_second        = 0

events = [
  { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 3000, utc_offset = "+02:00" },
]
