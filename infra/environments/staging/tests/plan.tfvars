account         = { concurrency = 1000, id = "123456789012", partition = "aws", region = "eu-north-1" }
alarm_topic_arn = "arn:aws:sns:eu-north-1:123456789012:on-call"

function_url_callers = { backend = "arn:aws:iam::123456789012:role/backend" }
package_file         = "../../modules/password-hasher/tests/saltern-lambda-arm64.zip"
region               = "eu-north-1"
