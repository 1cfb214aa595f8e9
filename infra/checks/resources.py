"""Which calls of AWS's API each type of resource becomes, in an order in which the resources can be made.

An argument of Terraform and a member of the API belong together by name; a call names those that differ. What a call has no
member for fails the check, and so does an argument that no call takes, and a type that is not here.
"""

import dataclasses
import json
import typing

from stand_ins import REGION


def as_written(arguments):
    return arguments


@dataclasses.dataclass(frozen=True)
class Call:
    operation: str
    # The arguments that it takes, where they are given; without a list all that the resource's other calls leave.
    takes: tuple | None = None
    # What it needs besides: arguments of the first call, or what that call answered.
    shares: tuple = ()
    # An argument and the value with which there is nothing to call.
    without: dict = dataclasses.field(default_factory=dict)
    # Arguments that the API calls otherwise.
    names: dict = dataclasses.field(default_factory=dict)
    # From Terraform's form into the API's, where names alone do not do.
    form: typing.Callable = as_written
    # In the emulator: how what was sent is read back, in the form in which it was sent.
    read: typing.Callable | None = None
    # Members that an answer does not repeat, even at AWS.
    not_answered: tuple = ()
    # Members that the emulator takes and forgets.
    dropped: tuple = ()
    # What the emulator says, where it does not know the call.
    missing: str | None = None


@dataclasses.dataclass(frozen=True)
class Resource:
    service: str
    calls: tuple
    # Arguments that Terraform keeps to itself, with the reason.
    terraforms_own: dict = dataclasses.field(default_factory=dict)
    # What the first call answers of the attributes that stand_ins.py makes up.
    answers: typing.Callable | None = None


def dimensions(by_name):
    return [{"name": name, "value": value} for name, value in by_name.items()]


def alarm(arguments):
    """In the API a metric's statistic and period stand beside the metric, not in it."""
    made = dict(arguments)
    if "dimensions" in made:
        made["dimensions"] = dimensions(made["dimensions"])
    if "metric_query" in made:
        made["metric_query"] = [metric_query(query) for query in made["metric_query"]]
    return made


def metric_query(query):
    if not query["metric"]:
        return {name: value for name, value in query.items() if name != "metric"}
    metric = query["metric"][0]
    stated = {
        "metric": {"namespace": metric["namespace"], "metric_name": metric["metric_name"], "dimensions": dimensions(metric["dimensions"])},
        "period": metric["period"],
        "stat": metric["stat"],
    }
    others = {name: value for name, value in query.items() if name not in ("metric", "return_data")}
    # Terraform's default is false, the API's is true: the provider always says which.
    return others | {"metric_stat": stated, "return_data": bool(query["return_data"])}


def under(member, *within):
    """Moves all but the bucket into a structure that Terraform does not have."""

    def form(arguments):
        rest = {within[0]: arguments["rule"]} if within else {name: value for name, value in arguments.items() if name != "bucket"}
        return {"bucket": arguments["bucket"], member: rest}

    return form


def function(arguments):
    code = {name: arguments[name] for name in ("s3_bucket", "s3_key") if name in arguments}
    if "filename" in arguments:
        # Not the package itself: what is checked is the call, not the zip.
        code["zip_file"] = EMPTY_ZIP
    rest = {name: value for name, value in arguments.items() if name not in ("filename", "s3_bucket", "s3_key")}
    return rest | {"code": code}


def ingress(arguments):
    permission = {name: arguments[name] for name in ("from_port", "ip_protocol", "to_port")}
    pair = {"group_id": arguments["referenced_security_group_id"], "description": arguments["description"]}
    return {"group_id": arguments["security_group_id"], "ip_permissions": [permission | {"user_id_group_pairs": [pair]}]}


def signing_job(arguments):
    # The token makes a repeated call harmless; the provider makes one up.
    return arguments | {"client_request_token": "token"}


def signing_profile(arguments):
    return {"platform_id": arguments["platform_id"], "profile_name": f"{arguments['name_prefix']}{'0' * 26}"}


def rotation(arguments):
    if not arguments["enable_key_rotation"]:
        raise ValueError("enable_key_rotation is false; every key here is rotated")
    return {"key_id": arguments["key_id"]}


def bucket(arguments):
    return arguments | {"create_bucket_configuration": {"location_constraint": REGION}}


NOT_IMPLEMENTED = "Not yet implemented"

