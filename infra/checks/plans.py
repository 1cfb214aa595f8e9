"""Reads the resources of a plan, with the arguments that the configuration sets."""

import dataclasses
import re


# Terraform keeps it in its state alone. No API has it.
TERRAFORMS_OWN = "terraform_data"


@dataclasses.dataclass(frozen=True)
class Planned:
    address: str
    type: str
    arguments: dict
    # The attributes that AWS would decide. See stand_ins.py.
    stand_ins: dict


def resources(plan, known, stand_ins):
    """Reads the resources of a plan and of the same plan with stand-ins.

    The plan with stand-ins has generated values for arguments that the configuration does not set.
    So the first plan decides which arguments count.
    """
    written = dict(configured(plan["configuration"]["root_module"], ""))
    values = {change["address"]: change["change"]["after"] for change in known["resource_changes"]}
    for change in plan["resource_changes"]:
        if change["type"] == TERRAFORMS_OWN:
            continue
        first = change["change"]["after"]
        # Dynamic blocks are not in the configuration, but the first plan knows them.
        names = set(written[without_indices(change["address"])]) | {name for name, value in first.items() if value not in (None, [])}
        after = values[change["address"]]
        arguments = {name: after[name] for name in sorted(names) if name in after and after[name] not in (None, [])}
        made_up = stand_ins[change["type"]](change["address"], first) if change["type"] in stand_ins else {}
        yield Planned(change["address"], change["type"], arguments, made_up)


def resources_on_mocks(known, stand_ins):
    """Reads the resources of a plan with stand-ins alone.

    Their arguments are all that the plan has a value for, also one that the configuration does not
    set.
    """
    for change in known["resource_changes"]:
        after, type_ = change["change"]["after"], change["type"]
        made_up = stand_ins[type_](change["address"], after) if type_ in stand_ins else {}
        yield Planned(change["address"], type_, after, made_up)


def unknown(plan, known):
    """Returns a problem for each argument without a value or a stand-in."""
    written = dict(configured(plan["configuration"]["root_module"], ""))
    for change in known["resource_changes"]:
        waiting = change["change"]["after_unknown"]
        for name, expression in written[without_indices(change["address"])].items():
            if waits(waiting.get(name, False), expression):
                yield f"{change['address']}: {name} is known only after the apply: add a stand-in for the value that it needs to stand_ins.py"


def waits(waiting, expression):
    """Whether a value that the configuration sets is unknown.

    Other attributes in a block do not count.
    """
    if not isinstance(expression, list):
        return holds_true(waiting)
    blocks = waiting if isinstance(waiting, list) else [waiting] * len(expression)
    return any(
        waits(block.get(name, False) if isinstance(block, dict) else block, part)
        for block, written in zip(blocks, expression)
        for name, part in written.items()
    )


def configured(module, prefix):
    for resource in module.get("resources", []):
        if resource["mode"] == "managed":
            yield f"{prefix}{resource['address']}", resource.get("expressions", {})
    for name, call in module.get("module_calls", {}).items():
        yield from configured(call["module"], f"{prefix}module.{name}.")


def without_indices(address):
    return re.sub(r"\[[^]]*\]", "", address)


def holds_true(value):
    if isinstance(value, dict):
        return any(holds_true(part) for part in value.values())
    if isinstance(value, list):
        return any(holds_true(part) for part in value)
    return value is True
