account         = { concurrency = 1000, id = "123456789012", partition = "aws", region = "eu-north-1" }
alarm_topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call"
package_file    = "../../modules/password-hasher/tests/saltern-lambda-arm64.zip"
region          = "eu-north-1"

security_group_ids = ["sg-0123456789abcdef0"]
subnet_ids         = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1", "subnet-0123456789abcdef2"]

events = [
  { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 500 },
]
