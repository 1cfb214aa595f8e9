"""Reads back the environments, the alarms and the cost after each apply of states.py.

The calls between two states go to moto, which keeps the bounds, the schedule and the alarms. moto
neither scales nor runs a schedule, so Account has a model of both. It follows AWS's reference of
RegisterScalableTarget: the call moves the provisioned number between the new bounds. Only AWS can
show that it does so, and how soon.
"""

import dataclasses
import json
import os
import pathlib

import moto

import calls
import emulator
import plans
from states import EVENT

INFRA = pathlib.Path(__file__).resolve().parent.parent
PRICES = json.loads((INFRA / "modules/password-hasher/prices.json").read_text())

# Its calls are not in moto.
CONFIGURATION = "aws_lambda_provisioned_concurrency_config"

# In the order of the calls.
COUNTED = (CONFIGURATION, "aws_appautoscaling_target", "aws_appautoscaling_scheduled_action", "aws_cloudwatch_metric_alarm")

# Alarms that every state needs.
ALARMS = ("concurrency", "concurrency-held", "cost-per-hour", "spillover", "throttles")


class Account:
    """The function's part of an account: moto, and a model of what moto lacks."""

    def __init__(self, api):
        self._api = api
        self.resources = {}
        self.provisioned = 0

    def apply(self, resources):
        """Makes the calls between the last state and this one."""
        for address, resource in sorted(resources.items(), key=lambda item: COUNTED.index(item[1].type)):
            if self.resources.get(address) != resource:
                self._put(resource, address not in self.resources)
        for address in self.resources.keys() - resources.keys():
            self._delete(self.resources[address])
        self.resources = resources

    def _put(self, resource, is_new):
        if resource.type == CONFIGURATION:
            # The configuration ignores changes of the number.
            self.provisioned = resource.arguments["provisioned_concurrent_executions"] if is_new else self.provisioned
            return
        made, problems = calls.of(resource, self._api)
        assert not problems, problems
        for call in made:
            getattr(emulator.client(call.service), emulator.snake(call.call.operation))(**call.parameters)
        if resource.type == "aws_appautoscaling_target":
            self._move_between(self.bounds())

    def _delete(self, resource):
        named = {"ServiceNamespace": "lambda", "ScalableDimension": "lambda:function:ProvisionedConcurrency"}
        given = resource.arguments
        if resource.type == CONFIGURATION:
            self.provisioned = self.provisioned if given.get("skip_destroy") else 0
        elif resource.type == "aws_appautoscaling_target":
            # The environments stay as they are.
            client().deregister_scalable_target(**named, ResourceId=given["resource_id"])
        elif resource.type == "aws_appautoscaling_scheduled_action":
            client().delete_scheduled_action(**named, ResourceId=given["resource_id"], ScheduledActionName=given["name"])
        else:
            emulator.client("cloudwatch").delete_alarms(AlarmNames=[given["alarm_name"]])

    def bounds(self):
        targets = client().describe_scalable_targets(ServiceNamespace="lambda")["ScalableTargets"]
        return [(target["MinCapacity"], target["MaxCapacity"]) for target in targets]

    def _move_between(self, bounds):
        for least, most in bounds:
            self.provisioned = min(max(self.provisioned, least), most)

    def after_its_schedule(self):
        """Returns the environments after the last scheduled action."""
        provisioned = self.provisioned
        actions = client().describe_scheduled_actions(ServiceNamespace="lambda")["ScheduledActions"]
        for action in sorted(actions, key=lambda action: action["Schedule"]):
            bounds = action["ScalableTargetAction"]
            provisioned = min(max(provisioned, bounds["MinCapacity"]), bounds["MaxCapacity"])
        return provisioned

    def alarms(self):
        alarms = emulator.client("cloudwatch").describe_alarms(MaxRecords=100)["MetricAlarms"]
        return {alarm["AlarmName"] for alarm in alarms}


def client():
    return emulator.client("application-autoscaling")


def usd_per_hour(environments):
    """The price of environments that wait, on arm64 with 1,769 MB."""
    return environments * 1769 / 1024 * 3600 * PRICES["arm64_provisioned_idle_usd_per_gb_second"]["value"]


def problems(rows, made, plan, api):
    """Compares each state that Terraform made with the row that it must be."""
    os.environ |= emulator.CREDENTIALS
    written = dict(plans.configured(plan["configuration"]["root_module"], ""))
    guide = (INFRA / "OPERATIONS.md").read_text()
    with moto.mock_aws(config={"lambda": {"use_docker": False}}):
        account = Account(api)
        for state, resources in zip(rows, made, strict=True):
            account.apply(dict(of_state(resources, written)))
            later = account.after_its_schedule()
            if (account.provisioned, later) != (state.now, state.later):
                yield f"{state.name}: {account.provisioned} environments, later {later}; expected {state.now} and {state.later}"
            lacking = {f"saltern-production-{name}" for name in ALARMS} - account.alarms()
            if lacking:
                yield f"{state.name}: there is no alarm {', '.join(sorted(lacking))}"
            row = f"| {state.name} | {account.provisioned:,} | {usd_per_hour(account.provisioned):.2f} | {later:,} | {usd_per_hour(later):.2f} |"
            if row not in guide:
                yield f"infra/OPERATIONS.md has no such row: {row}"
    yield from unnoticed(made, written, api)


def unnoticed(made, written, api):
    """The model finds a cancelled event that stays paid for, and an event without environments."""
    with moto.mock_aws(config={"lambda": {"use_docker": False}}):
        account = Account(api)
        running = dict(of_state(made[2], written))
        account.apply(running)
        account.apply({address: resource for address, resource in running.items() if not resource.type.startswith("aws_appautoscaling")})
        if account.provisioned != EVENT:
            yield f"the model does not find a deregistered target: {account.provisioned} environments"
        without = {address: forgotten(resource) for address, resource in running.items()}
        account = Account(api)
        account.apply(without)
        account.apply({address: resource for address, resource in without.items() if resource.type != CONFIGURATION})
        if account.provisioned != 0:
            yield f"the model does not find a deleted configuration: {account.provisioned} environments"


def forgotten(resource):
    """A configuration that Terraform would delete."""
    if resource.type != CONFIGURATION:
        return resource
    return dataclasses.replace(resource, arguments=resource.arguments | {"skip_destroy": False})


def of_state(resources, written):
    """Reads the resources of a state that count here, with the arguments that are set."""
    for resource in resources:
        if resource["type"] not in COUNTED:
            continue
        names = set(written[plans.without_indices(resource["address"])]) | {name for name, value in resource["values"].items() if isinstance(value, list)}
        arguments = {name: resource["values"][name] for name in sorted(names) if resource["values"].get(name) not in (None, [])}
        yield resource["address"], plans.Planned(resource["address"], resource["type"], arguments, {})
