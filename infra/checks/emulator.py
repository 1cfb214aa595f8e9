"""What moto, an emulator of AWS, takes: each call of a plan is made there, and what was sent is read back and compared.

moto knows a part of AWS. What it does not know is named in resources.py, with what it says instead; where it has learned
one of them, the check fails until the name is taken out.
"""

import dataclasses
import json
import os

import boto3
import moto

from resources import RESOURCES
from stand_ins import ACCOUNT, REGION

# moto takes any; boto3 wants some.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none", "AWS_DEFAULT_REGION": REGION, "MOTO_ACCOUNT_ID": ACCOUNT}


@dataclasses.dataclass
class Tried:
    # Types and operations.
    read_back: set = dataclasses.field(default_factory=set)
    missing: set = dataclasses.field(default_factory=set)
    problems: list = dataclasses.field(default_factory=list)


def make(calls):
    """Makes the calls of one root in an empty account."""
    os.environ |= CREDENTIALS
    tried = Tried()
    # No Docker: a function is made and not run.
    with moto.mock_aws(config={"lambda": {"use_docker": False}}):
        world = World(makes_buckets=any(made.type == "aws_s3_bucket" for made in calls))
        for made in sorted(calls, key=lambda made: list(RESOURCES).index(made.type)):
            world.try_call(made, tried)
    return tried


class World:
    """One account, with what the plans take as given."""

    def __init__(self, makes_buckets):
        # Stand-ins, and what this account calls the same thing.
        self.real = {}
        self._clients = {}
        if not makes_buckets:
            self._make_artefact_bucket()
        self._make_network()
        self._make_operator_policy()

    def try_call(self, made, tried):
        call = made.call
        parameters = replaced(made.parameters, self.real)
        where = f"{made.address}: {made.call.operation}"
        try:
            answer = self._call(made.service, made.call.operation, parameters)
            difference = self._difference(made, parameters, answer)
        except Exception as error:  # an emulator fails in every way there is
            says = describe(error)
            if call.missing is None or call.missing not in says:
                tried.problems.append(f"{where}: moto says {says}")
            else:
                tried.missing.add((made.type, call.operation))
            return
        if call.missing is not None:
            tried.problems.append(f"{where}: moto has learned it: take `missing` out of resources.py, and read it back")
        elif difference is not None:
            tried.problems.append(f"{where}: {difference}")
        else:
            tried.read_back.add((made.type, call.operation))
        self._remember(made, answer)

    def _call(self, service, operation, parameters):
        return getattr(self._client(service), snake(operation))(**parameters)

    def _client(self, service):
        if service not in self._clients:
            self._clients[service] = boto3.client(service, region_name=REGION)
        return self._clients[service]

    def _difference(self, made, parameters, answer):
        """The first member that comes back otherwise than it was sent; None where all do."""
        call = made.call
        if call.read is None:
            return "nothing in resources.py reads it back"
        sent = {name: value for name, value in parameters.items() if name not in call.not_answered}
        given = {"made": answer} if "made" in call.read.__code__.co_varnames[: call.read.__code__.co_argcount] else {}
        came_back = call.read(self._client(made.service), parameters, **given)
        for name, value in sent.items():
            same = is_in(value, came_back.get(name))
            if name in call.dropped and same:
                return f"moto has learned {name}: take it out of `dropped`"
            if name not in call.dropped and not same:
                return f"{name} was sent as {value!r} and came back as {came_back.get(name)!r}"
        return None

    def _remember(self, made, answer):
        answers = RESOURCES[made.type].answers
        if answers is None or made.call is not RESOURCES[made.type].calls[0]:
            return
        for name, value in answers(answer).items():
            self.real[made.stand_ins[name]] = value

    # What the roots are told in their variables and do not make; the names are those of their tests/plan.tfvars.

    def _make_artefact_bucket(self):
        storage = self._client("s3")
        storage.create_bucket(Bucket="example-saltern-artefacts", CreateBucketConfiguration={"LocationConstraint": REGION})
        storage.put_bucket_versioning(Bucket="example-saltern-artefacts", VersioningConfiguration={"Status": "Enabled"})

    def _make_network(self):
        network = self._client("ec2")
        vpc = network.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        self.real["vpc-0123456789abcdef0"] = vpc
        for number in range(3):
            subnet = network.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24")["Subnet"]["SubnetId"]
            self.real[f"subnet-0123456789abcdef{number}"] = subnet
        group = network.create_security_group(GroupName="given", Description="given", VpcId=vpc)["GroupId"]
        self.real["sg-0123456789abcdef0"] = group

    def _make_operator_policy(self):
        """AWS keeps this one; moto has it only where it loads all of AWS's, which takes longer than all else here."""
        policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "ec2:DescribeInstances", "Resource": "*"}]}
        name = "AWSLambdaManagedEC2ResourceOperator"
        made = self._client("iam").create_policy(PolicyName=name, PolicyDocument=json.dumps(policy))
        self.real[f"arn:aws:iam::aws:policy/{name}"] = made["Policy"]["Arn"]


def is_in(sent, answer):
    """Whether an answer holds all that was sent; it may hold more. Lists have no order, and documents no layout."""
    if isinstance(sent, dict) and isinstance(answer, dict):
        return all(is_in(value, answer.get(name)) for name, value in sent.items())
    if isinstance(sent, list) and isinstance(answer, list):
        return len(sent) == len(answer) and all(any(is_in(part, other) for other in answer) for part in sent)
    if isinstance(sent, str) and sent.startswith("{"):
        return json.loads(sent) == (json.loads(answer) if isinstance(answer, str) else answer)
    return sent == answer


def replaced(value, real):
    """The same with every stand-in replaced by what it stands for, within longer strings too."""
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
