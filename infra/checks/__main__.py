"""Checks the plans of `infra/test --slow` against the API of AWS.

    python infra/checks DIR

DIR/<root>.json is a plan, DIR/<root>.known.json the same plan with stand-ins. DIR/states.json has
the states of an event (states.py).

Each resource becomes the API calls that create it. Each call must fit botocore's model, and
policies.py must accept each policy. Then moto receives all calls of a root, and the values
are read back. A root counts three times in the last line. The table of calls in infra/README.md is
generated from resources.py.
"""

import datetime
import json
import pathlib
import sys

import account
import calls
import commands
import emulator
import evening
import faults
import plans
import policies
import states
from resources import RESOURCES
from stand_ins import STAND_INS

KNOWN = ".known.json"


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    api = calls.Api()
    tally = Tally()
    seen, every_call, read_back, missing = {}, [], set(), set()
    for file in sorted(directory.glob(f"*{KNOWN}")):
        root = file.name.removesuffix(KNOWN)
        plan, known = json.loads((directory / f"{root}.json").read_text()), json.loads(file.read_text())
        resources = list(plans.resources(plan, known, STAND_INS))
        made, problems = calls_of(resources, api)
        tally.note(f"{root}: {len(made)} calls fit the models of AWS's API", [*plans.unknown(plan, known), *problems])
        tally.note(f"{root}: no policy has a public principal, or a wildcard without a reason", policies.problems(made))
        tried = emulator.make(made)
        tally.note(f"{root}: moto accepts the calls that it supports, and returns their values", tried.problems)
        if root == "environments-production":
            page = plan["planned_values"]["outputs"]["evening"]["value"]
            tally.note("each command of the page through an event works in moto, and prints what the page says", evening.problems(page, made, api))
        read_back |= tried.read_back
        missing |= tried.missing
        every_call += made
        for resource in resources:
            seen.setdefault(resource.type, resource)
    if not seen:
        sys.exit(f"{directory} has no plan: run infra/test --slow --plans {directory}")
    tally.note("a plan uses every type and every call of resources.py", unused(seen, read_back | missing))
    tally.note(f"the checks find each of {len(faults.FAULTS)} faults", faults.not_found(seen, api))
    tally.note("the commands of the guides fit the models of AWS's API", commands.problems(api))
    tally.note("the guide's commands keep a rollback by hand, and stop and start the function", commands.unlike_the_guide(api))
    tally.note("the service control policy of ACCOUNT.md only denies, names calls that AWS has, and leaves each to its roles", policies.scp_problems())
    tally.note("each state of an event has the environments, the alarms and the cost of its row", check_states(directory, api))
    tally.note("the checks find wrong statements about moto in resources.py", faults.unnoticed_by_the_emulator(every_call))
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed else 0)


class Tally:
    passed = failed = 0

    def note(self, what, problems):
        problems = list(problems)
        if problems:
            self.failed += 1
            print("\n         ".join([f"FAILED   {what}", *problems]), flush=True)
        else:
            self.passed += 1
            print(f"ok       {what}", flush=True)


def check_states(directory, api):
    if not (directory / "states.json").exists():
        return ["infra/test --slow made no states"]
    made = json.loads((directory / "states.json").read_text())
    plan = json.loads((directory / "environments-production.json").read_text())
    rows = states.states(datetime.datetime.fromisoformat(made["now"]))
    return account.problems(rows, made["states"], plan, api)


def calls_of(resources, api):
    made, problems = [], []
    for resource in resources:
        of_this, wrong = calls.of(resource, api)
        made += of_this
        problems += wrong
    return made, problems


def unused(seen, tried):
    """The README lists every call of resources.py as checked, so each must occur."""
    for type_, resource in RESOURCES.items():
        if type_ not in seen:
            yield f"{type_} is in no plan: remove it from resources.py"
        for call in resource.calls:
            if (type_, call.operation) not in tried:
                yield f"{type_}: {call.operation} is in no plan: remove it from resources.py"


if __name__ == "__main__":
    main()