# The bytes of a zip without a file.
EMPTY_ZIP = b"PK\x05\x06" + bytes(18)


def listed(answer, key, name, value):
    """The one of a list that has this name; what is not there is an error, as with an API that asks for one."""
    found = [part for part in answer[key] if part[name] == value]
    if not found:
        raise LookupError(f"{value} is not listed")
    return found[0]


def read_alarm(api, sent):
    return api.describe_alarms(AlarmNames=[sent["AlarmName"]])["MetricAlarms"][0]


def read_dashboard(api, sent):
    return api.get_dashboard(DashboardName=sent["DashboardName"])


def read_log_group(api, sent):
    return listed(api.describe_log_groups(logGroupNamePrefix=sent["logGroupName"]), "logGroups", "logGroupName", sent["logGroupName"])


def read_key(api, sent, made):
    identifier = made["KeyMetadata"]["KeyId"]
    return api.describe_key(KeyId=identifier)["KeyMetadata"] | {"Policy": api.get_key_policy(KeyId=identifier, PolicyName="default")["Policy"]}


def read_rotation(api, sent):
    if not api.get_key_rotation_status(KeyId=sent["KeyId"])["KeyRotationEnabled"]:
        raise LookupError("the key is not rotated")
    return sent


def read_key_alias(api, sent):
    return listed(api.list_aliases(), "Aliases", "AliasName", sent["AliasName"])


def read_role(api, sent):
    return api.get_role(RoleName=sent["RoleName"])["Role"]


def read_role_policy(api, sent):
    return api.get_role_policy(RoleName=sent["RoleName"], PolicyName=sent["PolicyName"])


def read_policy(api, sent, made):
    policy = api.get_policy(PolicyArn=made["Policy"]["Arn"])["Policy"]
    version = api.get_policy_version(PolicyArn=policy["Arn"], VersionId=policy["DefaultVersionId"])["PolicyVersion"]
    return policy | {"PolicyDocument": version["Document"]}


def read_attachment(api, sent):
    attached = listed(api.list_attached_role_policies(RoleName=sent["RoleName"]), "AttachedPolicies", "PolicyArn", sent["PolicyArn"])
    return attached | {"RoleName": sent["RoleName"]}


def read_bucket(api, sent):
    return {"Bucket": sent["Bucket"], "CreateBucketConfiguration": {"LocationConstraint": api.get_bucket_location(Bucket=sent["Bucket"])["LocationConstraint"]}}


def read_of_bucket(operation, member=None):
    def read(api, sent):
        answer = getattr(api, operation)(Bucket=sent["Bucket"])
        return {"Bucket": sent["Bucket"]} | ({member: answer} if member else answer)

    return read


def read_object(api, sent):
    return {"Bucket": sent["Bucket"], "Key": sent["Key"], "Body": api.get_object(Bucket=sent["Bucket"], Key=sent["Key"])["Body"].read()}


def read_function(api, sent):
    return api.get_function(FunctionName=sent["FunctionName"])["Configuration"]


def read_function_concurrency(api, sent):
    return {"FunctionName": sent["FunctionName"]} | api.get_function_concurrency(FunctionName=sent["FunctionName"])


def read_alias(api, sent):
    return api.get_alias(FunctionName=sent["FunctionName"], Name=sent["Name"]) | {"FunctionName": sent["FunctionName"]}


def read_url(api, sent):
    asked = {name: sent[name] for name in ("FunctionName", "Qualifier")}
    return asked | api.get_function_url_config(**asked)


def read_permission(api, sent):
    """A permission comes back as a statement of the function's policy; moto leaves the conditions as they were sent."""
    asked = {name: sent[name] for name in ("FunctionName", "Qualifier")}
    statements = json.loads(api.get_policy(**asked)["Policy"])
    statement = listed(statements, "Statement", "Sid", sent["StatementId"])
    return asked | statement | {"StatementId": statement["Sid"]}


def read_target(api, sent):
    return api.describe_scalable_targets(ServiceNamespace=sent["ServiceNamespace"], ResourceIds=[sent["ResourceId"]])["ScalableTargets"][0]


def read_scaling_policy(api, sent):
    return listed(api.describe_scaling_policies(ServiceNamespace=sent["ServiceNamespace"]), "ScalingPolicies", "PolicyName", sent["PolicyName"])


