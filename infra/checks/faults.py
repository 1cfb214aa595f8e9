"""Faults that Terraform's schema does not find.

Each is put into a planned resource, and the checks must find it.
"""

import copy
import dataclasses
import json

import calls
import emulator
import policies


# For each fault: the type, the changed arguments, and a part of the expected message.
FAULTS = {
    "an unknown runtime": ("aws_lambda_function", {"runtime": "provided.al2099"}, "is none of"),
    "an unknown architecture": ("aws_lambda_function", {"architectures": ["arm65"]}, "is none of"),
    "a name that Lambda does not allow": ("aws_lambda_function", {"function_name": "salt ern"}, "does not match"),
    "more memory than Lambda has": ("aws_lambda_function", {"memory_size": 40960}, "at most 32768"),
    "a timeout of zero": ("aws_lambda_function", {"timeout": 0}, "valid min value"),
    "a role that is not an ARN": ("aws_lambda_function", {"role": "saltern-execution"}, "does not match"),
    "a number instead of a string": ("aws_lambda_function", {"handler": 7}, "valid type"),
    "an argument that the API does not have": ("aws_lambda_function", {"memory_sise": 1769}, "no such member"),
    "an alias without a version": ("aws_lambda_alias", {"function_version": None}, "Missing required parameter"),
    "an alias that is a number": ("aws_lambda_alias", {"name": "7"}, "does not match"),
    "a public URL with a wrong name": ("aws_lambda_function_url", {"authorization_type": "NOBODY"}, "is none of"),
    "a permission with an invalid action": ("aws_lambda_permission", {"action": "invoke"}, "does not match"),
    "an unknown comparison": ("aws_cloudwatch_metric_alarm", {"comparison_operator": "Above"}, "is none of"),
    "a description that is too long": ("aws_cloudwatch_metric_alarm", {"alarm_description": "x" * 1025}, "at most 1024"),
    "a dashboard that is not JSON": ("aws_cloudwatch_dashboard", {"dashboard_body": "{"}, "DashboardBody"),
    "a policy that is not JSON": ("aws_iam_role_policy", {"policy": "{"}, "PolicyDocument"),
    "a wildcard for an action": ("aws_iam_role_policy", {"policy": json.dumps({"Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "arn:aws:s3:::a"}]})}, "wildcard"),
    "a statement for every resource": ("aws_iam_role_policy", {"policy": json.dumps({"Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]})}, "every resource"),
    "a public key policy": ("aws_kms_key", {"policy": json.dumps({"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "kms:Decrypt", "Resource": "arn:aws:kms:::a"}]})}, "public"),
    "a public role": ("aws_iam_role", {"assume_role_policy": json.dumps({"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}]})}, "public"),
    "a role name that is too long": ("aws_iam_role", {"name": "x" * 65}, "at most 64"),
    "an unknown scalable dimension": ("aws_appautoscaling_target", {"scalable_dimension": "lambda:function:Concurrency"}, "is none of"),
    "a schedule without a target": ("aws_scheduler_schedule", {"target": None}, "Missing required parameter"),
    "an unknown signing policy": ("aws_lambda_code_signing_config", {"policies": [{"untrusted_artifact_on_deployment": "Refuse"}]}, "is none of"),
    "an encryption that S3 does not have": (
        "aws_s3_bucket_server_side_encryption_configuration",
        {"rule": [{"apply_server_side_encryption_by_default": [{"sse_algorithm": "rot13"}]}]},
        "is none of",
    ),
    "a type that resources.py does not list": ("aws_sqs_queue", {}, "no call of AWS's API for"),
}


def not_found(seen, api):
    for what, (type_, changes, said) in FAULTS.items():
        sound = seen.get(type_, next(iter(seen.values())))
        arguments = {name: value for name, value in (copy.deepcopy(sound.arguments) | changes).items() if value is not None}
        made, problems = calls.of(dataclasses.replace(sound, type=type_, arguments=arguments), api)
        if not any(said in problem for problem in problems + policy_problems(made)):
            yield f"{what}: expected a message with {said!r}, found {problems}"


def unnoticed_by_the_emulator(made):
    """Returns the wrong statements about a supported call that emulator.py does not find."""
    sound = next(one for one in made if one.call.operation == "PutDashboard")
    wrongly = {
        "moto supports it now": {"missing": "Not yet implemented"},
        "moto stores DashboardName now": {"dropped": ("DashboardName",)},
        "returned as 'another'": {"read": lambda _api, sent: sent | {"DashboardName": "another"}},
        "resources.py does not read it back": {"read": None},
    }
    wrong = [dataclasses.replace(sound, call=dataclasses.replace(sound.call, **changes)) for changes in wrongly.values()]
    problems = emulator.make(wrong).problems
    return [f"no message contains {said!r}" for said in wrongly if not any(said in problem for problem in problems)]


def policy_problems(made):
    try:
        return list(policies.problems(made))
    except json.JSONDecodeError:
        return []  # calls.py reports invalid JSON
