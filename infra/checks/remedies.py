"""Makes a test file for Terraform that pastes the remedies of the guides into a deployment.

The deployment sets every variable of the root, so that a remedy which replaces more than it names
is found. Each remedy is planned at rest, and in the middle of an event whose version is held.
"""

import datetime
import json
import pathlib
import re
import textwrap

INFRA = pathlib.Path(__file__).resolve().parent.parent
GUIDES = ("OPERATIONS.md", "README.md")

# A remedy in a line of text, such as `kernels = "crates"`, one that a command writes into a file, and
# one in a block of its own. A block that begins with a comment is a file of another root.
IN_TEXT = re.compile(r"`([a-z0-9_-]+ = [^`]+)`")
IN_A_COMMAND = re.compile(r"^ *echo '(.*)' > [a-z]+\.auto\.tfvars$", re.MULTILINE)
IN_A_BLOCK = re.compile(r"^( *)```hcl\n(?! *#)(.*?)^\1```$", re.DOTALL | re.MULTILINE)
ASSIGNMENT = re.compile(r"^([a-z0-9_-]+) *= ", re.MULTILINE)

# Fields of an event. The guides paste them over the line of the event.
OF_AN_EVENT = ("ends_at", "expected_logins_per_second", "starts_at")

# An entry that the guide adds to a map.
ADDED_TO = {"backend-2": "callers"}

FUNCTION = "aws_lambda_function.main"
VARIABLE = f"{FUNCTION} environment.variables.SALTERN_"
ALARM = 'aws_cloudwatch_metric_alarm.main["{}"] {}'.format
ACTION = 'aws_appautoscaling_scheduled_action.event["{}"] {}'.format
LEAST, MOST = "scalable_target_action.min_capacity", "scalable_target_action.max_capacity"
TARGET = "aws_appautoscaling_target.live[0]"

# What each remedy changes at rest, and where that differs what it changes during the event. On mocks
# a changed function keeps its version, so `live` does not show that it would follow at rest.
DESCRIBED = {ALARM(name, "alarm_description") for name in ("duration-p90", "duration-p90-in-event")}
PLANNED = {ACTION("gala-start", LEAST), ACTION("later-start", LEAST)} | DESCRIBED
PLANNED_NOW = PLANNED - {ACTION("gala-start", LEAST)} | {f"{TARGET} min_capacity"}
AT_THE_END = {ACTION("gala-end", LEAST), ACTION("later-end", LEAST)}
WITH_WINDOWS = ("concurrency-held", "concurrency-in-event", "duration-p90-in-event", "spillover-in-event")
WINDOWS = {ALARM(name, "metric_query.expression") for name in WITH_WINDOWS}
MORE_BY_CHANCE = ALARM("concurrency-in-event", "threshold")
CONCURRENCY = {ALARM(name, "threshold") for name in ("concurrency", "concurrency-in-event")}
RESERVED = CONCURRENCY | {f"{FUNCTION} reserved_concurrent_executions"} | {ALARM("concurrency-held", path) for path in ("alarm_description", "threshold")}
NOTHING_LEFT = {ACTION(name, path) for name in ("gala-end", "later-start", "later-end") for path in (LEAST, MOST)}
NOTHING_NOW = {f"{TARGET} min_capacity", f"{TARGET} max_capacity", "aws_lambda_provisioned_concurrency_config.live[0] deleted"}
STOPPED = RESERVED | NOTHING_LEFT | NOTHING_NOW
EXPECTED = {
    "alarm_duration_p90_milliseconds": [DESCRIBED | {ALARM(name, "threshold") for name in ("duration-p90", "duration-p90-in-event")}],
    "alarm_mismatches_percent": [{ALARM("mismatches", "threshold")}],
    "backend-2": [{'aws_lambda_permission.invoke["backend-2"] created'}],
    "capacity_policy milliseconds_per_request": [PLANNED, PLANNED_NOW],
    "distributions": [{f"{VARIABLE}DISTRIBUTIONS"}],
    "distributions_seconds": [{f"{VARIABLE}DISTRIBUTIONS_SECONDS"}],
    "event": [{ACTION("new-year-2027-start", "created"), ACTION("new-year-2027-end", "created")} | WINDOWS],
    "expected_logins_per_second": [
        {ACTION("gala-start", LEAST), ACTION("gala-start", MOST), MORE_BY_CHANCE},
        {f"{TARGET} min_capacity", f"{TARGET} max_capacity", MORE_BY_CHANCE},
    ],
    "kernels": [{f"{VARIABLE}KERNELS"}],
    # The event then needs more than provisioned_maximum_in_events.
    "milliseconds_per_request = 400": [PLANNED | {ACTION("gala-start", MOST)}, PLANNED_NOW | {f"{TARGET} max_capacity"}],
    "provisioned_minimum": [AT_THE_END | {f"{TARGET} min_capacity"}, AT_THE_END],
    "reserved_concurrency": [RESERVED],
    "reserved_concurrency = 0": [STOPPED | {ACTION("gala-start", LEAST), ACTION("gala-start", MOST)}, STOPPED],
    "rollback_to_version": [{"aws_lambda_alias.live function_version"}],
    "seal_key_holders": [{"aws_kms_key.secrets[0] policy"}],
    "seal_keys_layer_arn": [{f"{FUNCTION} layers"}],
    "upgrades": [{f"{VARIABLE}UPGRADES"}],
    # The event then needs more than provisioned_maximum_in_events.
    "upgrades_per_second reserved_concurrency": [
        RESERVED | PLANNED | {ACTION("gala-start", MOST)},
        RESERVED | PLANNED_NOW | {f"{TARGET} max_capacity"},
    ],
}


