"""Faults that Terraform's schema does not see, put into what was planned: each must be found."""

import copy
import dataclasses
import json

import calls
import emulator
import policies


# What is wrong, in which type's arguments, and what must be said of it.
FAULTS = {
    "an unknown runtime": ("aws_lambda_function", {"runtime": "provided.al2099"}, "is none of"),
    "an unknown architecture": ("aws_lambda_function", {"architectures": ["arm65"]}, "is none of"),
    "a name that Lambda does not take": ("aws_lambda_function", {"function_name": "salt ern"}, "does not match"),
    "more memory than there is": ("aws_lambda_function", {"memory_size": 40960}, "at most 32768"),
    "no time at all": ("aws_lambda_function", {"timeout": 0}, "valid min value"),
    "a role that is no ARN": ("aws_lambda_function", {"role": "saltern-execution"}, "does not match"),
    "a number for text": ("aws_lambda_function", {"handler": 7}, "valid type"),
    "an argument without a member": ("aws_lambda_function", {"memory_sise": 1769}, "no such member"),
    "no alias to lead to": ("aws_lambda_alias", {"function_version": None}, "Missing required parameter"),
    "an alias that is a number": ("aws_lambda_alias", {"name": "7"}, "does not match"),
    "a URL for everybody by a wrong word": ("aws_lambda_function_url", {"authorization_type": "NOBODY"}, "is none of"),
    "a permission without an action": ("aws_lambda_permission", {"action": "invoke"}, "does not match"),
    "a comparison that is none": ("aws_cloudwatch_metric_alarm", {"comparison_operator": "Above"}, "is none of"),
    "a description beyond its length": ("aws_cloudwatch_metric_alarm", {"alarm_description": "x" * 1025}, "at most 1024"),
    "a dashboard that is not JSON": ("aws_cloudwatch_dashboard", {"dashboard_body": "{"}, "DashboardBody"),
    "a policy that is not JSON": ("aws_iam_role_policy", {"policy": "{"}, "PolicyDocument"),
    "a wildcard for an action": ("aws_iam_role_policy", {"policy": json.dumps({"Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "arn:aws:s3:::a"}]})}, "wildcard"),
    "every resource": ("aws_iam_role_policy", {"policy": json.dumps({"Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]})}, "every resource"),
    "a key for everybody": ("aws_kms_key", {"policy": json.dumps({"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "kms:Decrypt", "Resource": "arn:aws:kms:::a"}]})}, "everybody"),
    "a role that everybody takes": ("aws_iam_role", {"assume_role_policy": json.dumps({"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}]})}, "everybody"),
    "a name beyond IAM's": ("aws_iam_role", {"name": "x" * 65}, "at most 64"),
    "a dimension of another service": ("aws_appautoscaling_target", {"scalable_dimension": "lambda:function:Concurrency"}, "is none of"),
    "a schedule's target that lacks a number": ("aws_scheduler_schedule", {"target": None}, "Missing required parameter"),
    "a platform that Signer lacks in form": ("aws_lambda_code_signing_config", {"policies": [{"untrusted_artifact_on_deployment": "Refuse"}]}, "is none of"),
    "an encryption that S3 has not": (
        "aws_s3_bucket_server_side_encryption_configuration",
        {"rule": [{"apply_server_side_encryption_by_default": [{"sse_algorithm": "rot13"}]}]},
        "is none of",
    ),
    "a type that nobody listed": ("aws_sqs_queue", {}, "no call of AWS's API is known"),
}


def not_found(seen, api):
    for what, (type_, changes, said) in FAULTS.items():
        sound = seen.get(type_, next(iter(seen.values())))
        arguments = {name: value for name, value in (copy.deepcopy(sound.arguments) | changes).items() if value is not None}
        made, problems = calls.of(dataclasses.replace(sound, type=type_, arguments=arguments), api)
        if not any(said in problem for problem in problems + policy_problems(made)):
            yield f"{what}: nothing said {said!r}, but {problems}"


def unnoticed_by_the_emulator(made):
    """What resources.py may wrongly say of moto, said of a call that moto knows."""
    sound = next(one for one in made if one.call.operation == "PutDashboard")
    wrongly = {
        "moto has learned it": {"missing": "Not yet implemented"},
        "moto has learned DashboardName": {"dropped": ("DashboardName",)},
        "came back as 'another'": {"read": lambda _api, sent: sent | {"DashboardName": "another"}},
        "nothing in resources.py reads it back": {"read": None},
    }
    wrong = [dataclasses.replace(sound, call=dataclasses.replace(sound.call, **changes)) for changes in wrongly.values()]
    problems = emulator.make(wrong).problems
    return [f"nobody says that {said}" for said in wrongly if not any(said in problem for problem in problems)]


def policy_problems(made):
    try:
        return list(policies.problems(made))
    except json.JSONDecodeError:
        return []  # the model's check has said so
