"""Opens and seals strings as SEALED.md specifies them, by other code than Saltern's.

usage: sealed.py VECTORS SALTERN

It runs every vector of seal.json. Then Saltern unseals a table that this program sealed, and the other
way round.
"""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MARK = "$saltern-seal$"


class Refused(Exception):
    """The argument is the code of the HTTP contract."""


def encode(data):
    return base64.b64encode(data).decode().rstrip("=")


def decode(text):
    if not re.fullmatch("[A-Za-z0-9+/]*", text) or len(text) % 4 == 1:
        raise Refused("invalid_hash")
    data = base64.b64decode(text + "=" * (-len(text) % 4))
    if encode(data) != text:
        raise Refused("invalid_hash")
    return data


def associated(key, id, context):
    if key.get("context") and context is None:
        raise Refused("invalid_request")
    return f"{MARK}v=1,k={id}$".encode() + (context.encode() if key.get("context") else b"")


def opened(stored, keys, context):
    """The stored hash inside a seal."""
    if not stored.startswith(MARK):
        raise Refused("unsupported_hash")
    fields = stored.removeprefix(MARK).split("$")
    params = re.fullmatch("v=([1-9][0-9]*),k=([a-z0-9-]{1,32})", fields[0])
    if len(fields) != 3 or not params or len(stored.encode()) > 1457:
        raise Refused("invalid_hash")
    if params[1] != "1":
        raise Refused("unsupported_hash")
    nonce, body = decode(fields[1]), decode(fields[2])
    if len(nonce) != 12 or not 17 <= len(body) <= 1040:
        raise Refused("invalid_hash")
    if params[2] not in keys:
        raise Refused("key_unavailable")
    key = keys[params[2]]
    try:
        text = AESGCM(base64.b64decode(key["key"])).decrypt(nonce, body, associated(key, params[2], context))
    except InvalidTag:
        raise Refused("seal_broken") from None
    try:
        text = text.decode()
    except UnicodeDecodeError:
        raise Refused("invalid_hash") from None
    if text.startswith(MARK):
        raise Refused("invalid_hash")
    return text


def sealed(text, id, keys, context, nonce):
    """The seal of a stored hash."""
    body = AESGCM(base64.b64decode(keys[id]["key"])).encrypt(nonce, text.encode(), associated(keys[id], id, context))
    return f"{MARK}v=1,k={id}${encode(nonce)}${encode(body)}"


def result(vector, keys):
    """The result, and the text of a seal that opens."""
    try:
        return "opens", opened(vector["hash"], keys, vector.get("context"))
    except Refused as refused:
        return refused.args[0], None


def main(vectors, saltern):
    file = json.load(open(vectors))
    passed, failed, table = 0, [], []
    for group in file["testGroups"]:
        keys = {key["id"]: key for key in group["keys"]["keys"]}
        for vector in group["tests"]:
            expected = vector["result"], vector.get("text")
            if result(vector, keys) != expected:
                failed.append(f"{vector['tcId']} {vector['comment']}: {result(vector, keys)}")
                continue
            passed += 1
            if expected[0] == "opens":
                id, nonce = vector["hash"].split("$")[2].split("k=")[1], vector["hash"].split("$")[3]
                if sealed(expected[1], id, keys, vector.get("context"), decode(nonce)) != vector["hash"]:
                    failed.append(f"{vector['tcId']} {vector['comment']}: another seal")
                if expected[1].startswith("$2b$"):
                    table.append((vector.get("context"), expected[1]))
    if passed + len(failed) != file["numberOfTests"]:
        failed.append(f"{file['numberOfTests']} vectors were announced")

    current = group["keys"]["current"]
    rows = [(f"user-{number}", text) for number, (_, text) in enumerate(table)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "keys.json")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as out:
            json.dump(group["keys"], out)

        def run(command, rows):
            arguments = [saltern, command, "--seal-keys", path, "--delimiter", ";", "--column", "2", "--context-column", "1"]
            text = "".join(f"{user};{stored}\n" for user, stored in rows)
            printed = subprocess.run(arguments, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout
            return [tuple(line.split(";")) for line in printed.splitlines()]

        by_saltern = run("seal", rows)
        by_this = [(user, sealed(text, current, keys, user, os.urandom(12))) for user, text in rows]
        if by_saltern == rows or [(user, opened(stored, keys, user)) for user, stored in by_saltern] != rows:
            failed.append("seals that Saltern made")
        if run("unseal", by_this) != rows:
            failed.append("seals that this program made")
    for failure in failed:
        print(f"==> X {failure}")
    print(f"{len(rows)} rows sealed and opened in both directions")
    print(f"{passed + 2 * (not failed)} passed, {len(failed)} failed")
    sys.exit(bool(failed or not rows))


main(*sys.argv[1:])