def remedies():
    """Returns the remedies of the guides, each as it is written."""
    found = set()
    for guide in GUIDES:
        text = (INFRA / guide).read_text()
        found |= set(IN_TEXT.findall(" ".join(text.split())))
        found |= set(IN_A_COMMAND.findall(text))
        found |= {textwrap.dedent(block).rstrip() for _, block in IN_A_BLOCK.findall(text)}
    return sorted(found)


def deployment(now, current):
    """Returns the variables beside those of tests/plan.tfvars. The first event is current, or tomorrow's."""

    def event(name, begins, logins):
        at = [(now + datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ") for hours in (begins, begins + 4)]
        return {"name": name, "starts_at": at[0], "ends_at": at[1], "expected_logins_per_second": logins}

    layer = "arn:aws:lambda:eu-north-1:123456789012:layer:saltern"
    held = {"rollback_to_version": "1"} if current else {}
    return held | {
        "accept_weak": ["ldap-ssha"],
        "alarm_client_fallbacks_per_minute": 90,
        "alarm_concurrency_percent": 70,
        "alarm_cost_usd_per_hour": 200,
        "alarm_duration_p90_milliseconds": 600,
        "alarm_errors_percent": 0.2,
        "alarm_mismatches_percent": 40,
        "alarm_ticket_topic_arn": "arn:aws:sns:eu-north-1:123456789012:tickets",
        "batch": 1,
        "blocklist_layer_arn": f"{layer}-breached:5",
        "budget_usd": 2000,
        "callers": {"backend": "arn:aws:iam::123456789012:role/backend", "other": "arn:aws:iam::123456789012:role/other"},
        "capacity_policy": "bcrypt-12",
        "ceilings": {"bcrypt_cost": 13},
        "distributions": "cloudwatch",
        "distributions_seconds": 60,
        "events": [event("gala", -1 if current else 24, 3000), event("later", 96, 1200)],
        "firebase_project_layer_arn": f"{layer}-firebase:2",
        "function_url_callers": {"load-test": "arn:aws:iam::123456789012:role/load-test"},
        "governance": {"role_path": "/services/"},
        "kernels": "lanes",
        "milliseconds_per_request": 350,
        "milliseconds_per_upgrade": 230,
        "provisioned_maximum": 110,
        "provisioned_maximum_in_events": 1700,
        "provisioned_minimum": 12,
        "reserved_concurrency": 2100,
        "runbook_url": "https://git.example/infra/OPERATIONS.md",
        "seal_key_holders": ["arn:aws:iam::123456789012:role/keeper"],
        "seal_keys_layer_arn": f"{layer}-secrets:2",
        "tags": {"team": "identity"},
        "upgrade_policy": "argon2id-65536-4-1",
        "upgrades": "on",
    }


def runs(now, remedies):
    """Returns the runs of a test file: for both moments an apply, and a plan of each remedy."""
    lines = []
    for moment, current in (("rest", False), ("event", True)):
        given = deployment(now, current)
        lines += run(f"{moment}_deployed", {name: json.dumps(value) for name, value in given.items()}, [])
        for number, remedy in enumerate(remedies):
            lines += run(f"{moment}_{number}", pasted(given, remedy), ["  command = plan", ""])
    return lines


def run(name, variables, more):
    given = [f"    {variable} = {value}" for variable, value in variables.items()]
    return [f'run "{name}" {{', *more, "  variables {", *given, "  }", "}", ""]


def pasted(given, remedy):
    """Returns the variables in the syntax of Terraform, after a remedy was pasted over its lines."""
    parts = ASSIGNMENT.split(remedy)
    assigned = dict(zip(parts[1::2], (value.strip() for value in parts[2::2]))) if not remedy.startswith("{") else {}
    added = {name: assigned.pop(name) for name in ADDED_TO if name in assigned}
    assigned |= {ADDED_TO[name]: json.dumps(given[ADDED_TO[name]] | {name: json.loads(value)}) for name, value in added.items()}
    first, *others = given["events"]
    first = first | {name: json.loads(assigned.pop(name)) for name in OF_AN_EVENT if name in assigned}
    events = [json.dumps(event) for event in (first, *others)]
    if remedy.startswith("{"):
        events = [*events, remedy.rstrip(",")]
    return {name: json.dumps(value) for name, value in given.items()} | {"events": f"[{', '.join(events)}]"} | assigned


def problems(now, remedies, planned):
    """Compares what each remedy changes with what it names."""
    unset = variables() - deployment(now, current=True).keys() - variables("tests/plan.tfvars") - {"release_during_event"}
    yield from (f"{name} has no value in the deployment: add it to remedies.py" for name in sorted(unset))
    kinds = {remedy: kind(remedy) for remedy in remedies}
    yield from (f"no guide has the remedy {known}: remove it from remedies.py" for known in sorted(EXPECTED.keys() - kinds.values()))
    for number, (remedy, known) in enumerate(kinds.items()):
        if known not in EXPECTED:
            yield f"add what `{remedy}` changes to remedies.py"
            continue
        for moment, wanted in (("rest", EXPECTED[known][0]), ("event", EXPECTED[known][-1])):
            found = changed(planned[f"{moment}_{number}"])
            # After its end the guide's event is past, and changes nothing.
            over = known == "event" and re.search(r'ends_at += "(.*?)"', remedy)[1] < now.strftime("%Y-%m-%dT%H:%M:%SZ")
            wanted = set() if over else wanted
            yield from (f"{moment}: `{remedy}` does not change {one}" for one in sorted(wanted - found))
            yield from (f"{moment}: `{remedy}` changes {one}" for one in sorted(found - wanted))


def variables(file="variables.tf"):
    """Returns the names that a file of the root declares, or sets."""
    text = (INFRA / "environments/production" / file).read_text()
    return set(re.findall(r'^variable "(.*?)"' if file.endswith(".tf") else ASSIGNMENT.pattern, text, re.MULTILINE))


def kind(remedy):
    """Returns the key of a remedy in EXPECTED."""
    return remedy if remedy in EXPECTED else "event" if remedy.startswith("{") else " ".join(ASSIGNMENT.findall(remedy))


def changed(plan):
    """Returns the attributes that a plan changes: `<address> <path>`, or `<address> created` or `… deleted`."""
    found = set()
    for resource in plan:
        change, address = resource["change"], resource["address"].removeprefix("module.saltern.")
        if change["actions"] in (["create"], ["delete"]):
            found.add(f"{address} {change['actions'][0]}d")
        elif change["actions"] != ["no-op"]:
            found |= {f"{address} {path}" for path in differing(change["before"], change["after"], change["after_unknown"])}
    return found


def differing(before, after, unknown, path=""):
    if unknown is True:
        yield path
    elif isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() | after.keys():
            below = unknown.get(name, False) if isinstance(unknown, dict) else False
            yield from differing(before.get(name), after.get(name), below, f"{path}.{name}" if path else name)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after) and any(isinstance(part, dict) for part in before):
        below = unknown if isinstance(unknown, list) and len(unknown) == len(after) else [False] * len(after)
        for part in zip(before, after, below):
            yield from differing(*part, path)
    elif before != after:
        yield path
