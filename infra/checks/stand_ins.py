"""Stand-ins for the values that AWS decides during an apply.

A plan does not know the ARN of a role that it creates, so it does not know a policy with that ARN
either. This module makes a stand-in in AWS's format for every such value. Terraform plans again
with the stand-ins, and then every value is known.
"""

import hashlib

ACCOUNT = "123456789012"
REGION = "eu-north-1"


def overrides(plan):
    """Returns a JSON test file for Terraform that makes the same plan with stand-ins."""
    return {
        "mock_provider": {"aws": {}},
        "override_resource": [
            {"target": change["address"], "override_during": "plan", "values": STAND_INS[change["type"]](change["address"], change["change"]["after"])}
            for change in plan["resource_changes"]
            if change["type"] in STAND_INS
        ],
        "run": {"known": {"command": "plan"}},
    }


def arn(service, resource, region=REGION):
    return f"arn:aws:{service}:{region}:{ACCOUNT}:{resource}"


def digits(address, count):
    """Returns hexadecimal digits that are unique to the resource."""
    return hashlib.sha256(address.encode()).hexdigest()[:count]


def bucket(_address, known):
    return {"arn": f"arn:aws:s3:::{known['bucket']}", "id": known["bucket"]}


def capacity_provider(_address, known):
    return {"arn": arn("lambda", f"capacity-provider:{known['name']}")}


def code_signing_config(address, _known):
    return {"arn": arn("lambda", f"code-signing-config:csc-{digits(address, 17)}")}


def function(_address, known):
    name = known["function_name"]
    return {"arn": arn("lambda", f"function:{name}"), "id": name, "version": "1"}


def function_url(address, known):
    return {"function_url": f"https://{digits(address, 32)}.lambda-url.{REGION}.on.aws/", "id": known["function_name"]}


def key(address, _known):
    name = digits(address, 32)
    identifier = f"{name[:8]}-{name[8:12]}-4{name[13:16]}-8{name[17:20]}-{name[20:32]}"
    return {"arn": arn("kms", f"key/{identifier}"), "id": identifier, "key_id": identifier}


def lambda_alias(_address, known):
    return {"arn": arn("lambda", f"function:{known['function_name']}:{known['name']}")}


def log_group(_address, known):
    return {"arn": arn("logs", f"log-group:{known['name']}"), "id": known["name"]}


def policy(_address, known):
    return {"arn": arn("iam", f"policy/{known['name']}", region="")}


def role(_address, known):
    return {"arn": arn("iam", f"role/{known['name']}", region=""), "id": known["name"]}


def s3_object(address, known):
    return {"id": known["key"], "version_id": digits(address, 32)}


def security_group(address, _known):
    return {"id": f"sg-{digits(address, 17)}"}


def signing_job(address, known):
    destination = known["destination"][0]["s3"][0]
    job = digits(address, 32)
    return {"job_id": job, "signed_object": [{"s3": [{"bucket": destination["bucket"], "key": f"{destination['prefix']}{job}.zip"}]}]}


def signing_profile(address, known):
    # The provider makes the name from the prefix in the same way.
    name = f"{known['name_prefix']}{digits(address, 26)}"
    return {"name": name, "version_arn": arn("signer", f"/signing-profiles/{name}/{digits(address, 10)}")}


def vpc_endpoint(address, _known):
    return {"id": f"vpce-{digits(address, 17)}"}


STAND_INS = {
    "aws_cloudwatch_log_group": log_group,
    "aws_iam_policy": policy,
    "aws_iam_role": role,
    "aws_kms_key": key,
    "aws_lambda_alias": lambda_alias,
    "aws_lambda_capacity_provider": capacity_provider,
    "aws_lambda_code_signing_config": code_signing_config,
    "aws_lambda_function": function,
    "aws_lambda_function_url": function_url,
    "aws_s3_bucket": bucket,
    "aws_s3_object": s3_object,
    "aws_security_group": security_group,
    "aws_signer_signing_job": signing_job,
    "aws_signer_signing_profile": signing_profile,
    "aws_vpc_endpoint": vpc_endpoint,
}
