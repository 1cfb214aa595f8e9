package_file = "../../modules/password-hasher/tests/saltern-lambda-arm64.zip"

events = [
  { name = "gala", starts_at = "2099-12-06T18:00:00Z", ends_at = "2099-12-06T21:30:00Z", expected_logins_per_second = 1500 },
]
