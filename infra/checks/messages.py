"""Checks that an operator can copy each remedy from a message of Terraform.

Terraform prints a message behind a border, and wraps each line of it that is not indented. So each
remedy is an indented line of its own, which is short enough for a terminal.
"""

import pathlib
import re

INFRA = pathlib.Path(__file__).resolve().parent.parent

# A message is a string, or a text of several lines.
MESSAGE = re.compile(r'^ *(?:error_message|message) += (?:"(.*)"|<<-EOT\n((?:.*\n)*?) *EOT)$', re.MULTILINE)
EXPRESSION = re.compile(r"\$\{[^}]*\}")

# A line of a file of variables, or a command.
REMEDY = re.compile(r"[a-z_]+ = |-var |\b(?:aws|make|terraform) [a-z]")

# The border takes two more of 80.
COLUMNS = 76
# An expression in a remedy is a number, or the name of a region. AWS grants tens of thousands of concurrent executions.
NUMBER = "99999"


def problems(directory=INFRA):
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
                yield from (f"{file.name}: there is no output {name}" for name in re.findall(r"terraform output -raw (\w+)", line) if name not in outputs)
    if remedies < 10:
        yield f"only {remedies} remedies were found: the pattern is wrong"
