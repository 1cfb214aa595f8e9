"""Runs the commands of the page that leads through an event, in the order of its rows.

The page is an output of the plan of production. Its calls of AWS go to moto, which has the resources
of that plan. What moto lacks has a stub here, and so have the programs that are not `aws`.
"""

import datetime
import json
import os
import re
import shlex

import jmespath
import moto

import commands
import emulator

ROW = re.compile(r"^## (.*?)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
# The commands, and the text about them.
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(.*?)(?=^```sh|\Z)", re.DOTALL | re.MULTILINE)
PRINTS = re.compile(r"prints (at least )?`([^`]+)`", re.IGNORECASE)

TIME = re.compile(r"\d+ \w{3} \d{4} \d\d:\d\d(?= UTC)")

# The version before the release, which an operator writes into a line.
VERSION = "1"

# What moto 5.2.5 does not answer, or answers without the state of an account.
STUBS = {
    "application-autoscaling describe-scaling-activities": lambda page: {"ScalingActivities": []},
    "lambda delete-provisioned-concurrency-config": lambda page: None,
    "lambda get-account-settings": lambda page: {"AccountLimit": {"ConcurrentExecutions": 5000}},
    "lambda get-provisioned-concurrency-config": lambda page: {
        "Status": "READY",
        "AllocatedProvisionedConcurrentExecutions": int(re.search(r"^\| environments \| (\d+) requested", page, re.MULTILINE)[1]),
        "RequestedProvisionedConcurrentExecutions": 10,
    },
    "lambda invoke": lambda page: {"StatusCode": 200},
    "service-quotas request-service-quota-increase": lambda page: None,
}

# The shell's own, and what the other programs print. states.py makes the applies of Terraform.
PROGRAMS = {
    "../../../loadtest/against": None,
    "../../../target/release/saltern-measure": None,
    "cargo build": None,
    "cat": None,
    "echo": None,
    "export": None,
    "rm": None,
    "terraform -chdir=../staging apply": "Apply complete!",
    "terraform -chdir=../staging output": None,
    "terraform apply": "Apply complete!",
    "terraform plan": "No changes.",
}


def problems(page, made, api):
    os.environ |= emulator.CREDENTIALS
    rows = ROW.findall(page)
    if len(rows) < 15:
        yield f"the page has only {len(rows)} rows"
    yield from out_of_order(rows)
    yield from (f"{title}: {file} stays" for title, text in rows for file in commands.left(text))
    with moto.mock_aws(config={"lambda": {"use_docker": False}}):
        emulator.fill(made, emulator.Tried())
        prepare()
        for title, text in rows:
            blocks = BLOCK.findall(text)
            yield from (f"{title}: {problem}" for block in blocks for problem in wrong(*block, page, api))
            if not blocks:
                yield f"{title}: the row has no command"
        live = emulator.client("lambda").get_alias(FunctionName="saltern-production", Name="live")["FunctionVersion"]
    if live != VERSION:
        yield f"after the rollback of the page {live} is live"


def out_of_order(rows):
    """The rows follow each other in time, and from the day before until the end none of them releases."""
    times = [datetime.datetime.strptime(TIME.search(title)[0], "%d %b %Y %H:%M") for title, _ in rows]
    if times != sorted(times):
        yield f"the rows are at {', '.join(map(str, times))}"
    titles = [title for title, _ in rows]
    first, last = (next(number for number, title in enumerate(titles) if word in title) for word in ("The day before", "are released"))
    for title, text in rows[first:last]:
        if re.search(r"^terraform apply(?! -var rollback_to_version=)", text, re.MULTILINE) or "SALTERN_UPGRADES" in text:
            yield f"{title}: the row may release a version after the day before"


def prepare():
    """What exists beside the function: a pager, a backend that publishes, and another version."""
    topic = emulator.client("sns").create_topic(Name="on-call")["TopicArn"]
    emulator.client("sns").subscribe(TopicArn=topic, Protocol="email", Endpoint="on-call@example.org")
    metric = {"MetricName": "saltern.client.fallback.count", "Value": 0}
    emulator.client("cloudwatch").put_metric_data(Namespace="backend", MetricData=[metric])
    client = emulator.client("lambda")
    client.update_function_code(FunctionName="saltern-production", ZipFile=emulator.EMPTY_ZIP + b" ", Publish=True)
    client.update_alias(FunctionName="saltern-production", Name="live", FunctionVersion="2")


def wrong(block, text, page, api):
    """Runs a block, and compares what it prints with the text."""
    printed = []
    for command in re.split(r"\n| && ", block.strip().replace('"$VERSION"', VERSION)):
        try:
            printed += filter(None, [run(command, page, api)])
        except Exception as error:  # moto can raise any exception
            yield f"{command}: {emulator.describe(error)}"
            return
    for least, wanted in PRINTS.findall(text)[:1]:
        if wanted not in printed and not (least and any(float(value) >= float(wanted) for value in printed)):
            yield f"{block.strip()} prints {printed}, and the page says {wanted}"


def run(command, page, api):
    """Returns what a command prints, or None."""
    words = shlex.split(command)
    if re.fullmatch(r"VERSION=\d+", command):
        return None
    if words[0] != "aws":
        names = [" ".join(words[:count]) for count in (1, 2, 3)]
        return PROGRAMS[next((name for name in names if name in PROGRAMS), command)]
    found = list(commands.wrong(words[1:], api))
    if found:
        raise ValueError("; ".join(found))
    options, name = commands.parsed(words), " ".join(words[1:3])
    answer = jmespath.search(options.get("query", ["@"])[0], STUBS[name](page)) if name in STUBS else commands.call(words, api)
    if name == "cloudwatch set-alarm-state":
        # CloudWatch resets the state at its next evaluation.
        emulator.client("cloudwatch").set_alarm_state(AlarmName=options["alarm_name"][0], StateValue="OK", StateReason="evaluated")
    if answer is None or "query" not in options:
        return None
    return " ".join(map(str, answer)) if options.get("output") == ["text"] else json.dumps(answer)
