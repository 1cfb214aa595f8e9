"""Checks the commands of `aws` in the guides against the models that botocore ships.

The service, the call and the options must exist, and no required option may lack.
"""

import pathlib
import re
import shlex

from botocore import xform_name

INFRA = pathlib.Path(__file__).resolve().parent.parent
GUIDES = ("ACCOUNT.md", "OPERATIONS.md", "README.md")

# A command in a block, or in a line of text.
COMMAND = re.compile(r"(?:^|`|&& |\$\()(aws [^`\n|&)]+)", re.MULTILINE)

# Options of every command.
GLOBAL = {"output", "query", "region"}

# Not a service.
OF_THE_TOOL = {"configure"}

# Options that the command line adds to a call, each with the member that it fills.
ADDED = {("lambda", "zip_file"): "Content"}


def problems(api):
    found = [(guide, command) for guide in GUIDES for command in written(guide)]
    for guide, command in found:
        yield from (f"{guide}: {command}: {problem}" for problem in wrong(shlex.split(command)[1:], api))
    if len(found) < 5:
        yield f"only {len(found)} commands were found: the pattern is wrong"


def written(guide):
    text = (INFRA / guide).read_text().replace("\\\n", " ")
    # A command in a line of text may go on in the next line.
    text = re.sub(r"(`aws [^`]*)\n *([^`]*`)", r"\1 \2", text)
    return [command.split("  # ")[0].strip() for command in COMMAND.findall(text)]


def wrong(words, api):
    service, *rest = words
    if service in OF_THE_TOOL:
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
    yield from (f"{operation} needs {member}" for member in sorted(lacking))