def read_scheduled_action(api, sent):
    return listed(api.describe_scheduled_actions(ServiceNamespace=sent["ServiceNamespace"]), "ScheduledActions", "ScheduledActionName", sent["ScheduledActionName"])


def read_schedule(api, sent):
    return api.get_schedule(GroupName=sent["GroupName"], Name=sent["Name"])


def read_profile(api, sent):
    return api.get_signing_profile(profileName=sent["profileName"])


def read_security_group(api, sent, made):
    return api.describe_security_groups(GroupIds=[made["GroupId"]])["SecurityGroups"][0]


def read_ingress(api, sent):
    group = api.describe_security_groups(GroupIds=[sent["GroupId"]])["SecurityGroups"][0]
    return {"GroupId": group["GroupId"], "IpPermissions": group["IpPermissions"]}


def read_endpoint(api, sent, made):
    answer = api.describe_vpc_endpoints(VpcEndpointIds=[made["VpcEndpoint"]["VpcEndpointId"]])["VpcEndpoints"][0]
    return answer | {"SecurityGroupIds": [group["GroupId"] for group in answer.get("Groups", [])]}


RESOURCES = {
    "aws_kms_key": Resource(
        "kms",
        (
            Call("CreateKey", read=read_key),
            Call("EnableKeyRotation", takes=("enable_key_rotation",), shares=("key_id",), form=rotation, read=read_rotation),
        ),
        terraforms_own={"deletion_window_in_days": "ScheduleKeyDeletion has it, when the key is destroyed"},
        answers=lambda made: {"arn": made["KeyMetadata"]["Arn"], "key_id": made["KeyMetadata"]["KeyId"]},
    ),
    "aws_kms_alias": Resource("kms", (Call("CreateAlias", names={"name": "AliasName"}, read=read_key_alias),)),
    "aws_cloudwatch_log_group": Resource(
        "logs",
        (
            Call("CreateLogGroup", names={"name": "logGroupName"}, read=read_log_group),
            Call("PutRetentionPolicy", takes=("retention_in_days",), shares=("name",), names={"name": "logGroupName"}, read=read_log_group),
        ),
    ),
    "aws_iam_role": Resource(
        "iam",
        (Call("CreateRole", names={"name": "RoleName", "assume_role_policy": "AssumeRolePolicyDocument"}, read=read_role),),
        answers=lambda made: {"arn": made["Role"]["Arn"]},
    ),
    "aws_iam_role_policy": Resource(
        "iam",
        (Call("PutRolePolicy", names={"name": "PolicyName", "policy": "PolicyDocument", "role": "RoleName"}, read=read_role_policy),),
    ),
    "aws_s3_bucket": Resource("s3", (Call("CreateBucket", form=bucket, read=read_bucket),)),
    "aws_s3_bucket_ownership_controls": Resource(
        "s3", (Call("PutBucketOwnershipControls", form=under("ownership_controls", "rules"), read=read_of_bucket("get_bucket_ownership_controls")),)
    ),
    "aws_s3_bucket_public_access_block": Resource(
        "s3", (Call("PutPublicAccessBlock", form=under("public_access_block_configuration"), read=read_of_bucket("get_public_access_block")),)
    ),
    "aws_s3_bucket_versioning": Resource("s3", (Call("PutBucketVersioning", read=read_of_bucket("get_bucket_versioning", "VersioningConfiguration")),)),
    "aws_s3_bucket_server_side_encryption_configuration": Resource(
        "s3",
        (
            Call(
                "PutBucketEncryption",
                form=under("server_side_encryption_configuration", "rules"),
                read=read_of_bucket("get_bucket_encryption"),
            ),
        ),
    ),
    "aws_s3_bucket_lifecycle_configuration": Resource(
        "s3",
        (
            Call(
                "PutBucketLifecycleConfiguration",
                form=under("lifecycle_configuration", "rules"),
                read=read_of_bucket("get_bucket_lifecycle_configuration", "LifecycleConfiguration"),
            ),
        ),
    ),
    "aws_s3_bucket_policy": Resource("s3", (Call("PutBucketPolicy", read=read_of_bucket("get_bucket_policy")),)),
    "aws_signer_signing_profile": Resource(
        "signer",
        (Call("PutSigningProfile", form=signing_profile, read=read_profile),),
        answers=lambda made: {"version_arn": made["profileVersionArn"]},
    ),
    "aws_lambda_code_signing_config": Resource("lambda", (Call("CreateCodeSigningConfig", names={"policies": "CodeSigningPolicies"}, missing=NOT_IMPLEMENTED),)),
    "aws_s3_object": Resource(
        "s3",
        (Call("PutObject", form=lambda arguments: {"bucket": arguments["bucket"], "key": arguments["key"], "body": EMPTY_ZIP}, read=read_object),),
        terraforms_own={"source_hash": "says when to upload again"},
        answers=lambda made: {"version_id": made["VersionId"]},
    ),
    "aws_signer_signing_job": Resource("signer", (Call("StartSigningJob", names={"bucket": "bucketName"}, form=signing_job, missing=NOT_IMPLEMENTED),)),
    "aws_lambda_capacity_provider": Resource("lambda", (Call("CreateCapacityProvider", names={"name": "CapacityProviderName"}, missing=NOT_IMPLEMENTED),)),
    "aws_lambda_function": Resource(
        "lambda",
        (
            Call(
                "CreateFunction",
                form=function,
                read=read_function,
                not_answered=("Code", "Publish"),
                dropped=("CapacityProviderConfig", "CodeSigningConfigArn", "LoggingConfig"),
            ),
            Call(
                "PutFunctionConcurrency",
                takes=("reserved_concurrent_executions",),
                shares=("function_name",),
                # The provider's way to say that nothing is reserved: it makes no call.
                without={"reserved_concurrent_executions": -1},
                read=read_function_concurrency,
            ),
        ),
        terraforms_own={"source_code_hash": "says when to publish a version"},
    ),
    "aws_lambda_alias": Resource("lambda", (Call("CreateAlias", read=read_alias),)),
    "aws_lambda_function_url": Resource("lambda", (Call("CreateFunctionUrlConfig", names={"authorization_type": "AuthType"}, read=read_url),)),
    "aws_lambda_permission": Resource("lambda", (Call("AddPermission", read=read_permission),)),
    "aws_lambda_provisioned_concurrency_config": Resource("lambda", (Call("PutProvisionedConcurrencyConfig", missing=NOT_IMPLEMENTED),)),
    "aws_lambda_function_scaling_config": Resource("lambda", (Call("PutFunctionScalingConfig", missing=NOT_IMPLEMENTED),)),
    "aws_appautoscaling_target": Resource("application-autoscaling", (Call("RegisterScalableTarget", read=read_target),)),
    "aws_appautoscaling_policy": Resource("application-autoscaling", (Call("PutScalingPolicy", names={"name": "PolicyName"}, read=read_scaling_policy),)),
    "aws_appautoscaling_scheduled_action": Resource(
        "application-autoscaling", (Call("PutScheduledAction", names={"name": "ScheduledActionName"}, read=read_scheduled_action),)
    ),
    "aws_scheduler_schedule_group": Resource("scheduler", (Call("CreateScheduleGroup", read=lambda api, sent: api.get_schedule_group(Name=sent["Name"])),)),
    "aws_scheduler_schedule": Resource("scheduler", (Call("CreateSchedule", read=read_schedule),)),
    "aws_cloudwatch_metric_alarm": Resource(
        "cloudwatch", (Call("PutMetricAlarm", names={"metric_query": "Metrics"}, form=alarm, read=read_alarm),)
    ),
    "aws_cloudwatch_dashboard": Resource("cloudwatch", (Call("PutDashboard", read=read_dashboard),)),
    "aws_security_group": Resource(
        "ec2", (Call("CreateSecurityGroup", names={"name": "GroupName"}, read=read_security_group),), answers=lambda made: {"id": made["GroupId"]}
    ),
    "aws_vpc_security_group_ingress_rule": Resource("ec2", (Call("AuthorizeSecurityGroupIngress", form=ingress, read=read_ingress),)),
    "aws_vpc_endpoint": Resource(
        "ec2",
        (Call("CreateVpcEndpoint", names={"policy": "PolicyDocument"}, read=read_endpoint),),
        answers=lambda made: {"id": made["VpcEndpoint"]["VpcEndpointId"]},
    ),
    "aws_iam_policy": Resource("iam", (Call("CreatePolicy", names={"name": "PolicyName", "policy": "PolicyDocument"}, read=read_policy),)),
    "aws_iam_role_policy_attachment": Resource("iam", (Call("AttachRolePolicy", names={"role": "RoleName"}, read=read_attachment),)),
}
