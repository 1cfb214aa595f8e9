"""Checks the commands of `aws` in the guides against the models that botocore ships.

The service, the call and the options must exist, and no required option may lack. The commands that
roll back, hold, stop and start the function run against moto.
"""

import json
import os
import pathlib
import re
import shlex

import boto3
import jmespath
import moto
from botocore import xform_name

from emulator import CREDENTIALS
from resources import EMPTY_ZIP

INFRA = pathlib.Path(__file__).resolve().parent.parent
GUIDES = ("ACCOUNT.md", "OPERATIONS.md", "README.md")

# A command in a block, or in a line of text. A quoted word may have any character.
COMMAND = re.compile(r"(?:^ *|`|&& |\$\()(aws (?:'[^'\n]*'|[^`\n|&)'])+)", re.MULTILINE)

# Options of every command.
GLOBAL = {"cli_binary_format", "output", "query", "region"}

# Not a service.
OF_THE_TOOL = {"configure"}

# Options that the command line adds to a call, each with the member that it fills.
ADDED = {("lambda", "zip_file"): "Content"}

# A file of variables that a guide writes. That of a rollback stays until the next good release.
WRITES, REMOVES = re.compile(r"> (\S+\.auto\.tfvars)$", re.MULTILINE), re.compile(r"^rm (\S+)$", re.MULTILINE)
STAYS = {"rollback.auto.tfvars"}


def problems(api):
    found = [(guide, command) for guide in GUIDES for command in written(guide)]
    for guide, command in found:
        yield from (f"{guide}: {command}: {problem}" for problem in wrong(shlex.split(command)[1:], api))
    for guide in GUIDES:
        yield from (f"{guide}: no command removes {file}" for file in left(INFRA.joinpath(guide).read_text()))
    if len(found) < 5:
        yield f"only {len(found)} commands were found: the pattern is wrong"


def left(text):
    """Returns the files of variables that the commands of a text write and do not remove."""
    return sorted(set(WRITES.findall(text)) - set(REMOVES.findall(text)) - STAYS)


def unlike_the_guide(api):
    """Rolls back, holds, stops and starts a function of moto by the commands of OPERATIONS.md."""
    os.environ |= CREDENTIALS
    found = [shlex.split(command) for command in written("OPERATIONS.md")]
    rollback, hold = (next(words for words in found if words[2] == call) for call in ("update-alias", "get-alias"))
    with moto.mock_aws(config={"lambda": {"use_docker": False}}):
        function, role = "saltern-production", boto3.client("iam").create_role(RoleName="execution", AssumeRolePolicyDocument="{}")
        client = boto3.client("lambda")
        made = {"FunctionName": function, "Handler": "bootstrap", "Role": role["Role"]["Arn"], "Runtime": "provided.al2023"}
        client.create_function(**made, Code={"ZipFile": EMPTY_ZIP}, Publish=True)
        client.update_function_code(FunctionName=function, ZipFile=EMPTY_ZIP + b" ", Publish=True)
        client.create_alias(FunctionName=function, Name="live", FunctionVersion="2")
        released = call(hold, api)
        # The guide's version 41 is version 1 here.
        call([*rollback[:-1], "1"], api)
        kept = call(hold, api)
        reserved = []
        for words in (words for words in found if words[2] == "put-function-concurrency"):
            call(words, api)
            reserved.append(client.get_function_concurrency(FunctionName=function)["ReservedConcurrentExecutions"])
    if (released, kept) != ("2", "1"):
        yield f"after {shlex.join(rollback)} the hold keeps {kept}, and {released} before it"
    if reserved != [0, 1500]:
        yield f"the commands that stop and start the function reserve {reserved}"


def call(words, api):
    """Makes the call of a command of `aws`, and returns what its query takes from the answer."""
    options = parsed(words)
    operation, shape = api.operation(words[1], words[2])
    members = {xform_name(member): member for member in shape.members}
    given = {members[option]: value(shape.members[members[option]], values) for option, values in options.items() if option not in GLOBAL}
    answer = getattr(boto3.client(words[1]), xform_name(operation))(**given)
    return jmespath.search(options.get("query", ["@"])[0], answer)


def parsed(words):
    """Returns the values of each option of a command of `aws`."""
    options = {}
    for word in words[3:]:
        if word.startswith("--"):
            values = options.setdefault(word[2:].replace("-", "_"), [])
        else:
            values.append(word)
    return options


def value(shape, words):
    """Returns an argument of a call, from the words of its option. `A=b,C=d` is a structure."""
    if shape.type_name == "list":
        return [value(shape.member, [word]) for word in words]
    if shape.type_name == "structure":
        return dict(pair.split("=") for pair in words[0].split(","))
    return int(words[0]) if shape.type_name == "integer" else words[0]


def written(guide):
    text = (INFRA / guide).read_text().replace("\\\n", " ")
    # A command in a line of text may go on in the next line.
    text = re.sub(r"(`aws [^`]*)\n *([^`]*`)", r"\1 \2", text)
    return [command.split("  # ")[0].strip() for command in COMMAND.findall(text)]


def wrong(words, api):
    service, *rest = words
    if service in OF_THE_TOOL:
        return
    # The tool's name of the calls themselves.
    service = "s3" if service == "s3api" else service
    if rest[0] == "wait":
        if rest[1] not in api.waiters(service):
            yield f"{service} waits for no {rest[1]}"
        return
    try:
        operation, shape = api.operation(service, rest[0])
    except LookupError as error:
        yield str(error)
        return
    options = {word[2:].split("=")[0].replace("-", "_") for word in rest[1:] if word.startswith("--")} - GLOBAL
    members = {xform_name(member): member for member in (shape.members if shape else {})}
    members |= {option: member for (of, option), member in ADDED.items() if of == service}
    yield from (f"{operation} has no option --{option.replace('_', '-')}" for option in sorted(options - members.keys()))
    lacking = set(shape.required_members if shape else ()) - {members.get(option) for option in options}
    # The tool makes one.
    lacking -= {member for member in lacking if shape.members[member].metadata.get("idempotencyToken")}
    yield from (f"{operation} needs {member}" for member in sorted(lacking))
    if "--payload" in rest:
        yield from not_an_event(rest[rest.index("--payload") + 1])


def not_an_event(payload):
    """Whether the function refuses an event unread (functions/lambda/src/event.rs)."""
    try:
        event = json.loads(payload)
        path, method, version = event["rawPath"], event["requestContext"]["http"]["method"], event["version"]
        json.loads(event["body"])
    except (json.JSONDecodeError, KeyError) as error:
        yield f"the payload has no {error}"
        return
    if version != "2.0" or path not in json.loads((INFRA.parent / "functions/service/openapi.json").read_text())["paths"] or method != "POST":
        yield f"the payload is {method} {path} of version {version}"
