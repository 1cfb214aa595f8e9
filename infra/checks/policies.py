"""Checks every policy of a plan: no public principal, and no wildcard without a reason.

The tests of a module see its text. This module sees the complete documents, with every ARN.
"""

import fnmatch
import itertools
import json
import pathlib
import re

import botocore.session

# The page with the service control policy, and the most characters that AWS allows in one.
ACCOUNT_PAGE = pathlib.Path(__file__).resolve().parent.parent / "ACCOUNT.md"
LONGEST_SCP = 5120

# Actions that have another name than the call, or belong to no call.
ACTIONS_ONLY = {"iam:PassRole", "lambda:InvokeFunction", "lambda:InvokeFunctionUrl"}

# The roles of ACCOUNT.md, and another role of its account.
CALLER, DEPLOYER, READER, KEEPER, ANOTHER = ROLES = tuple(
    f"arn:aws:iam::123456789012:role/{name}" for name in ("saltern-caller", "saltern-deployer", "saltern-reader", "saltern-keeper", "administrator")
)
EXECUTION = "arn:aws:iam::123456789012:role/saltern-production-execution"
FUNCTION = "arn:aws:lambda:eu-north-1:123456789012:function:saltern-production"
KEY = "arn:aws:kms:eu-north-1:123456789012:key/1a2b3c4d"
LOG = "arn:aws:logs:eu-north-1:123456789012:log-group:/aws/lambda/saltern-production"
TRAIL = "arn:aws:cloudtrail:eu-north-1:123456789012:trail/management"
CHANGES_OF_A_ROLE = (
    "iam:AttachRolePolicy",
    "iam:CreateRole",
    "iam:DeleteRole",
    "iam:DeleteRolePermissionsBoundary",
    "iam:DeleteRolePolicy",
    "iam:DetachRolePolicy",
    "iam:PassRole",
    "iam:PutRolePermissionsBoundary",
    "iam:PutRolePolicy",
    "iam:UpdateAssumeRolePolicy",
)
CHANGES_OF_THE_FUNCTION = (
    "lambda:AddPermission",
    "lambda:CreateAlias",
    "lambda:CreateEventSourceMapping",
    "lambda:CreateFunction",
    "lambda:CreateFunctionUrlConfig",
    "lambda:DeleteAlias",
    "lambda:DeleteCodeSigningConfig",
    "lambda:DeleteFunction",
    "lambda:DeleteFunctionCodeSigningConfig",
    "lambda:DeleteFunctionConcurrency",
    "lambda:DeleteFunctionUrlConfig",
    "lambda:DeleteProvisionedConcurrencyConfig",
    "lambda:PublishVersion",
    "lambda:PutFunctionCodeSigningConfig",
    "lambda:PutFunctionConcurrency",
    "lambda:PutFunctionEventInvokeConfig",
    "lambda:PutProvisionedConcurrencyConfig",
    "lambda:PutRuntimeManagementConfig",
    "lambda:RemovePermission",
    "lambda:UpdateAlias",
    "lambda:UpdateCodeSigningConfig",
    "lambda:UpdateFunctionCode",
    "lambda:UpdateFunctionConfiguration",
    "lambda:UpdateFunctionEventInvokeConfig",
    "lambda:UpdateFunctionUrlConfig",
)
READING = (
    "cloudwatch:PutInsightRule",
    "logs:CreateExportTask",
    "logs:FilterLogEvents",
    "logs:GetLogEvents",
    "logs:GetLogRecord",
    "logs:GetQueryResults",
    "logs:ListAnomalies",
    "logs:PutAccountPolicy",
    "logs:PutSubscriptionFilter",
    "logs:StartLiveTail",
    "logs:StartQuery",
    "oam:CreateLink",
    "oam:UpdateLink",
)

# Calls on a resource, and the roles of that account that the policy leaves them to. They name every
# action of the policy, so none is lost from it unnoticed.
LEFT_TO = (
    (FUNCTION, ("lambda:InvokeAsync", "lambda:InvokeFunction", "lambda:InvokeFunctionUrl"), {CALLER}),
    (FUNCTION, CHANGES_OF_THE_FUNCTION, {DEPLOYER}),
    (FUNCTION, ("lambda:GetFunction", "lambda:PutFunctionScalingConfig"), set(ROLES)),
    (CALLER, CHANGES_OF_A_ROLE, {DEPLOYER}),
    (DEPLOYER, CHANGES_OF_A_ROLE, {DEPLOYER}),
    (READER, CHANGES_OF_A_ROLE, {DEPLOYER}),
    (KEEPER, CHANGES_OF_A_ROLE, {DEPLOYER}),
    (EXECUTION, CHANGES_OF_A_ROLE, {DEPLOYER}),
    (ANOTHER, CHANGES_OF_A_ROLE, set(ROLES)),
    (KEY, ("kms:DeleteAlias", "kms:DisableKey", "kms:PutKeyPolicy", "kms:ScheduleKeyDeletion", "kms:UpdateAlias"), {DEPLOYER}),
    (KEY, ("kms:CancelKeyDeletion", "kms:Decrypt", "kms:RevokeGrant"), set(ROLES)),
    (LOG, READING, {DEPLOYER, READER}),
    (LOG, ("logs:DescribeLogGroups", "logs:PutLogEvents"), set(ROLES)),
    (TRAIL, ("cloudtrail:DeleteTrail", "cloudtrail:PutEventSelectors", "cloudtrail:StopLogging", "cloudtrail:UpdateTrail"), set()),
    ("*", ("organizations:LeaveOrganization",), set()),
)

