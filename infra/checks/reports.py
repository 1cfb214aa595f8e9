"""Sends sample events of CloudTrail to the patterns of the rules, by moto's matching.

    python infra/checks/reports.py PLAN

PLAN is the plan of infra/environments/production with stand-ins, which Terraform makes on mocks.
moto has no TestEventPattern, so this module calls the class behind its rules. The events have the
fields of the examples in AWS's guide of KMS. Only AWS can show that CloudTrail writes such events,
and that EventBridge delivers them.
"""

import json
import pathlib
import sys

import botocore.model
from moto.events.models import EventPattern

import calls
import plans
from stand_ins import ACCOUNT, REGION, STAND_INS

USED, CHANGED, NONE = {"secrets-key-used"}, {"secrets-key-changed"}, set()

# Calls that change who may use a key, end its use, or move its alias.
CHANGES = ("CreateGrant", "DeleteAlias", "DisableKey", "DisableKeyRotation", "PutKeyPolicy", "RetireGrant", "RevokeGrant", "ScheduleKeyDeletion", "UpdateAlias")

# Other calls. A holder encrypts often, and an operator makes the others on purpose.
OTHERS = ("CancelKeyDeletion", "DescribeKey", "EnableKey", "Encrypt", "GetKeyPolicy", "TagResource")

USER = {"type": "IAMUser", "arn": f"arn:aws:iam::{ACCOUNT}:user/alice"}
USER_WITH_A_TOKEN = USER | {"sessionContext": {"sessionIssuer": {}, "attributes": {"mfaAuthenticated": "true"}}}
ROOT = {"type": "Root", "arn": f"arn:aws:iam::{ACCOUNT}:root"}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    resources = list(plans.resources_on_mocks(json.loads(pathlib.Path(sys.argv[1]).read_text()), STAND_INS))
    found = list(problems(resources, calls.Api()))
    what = "the rules of EventBridge report other uses and changes of the key, and nothing else"
    print("\n         ".join([f"FAILED   {what}", *found]) if found else f"ok       {what}")
    print("0 passed, 1 failed" if found else "1 passed, 0 failed")
    sys.exit(1 if found else 0)


def problems(resources, api):
    """Compares the rules that each sample matches with those that it must match."""
    planned = [one.arguments for one in resources if one.type == "aws_cloudwatch_event_rule"]
    rules = {rule["name"].removeprefix("saltern-production-"): rule["event_pattern"] for rule in planned}
    patterns = {name: EventPattern.load(pattern) for name, pattern in rules.items()}
    events = samples(resources)
    rung = set()
    for what, (wanted, event) in events.items():
        matched = {name for name, pattern in patterns.items() if pattern.matches_event(spread(event))}
        rung |= matched
        if matched != wanted:
            yield f"{what} rings {sorted(matched)}; expected {sorted(wanted)}"
    yield from (f"{name} is rung by no sample: add one to reports.py" for name in sorted(rules.keys() - rung))
    for name, pattern in rules.items():
        yield from (f"{name}: KMS has no call {call}" for call in json.loads(pattern)["detail"]["eventName"] if not has(api, call))
    _, refused = events["a refused decryption by a holder"]
    for one in (one for one in resources if one.type == "aws_cloudwatch_event_target"):
        paths = one.arguments["input_transformer"][0]["input_paths"].values()
        yield from (f"{one.address}: an event has no text at {path}" for path in paths if not isinstance(at(refused, path), str))


def samples(resources):
    """Returns for each sample the rules that it must match, and the event."""
    arns = {one.address.removeprefix("module.saltern."): one.stand_ins.get("arn") for one in resources}
    key, another_key = arns["aws_kms_key.secrets[0]"], arns["aws_kms_key.main[0]"]
    alias, role = f"arn:aws:kms:{REGION}:{ACCOUNT}:alias/saltern-production-secrets", arns["aws_iam_role.execution[0]"]
    function, another, holder = session(role, "saltern-production"), session(role, "another-function"), session(f"arn:aws:iam::{ACCOUNT}:role/security")
    found = {
        "a decryption by a holder": (USED, event("Decrypt", holder, key)),
        "a refused decryption by a holder": (USED, event("Decrypt", holder, key, errorCode="AccessDenied")),
        "a decryption by a user": (USED, event("Decrypt", USER, key)),
        "a decryption by a user with a token": (USED, event("Decrypt", USER_WITH_A_TOKEN, key)),
        "a decryption by the root of the account": (USED, event("Decrypt", ROOT, key)),
        "an encryption under another key": (USED, event("ReEncrypt", holder, another_key, key)),
        "a decryption by another function with the role": (USED, event("Decrypt", another, key)),
        "a refused decryption by the function": (USED, event("Decrypt", function, key, errorCode="AccessDenied")),
        "a decryption by the function": (NONE, event("Decrypt", function, key)),
        "a decryption under another key": (NONE, event("Decrypt", holder, another_key)),
        "the alias moved to another key": (CHANGED, event("UpdateAlias", holder, alias, another_key)),
        "another alias moved": (NONE, event("UpdateAlias", holder, f"{alias}-2", another_key)),
        "a call of another service": (NONE, event("Decrypt", holder, key, eventSource="example.amazonaws.com")),
    }
    found |= {f"{call} by a holder": (CHANGED, event(call, holder, key)) for call in CHANGES}
    found |= {f"{call} by the function": (CHANGED, event(call, function, key)) for call in CHANGES}
    found |= {f"{call} of another key": (NONE, event(call, holder, another_key)) for call in CHANGES}
    return found | {call: (NONE, event(call, holder, key)) for call in OTHERS}


def session(role, name="session"):
    """Returns the identity of a program that has assumed the role. Lambda names it after the function."""
    arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/{role.split('/')[-1]}/{name}"
    return {"type": "AssumedRole", "arn": arn, "sessionContext": {"sessionIssuer": {"type": "Role", "arn": role}}}


def event(call, identity, *keys, **others):
    detail = {
        "eventName": call,
        "eventSource": "kms.amazonaws.com",
        "eventTime": "2026-12-31T20:00:00Z",
        "resources": [{"ARN": key, "accountId": ACCOUNT, "type": "AWS::KMS::Key"} for key in keys],
        "sourceIPAddress": "192.0.2.1",
        "userIdentity": identity,
    }
    return {"account": ACCOUNT, "detail": detail | others, "detail-type": "AWS API Call via CloudTrail", "region": REGION, "source": "aws.kms"}


def spread(value):
    """Replaces each list of objects by an object of lists.

    EventBridge looks into the objects of a list, and moto does not.
    """
    if isinstance(value, dict):
        return {name: spread(part) for name, part in value.items()}
    if isinstance(value, list):
        return {name: [part[name] for part in value] for name in value[0]}
    return value


def has(api, call):
    try:
        return api.input_shape("kms", call) is not None
    except botocore.model.OperationNotFoundError:
        return False


def at(event, path):
    for name in path.removeprefix("$.").split("."):
        event = event.get(name, {})
    return event


if __name__ == "__main__":
    main()
