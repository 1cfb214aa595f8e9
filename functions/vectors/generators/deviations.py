"""deviations.json: what real software prints beside the canonical form, each accepted, each with a wrong password too.

The password is `saltern`. The rows are those of functions/encoded/src/deviations.rs, whose `example` strings are tested
to stand here.
"""

import json
import pathlib
import subprocess

import argon2.low_level
import bcrypt

import vector_file

PASSWORD, WRONG = b"saltern", b"Saltern"
SALT = b"0123456789abcdef"
BCRYPT_ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def main():
    vector_file.write(
        "deviations",
        "Hashes that real software prints and the reference software of the scheme does not, accepted all the same.",
        "generators/deviations.py",
        {
            "CostOrder": "m, p, t instead of m, t, p.",
            "NoVersion": "No `v=` field: version 16.",
            "SaltPaddingBits": "Bits set in the last salt character beyond the salt's 16 bytes.",
            "UnlistedLookAlike": "Next to a deviation, and not one: refused.",
        },
        [bcrypt_padding(), argon2_without_version(), argon2_cost_order()],
    )


def bcrypt_padding():
    # 22 characters carry 132 bits: the last character's four low bits are no part of the salt.
    canonical = bcrypt.hashpw(PASSWORD, b"$2b$04$abcdefghijklmnopqrstuu").decode()
    last = BCRYPT_ALPHABET.index(canonical[28])
    assert last & 0b1111 == 0
    tests = []
    for prefix, bits in (("2a", 0b1111), ("2b", 0b0001), ("2b", 0b1000), ("2y", 0b0110)):
        stored = f"${prefix}" + canonical[3:28] + BCRYPT_ALPHABET[last | bits] + canonical[29:]
        # libxcrypt and Openwall's code read the salt with these bits ignored; PHP runs Openwall's.
        made = subprocess.run(
            ["php", "-r", "echo crypt($argv[1], $argv[2]);", "--", PASSWORD.decode(), stored[:29]],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        if made[29:] != stored[29:]:
            raise SystemExit("the bits are part of the salt after all")
        tests += pair(f"{prefix}, bits {bits:04b}", stored, "SaltPaddingBits")
    return group("bcrypt, salt of 22 random characters", f"bcrypt {bcrypt.__version__}", tests)


def argon2_without_version():
    tests = []
    for name, variant in (("argon2i", argon2.low_level.Type.I), ("argon2d", argon2.low_level.Type.D)):
        written = argon2.low_level.hash_secret(PASSWORD, SALT, 2, 64, 1, 32, variant, version=16).decode()
        assert "$v=16$" in written
        tests += pair(f"{name}", written.replace("$v=16", ""), "NoVersion")
    # Argon2id is younger than the field.
    written = argon2.low_level.hash_secret(PASSWORD, SALT, 2, 64, 1, 32, argon2.low_level.Type.ID, version=16).decode()
    tests.append(test("argon2id", PASSWORD, written.replace("$v=16", ""), "invalid_hash", "UnlistedLookAlike"))
    return group("phc-winner-argon2 before 20160406, by today's library with v=16 taken out", "libargon2", tests)


def argon2_cost_order():
    here = pathlib.Path(__file__).resolve().parent
    made = json.loads(
        subprocess.run(["node", "deviations.mjs"], cwd=here, check=True, capture_output=True, text=True).stdout
    )
    tests = []
    for name, stored in made["hashes"]:
        assert ",p=2,t=" in stored, stored
        # The same fields in the usual order verify with the reference library.
        fields = stored.split("$")
        m, p, t = fields[3].split(",")
        usual = "$".join([*fields[:3], ",".join([m, t, p]), *fields[4:]])
        kinds = {"argon2i": argon2.low_level.Type.I, "argon2d": argon2.low_level.Type.D, "argon2id": argon2.low_level.Type.ID}
        argon2.low_level.verify_secret(usual.encode(), PASSWORD, kinds[name])
        tests += pair(f"{name}", stored, "CostOrder")
    fields = made["hashes"][0][1].split("$")
    fields[3] = ",".join([fields[3], "x=1"])
    tests.append(test("with a further parameter", PASSWORD, "$".join(fields), "invalid_hash", "UnlistedLookAlike"))
    fields[3] = "p=2,m=64,t=2"
    tests.append(test("order p, m, t", PASSWORD, "$".join(fields), "invalid_hash", "UnlistedLookAlike"))
    fields = made["hashes"][1][1].split("$")
    del fields[2]
    tests.append(test("argon2i without v=", PASSWORD, "$".join(fields), "invalid_hash", "UnlistedLookAlike"))
    return group("Node package argon2", made["version"], tests)


def pair(comment, stored, flag):
    return [
        test(comment, PASSWORD, stored, "match", flag),
        test(comment + ", wrong password", WRONG, stored, "mismatch", flag),
    ]


def test(comment, password, stored, result, flag):
    return {"comment": comment, "password": password, "hash": stored, "result": result, "flags": [flag]}


def group(name, version, tests):
    return {"type": "verify", "source": {"name": name, "version": version}, "tests": tests}


if __name__ == "__main__":
    main()
