"""foreign.json: hashes by other software, which draws the salts.

Each program gets three passwords and prints the string that its user would store. A fourth test for
each program has a wrong password. Costs are low, because only the form is tested. Each run has new
salts.
"""

import base64
import hashlib
import importlib.metadata
import json
import os
import pathlib
import platform
import ssl
import subprocess
import warnings

import vector_file

os.environ["PASSLIB_BUILTIN_BCRYPT"] = "enabled"
warnings.filterwarnings("ignore")

import argon2
import bcrypt
import passlib.hash

passlib.hash.bcrypt.set_backend("builtin")

HERE = pathlib.Path(__file__).resolve().parent
PASSWORDS = [
    ("ASCII", "correct horse battery staple"),
    ("Unicode", "Pässwörd 密码 🧂"),
    ("one character", "x"),
]
WRONG = "correct horse battery stapel"


def main():
    groups = [*php(), *htpasswd(), *python(), *node(), *go()]
    vector_file.write(
        "foreign",
        "Hashes made by other software, run by the generator.",
        "generators/foreign.py",
        {
            "CostOrder": "The costs stand in the order m, p, t (deviations.json).",
            "PutIntoPhc": "The software gives bytes; the generator put them into a PHC string.",
        },
        groups,
    )


def php():
    made = run_json(["php", "foreign.php"])
    return [group(f"PHP password_hash, {name}", made["version"], hashes) for name, hashes in made["hashes"].items()]


def htpasswd():
    hashes = []
    for _, password in PASSWORDS:
        run = subprocess.run(["htpasswd", "-niBC", "5", "user"], input=password, check=True, capture_output=True, text=True)
        hashes.append(run.stdout.strip().removeprefix("user:"))
    version = subprocess.run(["dpkg-query", "-W", "apache2-utils"], check=True, capture_output=True, text=True).stdout
    return [group("Apache htpasswd -B", version.strip().replace("\t", " "), hashes)]


def python():
    texts = [password for _, password in PASSWORDS]
    version = lambda package: f"{package} {importlib.metadata.version(package)}"
    openssl = f"Python {platform.python_version()}, {ssl.OPENSSL_VERSION}"
    hasher = argon2.PasswordHasher(time_cost=2, memory_cost=256, parallelism=2)
    weak = argon2.PasswordHasher(time_cost=2, memory_cost=256, parallelism=1, type=argon2.Type.I)
    ph = passlib.hash
    groups = [
        group("Python bcrypt", version("bcrypt"), [bcrypt.hashpw(t.encode(), bcrypt.gensalt(4)).decode() for t in texts]),
        group("Python argon2-cffi, argon2id", version("argon2-cffi"), [hasher.hash(t) for t in texts]),
        group("Python argon2-cffi, argon2i", version("argon2-cffi"), [weak.hash(t) for t in texts]),
        group("passlib bcrypt, its own code", version("passlib"), [ph.bcrypt.using(rounds=4).hash(t) for t in texts]),
        group(
            "passlib bcrypt, $2a$",
            version("passlib"),
            [ph.bcrypt.using(rounds=4, ident="2a").hash(t) for t in texts],
        ),
        group(
            "passlib argon2",
            version("passlib"),
            [ph.argon2.using(rounds=2, memory_cost=64, parallelism=1).hash(t) for t in texts],
        ),
        group("passlib scrypt", version("passlib"), [ph.scrypt.using(rounds=8, block_size=8).hash(t) for t in texts]),
        group(
            "passlib pbkdf2_sha256",
            version("passlib"),
            [ph.pbkdf2_sha256.using(rounds=1000).hash(t) for t in texts],
        ),
    ]
    for prf, scheme in (("sha1", "pbkdf2"), ("sha256", "pbkdf2-sha256"), ("sha512", "pbkdf2-sha512")):
        hashes = []
        for text in texts:
            salt = os.urandom(16)
            output = hashlib.pbkdf2_hmac(prf, text.encode(), salt, 1000, 32)
            hashes.append(f"${scheme}$i=1000,l=32${b64(salt)}${b64(output)}")
        groups.append(group(f"Python hashlib.pbkdf2_hmac, {prf}", openssl, hashes, flags=["PutIntoPhc"]))
    hashes = []
    for text in texts:
        salt = os.urandom(16)
        hashes.append(f"$scrypt$ln=8,r=8,p=2${b64(salt)}${b64(hashlib.scrypt(text.encode(), salt=salt, n=256, r=8, p=2, dklen=32))}")
    groups.append(group("Python hashlib.scrypt", openssl, hashes, flags=["PutIntoPhc"]))
    return groups


def node():
    groups = []
    for made in run_json(["node", "foreign.mjs"]):
        groups.append(group(made["name"], made["version"], made["hashes"], flags=made["flags"]))
    return groups


def go():
    return [group(made["name"], made["version"], made["hashes"]) for made in run_json(["go", "run", "."], "go")]


def run_json(command, folder="."):
    """Runs a program that reads the passwords as a JSON list and prints JSON."""
    passwords = json.dumps([password for _, password in PASSWORDS])
    run = subprocess.run(command, cwd=HERE / folder, input=passwords, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def group(name, version, hashes, flags=()):
    tests = []
    for (kind, password), stored in zip(PASSWORDS, hashes, strict=True):
        tests.append({"comment": kind, "password": password.encode(), "hash": stored, "result": "match", "flags": list(flags)})
    wrong = {"comment": "wrong password", "password": WRONG.encode(), "hash": hashes[0], "result": "mismatch"}
    tests.append({**wrong, "flags": list(flags)})
    return {"type": "verify", "source": {"name": name, "version": version}, "tests": tests}


def b64(data):
    return base64.b64encode(data).decode().rstrip("=")


if __name__ == "__main__":
    main()
