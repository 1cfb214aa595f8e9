"""Checks parameters against the models of AWS's API that botocore ships.

botocore's own validator checks names, types, required members and minima. This module checks
maxima, enumerations and patterns too.
"""

import re

from botocore.validate import ParamValidator

# The patterns of the models use Java's syntax. These parts differ in Python:
JAVA_TO_PYTHON = {
    # characters above 16 bits, as surrogate pairs
    r"\uD800\uDC00-\uDBFF\uDFFF": r"\U00010000-\U0010FFFF",
    r"\p{Print}": r"[\x20-\x7E]",
}


class Unfit(Exception):
    """An argument that the API does not have."""


def fit(value, shape, where, differently):
    """Converts a value from Terraform's form to the API's.

    `differently` maps the names that differ.
    """
    if shape.type_name == "structure":
        # Terraform represents a block that occurs once as a list of one.
        block = value[0] if isinstance(value, list) else value
        members = {plain(member): member for member in shape.members}
        made = {}
        for name, part in block.items():
            if part is None or part == []:
                continue
            member = members.get(plain(name)) or members.get(plain(differently.get(name, "")))
            if member is None:
                raise Unfit(f"{where}.{name}: {shape.name} has no such member")
            made[member] = fit(part, shape.members[member], f"{where}.{name}", differently)
        return made
    if shape.type_name == "list":
        return [fit(part, shape.member, f"{where}[{position}]", differently) for position, part in enumerate(value)]
    if shape.type_name in ("integer", "long") and isinstance(value, str):
        return int(value)
    return value


def plain(name):
    return name.replace("_", "").lower()


def problems(parameters, shape, where):
    """Returns the violations of the model by the parameters of a call."""
    report = ParamValidator().validate(parameters, shape)
    found = [f"{where}: {line}" for line in report.generate_report().splitlines()] if report.has_errors() else []
    # A value of the wrong type has no length to check.
    return found or list(beyond_botocore(parameters, shape, where))


def beyond_botocore(value, shape, where):
    limits = shape.metadata
    if shape.type_name == "structure":
        for name, part in value.items():
            if name in shape.members:
                yield from beyond_botocore(part, shape.members[name], f"{where}.{name}")
        return
    if shape.type_name == "list":
        for position, part in enumerate(value):
            yield from beyond_botocore(part, shape.member, f"{where}[{position}]")
    if shape.type_name == "map":
        for name, part in value.items():
            yield from beyond_botocore(name, shape.key, f"{where}, the key {name}")
            yield from beyond_botocore(part, shape.value, f"{where}.{name}")
    if shape.type_name in ("list", "map", "blob", "string") and "max" in limits and len(value) > limits["max"]:
        yield f"{where}: the length is {len(value)}, and at most {limits['max']} is allowed"
    if shape.type_name in ("integer", "long", "double", "float") and "max" in limits and value > limits["max"]:
        yield f"{where}: the value is {value}, and at most {limits['max']} is allowed"
    if shape.type_name == "string":
        yield from string_problems(value, shape, where)


def string_problems(value, shape, where):
    enumeration = getattr(shape, "enum", [])
    if enumeration and value not in enumeration:
        yield f"{where}: {value!r} is none of {', '.join(enumeration)}"
    pattern = shape.metadata.get("pattern")
    if pattern is None:
        return
    try:
        matches = re.fullmatch(in_python(pattern), value)
    except re.error as error:
        yield f"{where}: the pattern {pattern} of {shape.name} cannot be read: {error}"
        return
    if not matches:
        yield f"{where}: {value!r} does not match {pattern}"


def in_python(pattern):
    for java, python in JAVA_TO_PYTHON.items():
        pattern = pattern.replace(java, python)
    return pattern
