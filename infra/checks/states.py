"""Makes a test file for Terraform: the states of an event.

Each state is one apply, which starts from the one before. account.py then reads back the
environments, the alarms and the cost.
"""

import dataclasses
import datetime
import json

# The event of infra/environments/production: 3,000 logins a second under bcrypt-12. RAISED is for
# 4,000. MINIMUM and MAXIMUM are the everyday bounds.
EVENT, RAISED, MINIMUM, MAXIMUM = 1402, 1869, 10, 100

MOCKS = """mock_provider "aws" {
  mock_resource "aws_signer_signing_job" {
    defaults = { signed_object = [{ s3 = [{ bucket = "example-saltern-artefacts", key = "saltern-production/signed/job.zip" }] }] }
  }
}
"""


@dataclasses.dataclass(frozen=True)
class State:
    """A row of the table in infra/OPERATIONS.md."""

    name: str
    # Variables of the root, in the syntax of Terraform.
    variables: dict
    # Environments now, and when the announced events have ended.
    now: int
    later: int


def states(now):
    """Returns the states in the order of the applies. Each starts from the one before."""

    def event(begins, ends, logins=3000):
        at = [(now + datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ") for hours in (begins, ends)]
        return [{"name": "gala", "starts_at": at[0], "ends_at": at[1], "expected_logins_per_second": logins}]

    held = {"rollback_to_version": "1"}
    running = held | {"events": event(-1, 3)}
    to_zero = {"provisioned_minimum": 0, "provisioned_maximum": 0}
    raised = {"reserved_concurrency": 2000, "events": event(-1, 3, 4000)}
    return [
        State("at rest", {"events": []}, MINIMUM, MINIMUM),
        State("before", {"events": event(24, 28)}, MINIMUM, MAXIMUM),
        State("running", running, EVENT, MAXIMUM),
        State("minimum lowered to 0", running | to_zero, EVENT, 0),
        State("shortened", held | {"events": event(-1, 1)}, EVENT, MAXIMUM),
        State("more logins than expected", held | raised, RAISED, MAXIMUM),
        State("moved to tomorrow", {"events": event(24, 28)}, MAXIMUM, MAXIMUM),
        State("released during it", {"events": event(-1, 3), "release_during_event": True}, EVENT, MAXIMUM),
        State("rolled back during it", running | {"rollback_to_version": "2"}, EVENT, MAXIMUM),
        State("stopped during it", running | {"reserved_concurrency": 0}, 0, 0),
        State("started again", running, EVENT, MAXIMUM),
        State("cancelled", {"events": []}, MAXIMUM, MAXIMUM),
        State("running, minimum 0", running | to_zero, EVENT, 0),
        State("cancelled, minimum 0", {"events": []} | to_zero, 0, 0),
        State("switched off, with signing", {"events": [], "artefact_bucket": None} | to_zero, 0, 0),
    ]


def test_of(states):
    """Returns the test file: the states, and after each of them a second plan."""
    lines = [MOCKS]
    for position, state in enumerate(states):
        lines += run(f"state_{position}", state.variables)
        lines += run(f"again_{position}", state.variables, "  command = plan\n")
    return "\n".join(lines)


def run(name, variables, more=""):
    given = [f"    {variable} = {json.dumps(value)}" for variable, value in variables.items()]
    return [f'run "{name}" {{', more, "  variables {", *given, "  }", "}", ""]


def resources(state):
    """Returns the resources of a state that Terraform printed."""
    modules = [state.get("values", state)["root_module"]]
    while modules:
        module = modules.pop()
        modules += module.get("child_modules", [])
        yield from module.get("resources", [])
