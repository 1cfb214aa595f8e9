"""Compares loadtest/lib/sigv4.ts with botocore on random requests, byte for byte."""

import datetime
import json
import os
import random
import tempfile
import unittest
from unittest import mock

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.tokens import FrozenAuthToken

from k6 import k6

CASES = int(os.environ.get("SALTERN_RANDOM_CASES", "1000"))
# Fixed, so that a check of a change cannot fail by chance. SALTERN_SEED sets another seed.
SEED = int(os.environ.get("SALTERN_SEED", "2026"))

UNRESERVED = "abcXYZ019-_.~"
PATH_SIGNS = UNRESERVED + "!$&'()*+,;=:@/ /."
QUERY_SIGNS = UNRESERVED + "!$&&'()*+,;==:@/?"
HEADER_SIGNS = UNRESERVED + " \t !\"#$%&'()*+,/:;<=>?@[]^`{|}"
BODY_SIGNS = UNRESERVED + ' "\\{}[]:,\n\tåäö€漢字𝔘\u0000\u007f\u200b\ufeff'
SECRET_SIGNS = "abcXYZ019+/="


def some(signs, most):
    return "".join(random.choices(signs, k=random.randint(0, most)))


def escaped(text):
    """Percent-encodes some of the signs and all signs beyond ASCII, in upper or lower case."""
    sign = lambda s: "".join(random.choice((f"%{b:02X}", f"%{b:02x}")) for b in s.encode())
    return "".join(sign(s) if not s.isascii() or s == " " or random.random() < 0.1 else s for s in text)


def random_case(identities):
    host = random.choice(["abc123.lambda-url.eu-north-1.on.aws", "LOCALHOST:9000", "127.0.0.1:443", "x.example:443", "x.example:80", "x.example"])
    scheme = random.choice(["https", "http"])
    path = random.choice(["", "/", "/verify", "/hash", "/batch", "/" + escaped(some(PATH_SIGNS + "ä€", 24))])
    query = random.choice([None, "", escaped(some(QUERY_SIGNS + "ä€", 24))])
    url = f"{scheme}://{host}{path}" + ("" if query is None else f"?{query}")
    headers = {"content-type": "application/json", "Saltern-Deadline-Ms": str(random.randint(1, 60000))}
    for _ in range(random.randint(0, 3)):
        headers["x-" + some("abcdefghij-", 8)] = some(HEADER_SIGNS, 20)
    instant = datetime.datetime(2026, 11, random.randint(19, 21), random.randint(0, 23), random.randint(0, 59), random.randint(0, 59))
    return random.choice(identities), instant, random.choice(["GET", "POST"]), url, headers, some(BODY_SIGNS, 60)


def signed_by_botocore(identity, instant, method, url, headers, body):
    access_key, secret_key, token, region, service = identity
    request = AWSRequest(method=method, url=url, headers=dict(headers), data=body.encode())
    with mock.patch("botocore.auth.get_current_datetime", return_value=instant):
        botocore.auth.SigV4Auth(Credentials(access_key, secret_key, token), service, region).add_auth(request)
    credentials = {"accessKeyId": access_key, "secretAccessKey": secret_key}
    return {
        "credentials": credentials if token is None else {**credentials, "sessionToken": token},
        "region": region,
        "service": service,
        "at": instant.isoformat() + "Z",
        "request": {"method": method, "url": url, "headers": headers, "body": body},
        "headers": dict(request.headers.items()),
    }


def borne_by_botocore(token):
    request = AWSRequest(method="POST", url="https://x.example/hash")
    botocore.auth.BearerAuth(FrozenAuthToken(token)).add_auth(request)
    return {"token": token, "authorization": request.headers["Authorization"]}


class SigV4(unittest.TestCase):
    def test_headers_are_equal_to_those_of_botocore(self):
        random.seed(SEED)
        identities = [
            ("AKID" + some("ABC019", 16), some(SECRET_SIGNS, 40), random.choice([None, some(SECRET_SIGNS, 400) + "x"]), region, service)
            for region in ("eu-north-1", "us-east-1")
            for service in ("lambda", "lambda", "execute-api")
        ]
        cases = {
            "signed": [signed_by_botocore(*random_case(identities)) for _ in range(CASES)],
            "tokens": [borne_by_botocore(some(SECRET_SIGNS, 60) + "x") for _ in range(10)],
        }
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(cases, file)
            file.flush()
            run = k6("run", "tests/sigv4.ts", CASES=file.name)
        output = run.stdout
        self.assertEqual(run.returncode, 0, output)
        self.assertNotIn("DIFFERENT", output, f"seed {SEED}")
        self.assertEqual(output.count("SAME"), len(cases["signed"]) + len(cases["tokens"]), output)


if __name__ == "__main__":
    unittest.main()
