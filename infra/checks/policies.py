"""Checks every policy of a plan: no public principal, and no wildcard without a reason.

The tests of a module see its text. This module sees the complete documents, with every ARN.
"""

import json

# Allowed wildcards: the Sid of the statement, with the reason.
WILDCARD_ACTIONS = {"IamOfThisAccount": "without IAM in its policy, a key can never be changed again"}
WILDCARD_RESOURCES = {
    "CloudWatchLogsForOneLogGroup": "in the policy of a key the resource is the key, and the condition names the log group",
    "IamOfThisAccount": "in the policy of a key the resource is the key",
    "OwnMetrics": "cloudwatch:PutMetricData supports no resource, and the condition names the namespace",
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


def listed(value):
    return value if isinstance(value, list) else [value]
