"""The resources of a plan, with the arguments that were written down for them."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Planned:
    address: str
    type: str
    arguments: dict
    # What AWS would decide, by attribute; see stand_ins.py.
    stand_ins: dict


def resources(plan, known, stand_ins):
    """Of a plan, and of the same plan with stand-ins.

    A plan with stand-ins has made-up values too where nobody wrote an argument; which ones were written, the first plan says.
    """
    written = dict(configured(plan["configuration"]["root_module"], ""))
    values = {change["address"]: change["change"]["after"] for change in known["resource_changes"]}
    for change in plan["resource_changes"]:
        first = change["change"]["after"]
        # Blocks that are generated are not in the configuration, but known.
        names = set(written[without_indices(change["address"])]) | {name for name, value in first.items() if value not in (None, [])}
        after = values[change["address"]]
        arguments = {name: after[name] for name in sorted(names) if name in after and after[name] not in (None, [])}
        made_up = stand_ins[change["type"]](change["address"], first) if change["type"] in stand_ins else {}
        yield Planned(change["address"], change["type"], arguments, made_up)


def unknown(plan, known):
    """Arguments that have no value yet, not even a stand-in."""
    written = dict(configured(plan["configuration"]["root_module"], ""))
    for change in known["resource_changes"]:
        waiting = change["change"]["after_unknown"]
        for name, expression in written[without_indices(change["address"])].items():
            if waits(waiting.get(name, False), expression):
                yield f"{change['address']}: {name} is known only after the apply: give what it waits for a stand-in, in stand_ins.py"


def waits(waiting, expression):
    """Whether something is unknown that was written down; within a block, attributes that nobody wrote do not count."""
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
