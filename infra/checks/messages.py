"""Checks that an operator can copy each remedy from a message of Terraform.

Terraform prints a message behind a border, and wraps each line of it that is not indented. So each
remedy is an indented line of its own, which is short enough for a terminal. An operator pastes it
into terraform.tfvars, so it sets a variable of the environment, and no text names a field of an
object that only the module has.
"""

import pathlib
import re

INFRA = pathlib.Path(__file__).resolve().parent.parent

# A message is a string, or a text of several lines. The description of an alarm is one too.
MESSAGE = re.compile(r'^(?: *(?:error_message|message)| {6}description) += (?:"(.*)"|<<-EOT\n((?:.*\n)*?) *EOT)$', re.MULTILINE)
EXPRESSION = re.compile(r"\$\{[^}]*\}")

# A line of a file of variables, or a command.
REMEDY = re.compile(r"[a-z_]+ = |-var |\b(?:aws|make|terraform) [a-z]")

ASSIGNED = re.compile(r"^ +([a-z_]+) = ")
# A line over that of an event, and one of an object in the operator's own main.tf.
FIELDS = {"expected_logins_per_second", "maximum_environments"}
FIELD_OF_THE_MODULE = re.compile(r"\b(?:alarms|capacity|function_url|settings|signing)\.[a-z_]+\b(?!\.json)")

# The border takes two more of 80.
COLUMNS = 76
# An expression in a remedy is a number, or the name of a region. AWS grants tens of thousands of concurrent executions.
NUMBER = "99999"


def problems(directory=INFRA):
    variables = {*re.findall(r'^variable "(.*?)"', (INFRA / "environments/production/variables.tf").read_text(), re.MULTILINE), *FIELDS}
    remedies, outputs = 0, re.findall(r'^output "(.*?)"', (INFRA / "environments/production/outputs.tf").read_text(), re.MULTILINE)
    for file in sorted(directory.rglob("*.tf")):
        for string, text in MESSAGE.findall(file.read_text()):
            lines = text.splitlines() or string.split("\\n")
            margin = min(len(line) - len(line.lstrip()) for line in lines)
            for line in (EXPRESSION.sub(NUMBER, line[margin:]) for line in lines):
                remedies += line.startswith(" ")
                if not line.startswith(" ") and REMEDY.search(line):
                    yield f"{file.name}: put the remedy on an indented line of its own: {line}"
                elif line.startswith(" ") and len(line) > COLUMNS:
                    yield f"{file.name}: a remedy has {len(line)} columns, and {COLUMNS} fit: {line}"
                yield from (f"{file.name}: no variable of an environment is {name}" for name in ASSIGNED.findall(line) if name not in variables)
                yield from (f"{file.name}: name the variable of an environment, not {field}" for field in FIELD_OF_THE_MODULE.findall(line))
                yield from (f"{file.name}: there is no output {name}" for name in re.findall(r"terraform output -raw (\w+)", line) if name not in outputs)
    if remedies < 10:
        yield f"only {remedies} remedies were found: the pattern is wrong"
