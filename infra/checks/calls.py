"""Converts a planned resource into calls of AWS's API, and checks each call against its model."""

import dataclasses
import json

import botocore
import botocore.session

import models
from resources import RESOURCES, Call


@dataclasses.dataclass(frozen=True)
class Made:
    """A call, with its parameters in the form of the API."""

    address: str
    type: str
    service: str
    call: Call
    parameters: dict
    stand_ins: dict


class Api:
    def __init__(self):
        self._session = botocore.session.get_session()
        self._services = {}

    def input_shape(self, service, operation):
        return self._model(service).operation_model(operation).input_shape

    def operation(self, service, command):
        """Returns the call of a command such as `update-alias`, with its input."""
        if service not in self._session.get_available_services():
            raise LookupError(f"there is no service {service}")
        for operation in self._model(service).operation_names:
            if botocore.xform_name(operation).replace("_", "-") == command:
                return operation, self.input_shape(service, operation)
        raise LookupError(f"{service} has no command {command}")

    def waiters(self, service):
        """Returns what `aws SERVICE wait` waits for."""
        return {botocore.xform_name(name, "-") for name in self._session.get_waiter_model(service).waiter_names}

    def _model(self, service):
        if service not in self._services:
            self._services[service] = self._session.get_service_model(service)
        return self._services[service]


def of(resource, api):
    """Returns the calls of a planned resource, and their problems."""
    if resource.type not in RESOURCES:
        return [], [f"{resource.address}: resources.py has no call of AWS's API for {resource.type}: add it"]
    known = RESOURCES[resource.type]
    made, problems = [], []
    for call in known.calls:
        where = f"{resource.address}: {call.operation}"
        taken = taken_by(call, known, resource)
        if taken is None:
            continue
        shape = api.input_shape(known.service, call.operation)
        try:
            parameters = models.fit(call.form(taken), shape, where, call.names)
        except (models.Unfit, ValueError) as error:
            problems.append(str(error))
            continue
        except KeyError as error:
            problems.append(f"{where}: the argument {error} is missing")
            continue
        problems += models.problems(parameters, shape, where)
        problems += problems_within(parameters, where, api)
        made.append(Made(resource.address, resource.type, known.service, call, parameters, resource.stand_ins))
    return made, problems


def taken_by(call, known, resource):
    """Returns the arguments of one of a resource's calls, or None if the call is not needed."""
    if call.takes is None:
        elsewhere = {name for other in known.calls for name in other.takes or ()} | set(known.terraforms_own)
        return {name: value for name, value in resource.arguments.items() if name not in elsewhere}
    own = {name: resource.arguments[name] for name in call.takes if name in resource.arguments}
    if not own or any(own.get(name) == value for name, value in call.without.items()):
        return None
    available = resource.stand_ins | resource.arguments
    return own | {name: available[name] for name in call.shares}


def problems_within(parameters, where, api):
    """Checks that JSON parameters are JSON, and a scheduled call fits its model."""
    for name, value in parameters.items():
        if name.endswith(("DashboardBody", "EventPattern", "Policy", "PolicyDocument")):
            try:
                json.loads(value)
            except json.JSONDecodeError as error:
                yield f"{where}.{name}: {error}"
    target = parameters.get("Target", {})
    if isinstance(target, dict) and ":aws-sdk:" in target.get("Arn", ""):
        service, operation = target["Arn"].split(":aws-sdk:")[1].split(":")
        operation = f"{operation[0].upper()}{operation[1:]}"
        shape = api.input_shape(service, operation)
        later = json.loads(target["Input"])
        yield from models.problems(later, shape, f"{where}, later {operation}")
