"""What every policy of a plan must keep to: no public principal, and no wildcard without a reason.

Terraform's own checks see the text of a module; here are the documents themselves, with every ARN in its place.
"""

import json

# Allowed all the same, by the statement's name, with the reason.
WILDCARD_ACTIONS = {"IamOfThisAccount": "a key's policy that leaves IAM out can never be changed again"}
WILDCARD_RESOURCES = {
    "CloudWatchLogsForOneLogGroup": "in a key's policy the resource is the key; the condition names the log group",
    "IamOfThisAccount": "in a key's policy the resource is the key",
    "OwnMetrics": "AWS knows no resource for cloudwatch:PutMetricData; the condition names the namespace",
    "Traces": "AWS knows no resource for X-Ray's two actions",
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
                yield from allowing(statement, f"{where}, {statement.get('Sid', 'a statement without a name')}")


def allowing(statement, where):
    name = statement.get("Sid")
    principals = [principal for principal in listed(statement.get("Principal", [])) if not isinstance(principal, dict)]
    for kind in (principal for principal in listed(statement.get("Principal", [])) if isinstance(principal, dict)):
        principals += [principal for names in kind.values() for principal in listed(names)]
    if "*" in principals:
        yield f"{where}: everybody is a principal"
    if {"NotAction", "NotPrincipal", "NotResource"} & statement.keys():
        yield f"{where}: it allows all but what it names"
    actions = [action for action in listed(statement.get("Action", [])) if "*" in action]
    if actions and name not in WILDCARD_ACTIONS:
        yield f"{where}: {', '.join(actions)} is a wildcard without a reason in policies.py"
    if "*" in listed(statement.get("Resource", [])) and name not in WILDCARD_RESOURCES:
        yield f"{where}: every resource, without a reason in policies.py"


def listed(value):
    return value if isinstance(value, list) else [value]