# The operators of the policy's conditions: whether the value of the request fulfils them.
CONDITIONS = {
    "ArnNotLike": lambda value, patterns: not any(fnmatch.fnmatchcase(value, pattern) for pattern in patterns),
    "StringNotEquals": lambda value, others: value not in others,
}

# Allowed wildcards: the Sid of the statement, with the reason.
WILDCARD_ACTIONS = {"IamOfThisAccount": "without IAM in its policy, a key can never be changed again"}
WILDCARD_RESOURCES = {
    "AdministrationByIamOfThisAccount": "in the policy of a key the resource is the key",
    "CloudWatchLogsForOneLogGroup": "in the policy of a key the resource is the key, and the condition names the log group",
    "HoldersDecryptTheirCopy": "in the policy of a key the resource is the key, and the condition names the purpose",
    "HoldersEncrypt": "in the policy of a key the resource is the key, and the condition names the purposes",
    "IamOfThisAccount": "in the policy of a key the resource is the key",
    "OwnMetrics": "cloudwatch:PutMetricData supports no resource, and the condition names the namespace",
    "TheFunctionDecrypts": "in the policy of a key the resource is the key, and the condition names the purpose",
    "Traces": "the two actions of X-Ray support no resource",
}


def documents(calls):
    for made in calls:
        for name, value in made.parameters.items():
            if name.endswith(("Policy", "PolicyDocument")) and isinstance(value, str):
                yield f"{made.address}: {name}", json.loads(value)


def problems(calls):
    for where, document in documents(calls):
        for statement in document["Statement"]:
            if statement["Effect"] == "Allow":
                yield from allowing(statement, f"{where}, {statement.get('Sid', 'a statement without a Sid')}")


def allowing(statement, where):
    name = statement.get("Sid")
    principals = [principal for principal in listed(statement.get("Principal", [])) if not isinstance(principal, dict)]
    for kind in (principal for principal in listed(statement.get("Principal", [])) if isinstance(principal, dict)):
        principals += [principal for names in kind.values() for principal in listed(names)]
    if "*" in principals:
        yield f"{where}: the principal is public: name a role or a service"
    if {"NotAction", "NotPrincipal", "NotResource"} & statement.keys():
        yield f"{where}: NotAction, NotPrincipal and NotResource allow too much: name what is allowed"
    actions = [action for action in listed(statement.get("Action", [])) if "*" in action]
    if actions and name not in WILDCARD_ACTIONS:
        yield f"{where}: {', '.join(actions)} is a wildcard without a reason: name the actions, or add the reason to policies.py"
    if "*" in listed(statement.get("Resource", [])) and name not in WILDCARD_RESOURCES:
        yield f"{where}: the resource is a wildcard without a reason: name every resource, or add the reason to policies.py"


def scp_problems():
    """Checks the service control policy of ACCOUNT.md."""
    written = re.search(r"^```json\n(.*?)^```$", ACCOUNT_PAGE.read_text(), re.DOTALL | re.MULTILINE)[1]
    session = botocore.session.get_session()
    if len(written) > LONGEST_SCP:
        yield f"the policy has {len(written)} characters, and at most {LONGEST_SCP} are allowed"
    statements = json.loads(written)["Statement"]
    for statement in statements:
        if statement["Effect"] != "Deny":
            yield f"{statement['Sid']}: an SCP of this page must only deny"
        for action in set(listed(statement["Action"])) - ACTIONS_ONLY:
            service, call = action.split(":")
            if call not in session.get_service_model(service).operation_names:
                yield f"{statement['Sid']}: {service} has no call {call}"
    for action in ("lambda:CreateFunctionUrlConfig", "lambda:UpdateFunctionUrlConfig"):
        if not any(denies(statement, DEPLOYER, action, FUNCTION, url="NONE") for statement in statements):
            yield f"the policy does not deny {action} without IAM to the deployer"
    named = {action for statement in statements for action in listed(statement["Action"])}
    for action in sorted(named - {action for _, actions, _ in LEFT_TO for action in actions}):
        yield f"{action} is in the policy, and not in LEFT_TO of policies.py"
    for resource, actions, left_to in LEFT_TO:
        for role, action in itertools.product(ROLES, actions):
            denied = any(denies(statement, role, action, resource) for statement in statements)
            if denied == (role in left_to):
                yield f"the policy {'denies' if denied else 'does not deny'} {action} on {resource} to {role}"


def denies(statement, role, action, resource, url="AWS_IAM"):
    request = {"aws:PrincipalArn": role, "lambda:FunctionUrlAuthType": url}
    return (
        action in listed(statement["Action"])
        and any(fnmatch.fnmatchcase(resource, pattern) for pattern in listed(statement["Resource"]))
        and all(
            CONDITIONS[operator](request[key], listed(value))
            for operator, tests in statement.get("Condition", {}).items()
            for key, value in tests.items()
        )
    )


def listed(value):
    return value if isinstance(value, list) else [value]
