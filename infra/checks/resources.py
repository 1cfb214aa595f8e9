"""Lists the calls of AWS's API for each type of resource, in an order in which the resources can be
created.

An argument of Terraform becomes the API member with the same name; a call lists the names that
differ. The check fails for an argument without a member, for an argument that no call uses, and for
a type that is not listed.
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
    # The arguments that the call uses if they are set. None: all that the resource's other calls do
    # not use.
    takes: tuple | None = None
    # More values that the call needs: arguments of the first call, or values from its response.
    shares: tuple = ()
    # With this value of an argument the call is not needed.
    without: dict = dataclasses.field(default_factory=dict)
    # Arguments with another name in the API.
    names: dict = dataclasses.field(default_factory=dict)
    # Converts Terraform's form to the API's, if more than names differ.
    form: typing.Callable = as_written
    # Reads the values back from the emulator, in the form in which they were sent.
    read: typing.Callable | None = None
    # Members that a response does not contain, even on AWS.
    not_answered: tuple = ()
    # Members that the emulator accepts but does not store.
    dropped: tuple = ()
    # The emulator's error message, if it lacks the call.
    missing: str | None = None


@dataclasses.dataclass(frozen=True)
class Resource:
    service: str
    calls: tuple
    # Arguments that no call uses, with the reason.
    terraforms_own: dict = dataclasses.field(default_factory=dict)
    # The values in the first response that stand_ins.py replaces.
    answers: typing.Callable | None = None


def dimensions(by_name):
    return [{"name": name, "value": value} for name, value in by_name.items()]


def alarm(arguments):
    """Converts an alarm.

    In the API the statistic and the period of a metric are beside the metric, not inside it.
    """
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
    # Terraform's default is false and the API's is true, so the provider always sends the value.
    return others | {"metric_stat": stated, "return_data": bool(query["return_data"])}


def under(member, *within):
    """Moves all arguments except the bucket into a structure that Terraform does not have."""

    def form(arguments):
        rest = {within[0]: arguments["rule"]} if within else {name: value for name, value in arguments.items() if name != "bucket"}
        return {"bucket": arguments["bucket"], member: rest}

    return form


def function(arguments):
    code = {name: arguments[name] for name in ("s3_bucket", "s3_key") if name in arguments}
    if "filename" in arguments:
        # The check is about the call, not the zip, so the package is not read.
        code["zip_file"] = EMPTY_ZIP
    rest = {name: value for name, value in arguments.items() if name not in ("filename", "s3_bucket", "s3_key")}
    return rest | {"code": code}


def ingress(arguments):
    permission = {name: arguments[name] for name in ("from_port", "ip_protocol", "to_port")}
    pair = {"group_id": arguments["referenced_security_group_id"], "description": arguments["description"]}
    return {"group_id": arguments["security_group_id"], "ip_permissions": [permission | {"user_id_group_pairs": [pair]}]}


def signing_job(arguments):
    # The token makes a repeated call harmless. The provider generates it.
    return arguments | {"client_request_token": "token"}


def signing_profile(arguments):
    return {"platform_id": arguments["platform_id"], "profile_name": f"{arguments['name_prefix']}{'0' * 26}"}


def rotation(arguments):
    if not arguments["enable_key_rotation"]:
        raise ValueError("enable_key_rotation is false: every key must be rotated")
    return {"key_id": arguments["key_id"]}


def event_target(arguments):
    transformer = arguments["input_transformer"][0]
    transformed = {"input_paths_map": transformer["input_paths"], "input_template": transformer["input_template"]}
    return {"rule": arguments["rule"], "targets": [{"id": arguments["target_id"], "arn": arguments["arn"], "input_transformer": transformed}]}


def bucket(arguments):
    return arguments | {"create_bucket_configuration": {"location_constraint": REGION}}


NOT_IMPLEMENTED = "Not yet implemented"

# A zip without files.
EMPTY_ZIP = b"PK\x05\x06" + bytes(18)


def listed(answer, key, name, value):
    """Returns the item of a list with this name.

    A missing item is an error, as in an API call for a single item.
    """
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
    configuration = api.get_function(FunctionName=sent["FunctionName"])["Configuration"]
    return configuration | {"Layers": [layer["Arn"] for layer in configuration.get("Layers", [])]}


def read_function_concurrency(api, sent):
    return {"FunctionName": sent["FunctionName"]} | api.get_function_concurrency(FunctionName=sent["FunctionName"])


def read_alias(api, sent):
    return api.get_alias(FunctionName=sent["FunctionName"], Name=sent["Name"]) | {"FunctionName": sent["FunctionName"]}


def read_url(api, sent):
    asked = {name: sent[name] for name in ("FunctionName", "Qualifier")}
    return asked | api.get_function_url_config(**asked)


def read_permission(api, sent):
    """Reads a permission from the function's policy.

    moto returns the conditions in the form in which they were sent.
    """
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


def read_rule(api, sent):
    return api.describe_rule(Name=sent["Name"])


def read_event_target(api, sent):
    return sent | {"Targets": api.list_targets_by_rule(Rule=sent["Rule"])["Targets"]}


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
        terraforms_own={"deletion_window_in_days": "ScheduleKeyDeletion uses it when the key is destroyed"},
        answers=lambda made: {"arn": made["KeyMetadata"]["Arn"], "key_id": made["KeyMetadata"]["KeyId"]},
    ),
    "aws_kms_alias": Resource("kms", (Call("CreateAlias", names={"name": "AliasName"}, read=read_key_alias),)),
    "aws_cloudwatch_log_group": Resource(
        "logs",
        (
            Call("CreateLogGroup", names={"name": "logGroupName"}, read=read_log_group),
            Call("PutRetentionPolicy", takes=("retention_in_days",), shares=("name",), names={"name": "logGroupName"}, read=read_log_group),
        ),
        terraforms_own={"skip_destroy": "with it Terraform forgets the group instead of deleting it"},
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
        terraforms_own={"source_hash": "Terraform uses it to decide about an upload"},
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
                # Without a reservation the provider makes no call.
                without={"reserved_concurrent_executions": -1},
                read=read_function_concurrency,
            ),
        ),
        terraforms_own={"source_code_hash": "Terraform uses it to decide about a new version"},
    ),
    "aws_lambda_alias": Resource("lambda", (Call("CreateAlias", read=read_alias),)),
    "aws_lambda_function_url": Resource("lambda", (Call("CreateFunctionUrlConfig", names={"authorization_type": "AuthType"}, read=read_url),)),
    "aws_lambda_permission": Resource("lambda", (Call("AddPermission", read=read_permission),)),
    "aws_lambda_provisioned_concurrency_config": Resource("lambda", (Call("PutProvisionedConcurrencyConfig", missing=NOT_IMPLEMENTED),), terraforms_own={"skip_destroy": "with it Terraform forgets the configuration instead of deleting it"}),
    "aws_lambda_function_scaling_config": Resource("lambda", (Call("PutFunctionScalingConfig", missing=NOT_IMPLEMENTED),)),
    "aws_appautoscaling_target": Resource("application-autoscaling", (Call("RegisterScalableTarget", read=read_target),)),
    "aws_appautoscaling_policy": Resource("application-autoscaling", (Call("PutScalingPolicy", names={"name": "PolicyName"}, read=read_scaling_policy),)),
    "aws_appautoscaling_scheduled_action": Resource(
        "application-autoscaling", (Call("PutScheduledAction", names={"name": "ScheduledActionName"}, read=read_scheduled_action),)
    ),
    "aws_scheduler_schedule_group": Resource("scheduler", (Call("CreateScheduleGroup", read=lambda api, sent: api.get_schedule_group(Name=sent["Name"])),)),
    "aws_scheduler_schedule": Resource("scheduler", (Call("CreateSchedule", read=read_schedule),)),
    "aws_cloudwatch_event_rule": Resource("events", (Call("PutRule", read=read_rule),)),
    "aws_cloudwatch_event_target": Resource("events", (Call("PutTargets", form=event_target, read=read_event_target),)),
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
