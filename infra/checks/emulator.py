"""Sends each call of a plan to moto, an emulator of AWS, reads the values back, and compares them.

moto supports a part of AWS. resources.py names the calls that it lacks, with moto's error message.
If a newer moto supports such a call, the check fails until the name is removed.
"""

import dataclasses
import functools
import json
import os

import boto3
import moto

from resources import EMPTY_ZIP, RESOURCES
from stand_ins import ACCOUNT, REGION

# moto accepts any value, but boto3 needs one.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none", "AWS_DEFAULT_REGION": REGION, "MOTO_ACCOUNT_ID": ACCOUNT}


@dataclasses.dataclass
class Tried:
    # Pairs of a type and an operation.
    read_back: set = dataclasses.field(default_factory=set)
    missing: set = dataclasses.field(default_factory=set)
    problems: list = dataclasses.field(default_factory=list)


def make(calls):
    """Sends the calls of one root to an empty account."""
    os.environ |= CREDENTIALS
    tried = Tried()
    # Without Docker a function is created but not run.
    with moto.mock_aws(config={"lambda": {"use_docker": False}}):
        fill(calls, tried)
    return tried


def fill(calls, tried):
    """Sends the calls of one root to the account of the moment."""
    world = World(calls)
    for made in sorted(calls, key=lambda made: list(RESOURCES).index(made.type)):
        world.try_call(made, tried)


class World:
    """One account, with the resources that the plans do not create."""

    def __init__(self, calls):
        # Maps each stand-in to the value in this account.
        self.real = {}
        if not any(made.type == "aws_s3_bucket" for made in calls):
            self._make_artefact_bucket()
        # A network takes moto longer than all other calls.
        if any(made.service == "ec2" for made in calls):
            self._make_network()
        self._make_operator_policy()
        self._make_layer()

    def try_call(self, made, tried):
        call = made.call
        parameters = replaced(made.parameters, self.real)
        where = f"{made.address}: {made.call.operation}"
        try:
            answer = self._call(made.service, made.call.operation, parameters)
            difference = self._difference(made, parameters, answer)
        except Exception as error:  # moto can raise any exception
            says = describe(error)
            if call.missing is None or call.missing not in says:
                tried.problems.append(f"{where}: moto answers {says}")
            else:
                tried.missing.add((made.type, call.operation))
            return
        if call.missing is not None:
            tried.problems.append(f"{where}: moto supports it now: remove `missing` from resources.py, and read the call back")
        elif difference is not None:
            tried.problems.append(f"{where}: {difference}")
        else:
            tried.read_back.add((made.type, call.operation))
        self._remember(made, answer)

    def _call(self, service, operation, parameters):
        return getattr(client(service), snake(operation))(**parameters)

    def _difference(self, made, parameters, answer):
        """Describes the first member that differs from the value sent.

        Returns None if no member differs.
        """
        call = made.call
        if call.read is None:
            return "resources.py does not read it back: add `read`"
        sent = {name: value for name, value in parameters.items() if name not in call.not_answered}
        given = {"made": answer} if "made" in call.read.__code__.co_varnames[: call.read.__code__.co_argcount] else {}
        came_back = call.read(client(made.service), parameters, **given)
        for name, value in sent.items():
            same = is_in(value, came_back.get(name))
            if name in call.dropped and same:
                return f"moto stores {name} now: remove it from `dropped`"
            if name not in call.dropped and not same:
                return f"{name} was sent as {value!r} and returned as {came_back.get(name)!r}"
        return None

    def _remember(self, made, answer):
        answers = RESOURCES[made.type].answers
        if answers is None or made.call is not RESOURCES[made.type].calls[0]:
            return
        for name, value in answers(answer).items():
            self.real[made.stand_ins[name]] = value

    # Resources that the roots do not create. Their names are those in tests/plan.tfvars of the
    # roots.

    def _make_artefact_bucket(self):
        storage = client("s3")
        storage.create_bucket(Bucket="example-saltern-artefacts", CreateBucketConfiguration={"LocationConstraint": REGION})
        storage.put_bucket_versioning(Bucket="example-saltern-artefacts", VersioningConfiguration={"Status": "Enabled"})

    def _make_network(self):
        network = client("ec2")
        vpc = network.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        self.real["vpc-0123456789abcdef0"] = vpc
        for number in range(3):
            subnet = network.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24")["Subnet"]["SubnetId"]
            self.real[f"subnet-0123456789abcdef{number}"] = subnet
        group = network.create_security_group(GroupName="given", Description="given", VpcId=vpc)["GroupId"]
        self.real["sg-0123456789abcdef0"] = group

    def _make_layer(self):
        client("lambda").publish_layer_version(LayerName="saltern-secrets", Content={"ZipFile": EMPTY_ZIP})

    def _make_operator_policy(self):
        """Creates the one AWS-managed policy that the plans use.

        To load all of them in moto would take too long.
        """
        policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "ec2:DescribeInstances", "Resource": "*"}]}
        name = "AWSLambdaManagedEC2ResourceOperator"
        made = client("iam").create_policy(PolicyName=name, PolicyDocument=json.dumps(policy))
        self.real[f"arn:aws:iam::aws:policy/{name}"] = made["Policy"]["Arn"]


@functools.cache
def client(service):
    return boto3.client(service, region_name=REGION)


def is_in(sent, answer):
    """Whether a response contains every value sent.

    It may contain more. The order of lists and the layout of JSON do not count.
    """
    if isinstance(sent, dict) and isinstance(answer, dict):
        return all(is_in(value, answer.get(name)) for name, value in sent.items())
    if isinstance(sent, list) and isinstance(answer, list):
        return len(sent) == len(answer) and all(any(is_in(part, other) for other in answer) for part in sent)
    if isinstance(sent, str) and sent.startswith("{"):
        return json.loads(sent) == (json.loads(answer) if isinstance(answer, str) else answer)
    return sent == answer


def replaced(value, real):
    """Replaces every stand-in by its value in the account, inside longer strings too."""
    if isinstance(value, dict):
        return {name: replaced(part, real) for name, part in value.items()}
    if isinstance(value, list):
        return [replaced(part, real) for part in value]
    if isinstance(value, str):
        for stand_in, thing in real.items():
            value = value.replace(stand_in, thing)
    return value


def describe(error):
    return f"{type(error).__name__}: {error}".split("\n")[0][:200]


def snake(operation):
    return boto3.session.botocore.xform_name(operation)
