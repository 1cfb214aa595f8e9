account_id    = "123456789012"
bucket_prefix = "example"
region        = "eu-north-1"
