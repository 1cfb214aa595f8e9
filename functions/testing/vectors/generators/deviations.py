"""deviations.json: forms that real software prints and that are not canonical.

Each is accepted, and each is tested with a wrong password too. The password is `saltern`. The rows
are those of functions/encoded/SCHEMES.md; a test requires that each example there is also here.
"""

import base64
import hashlib
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
    node = by_node()
    of = lambda package: (f"{package} {node['packages'][package].rpartition('@')[2]}", node["made"][package])
    vector_file.write(
        "deviations",
        "Hashes that real software prints and the reference software of the scheme does not, accepted all the same.",
        "generators/deviations.py",
        {
            "CostOrder": "m, p, t or t, m, p instead of m, t, p.",
            "NoLength": "No `l=` field: one block of the hash function.",
            "NoVersion": "No `v=` field: version 16.",
            "Padded": "Base64 of RFC 4648 with padding, instead of passlib's.",
            "SaltPaddingBits": "Bits set in the last salt character beyond the salt's 16 bytes.",
            "UnlistedLookAlike": "Next to a deviation, and not one: refused.",
            "WholeN": "`n=` and N, instead of `ln=` and its logarithm.",
        },
        [
            bcrypt_padding(),
            argon2_without_version(),
            argon2_cost_order(*of("argon2")),
            argon2_passes_first(f"@adonisjs/hash {node['packages']['adonis-hash-9'].rpartition('@')[2]}", node["made"]["adonis-hash-9"]),
            scrypt_whole_n(*of("@adonisjs/hash")),
            pbkdf2_without_length(*of("@phc/pbkdf2")),
            pbkdf2_padded(),
        ],
    )


def bcrypt_padding():
    # 22 characters hold 132 bits: the four low bits of the last one do not belong to the salt.
    canonical = bcrypt.hashpw(PASSWORD, b"$2b$04$abcdefghijklmnopqrstuu").decode()
    last = BCRYPT_ALPHABET.index(canonical[28])
    assert last & 0b1111 == 0
    tests = []
    for prefix, bits in (("2a", 0b1111), ("2b", 0b0001), ("2b", 0b1000), ("2y", 0b0110)):
        stored = f"${prefix}" + canonical[3:28] + BCRYPT_ALPHABET[last | bits] + canonical[29:]
        # libxcrypt and Openwall's code ignore these bits. PHP uses Openwall's code.
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
    # Argon2id is newer than the field.
    written = argon2.low_level.hash_secret(PASSWORD, SALT, 2, 64, 1, 32, argon2.low_level.Type.ID, version=16).decode()
    tests.append(test("argon2id", PASSWORD, written.replace("$v=16", ""), "invalid_hash", "UnlistedLookAlike"))
    return group("phc-winner-argon2 before 20160406, by today's library with v=16 taken out", "libargon2", tests)


def argon2_cost_order(version, hashes):
    tests = []
    for name, stored in hashes:
        assert ",p=2,t=" in stored, stored
        verify_in_usual_order(name, stored)
        tests += pair(f"{name}", stored, "CostOrder")
    fields = hashes[0][1].split("$")
    fields[3] = ",".join([fields[3], "x=1"])
    tests.append(test("with a further parameter", PASSWORD, "$".join(fields), "invalid_hash", "UnlistedLookAlike"))
    fields[3] = "p=2,m=64,t=2"
    tests.append(test("order p, m, t", PASSWORD, "$".join(fields), "invalid_hash", "UnlistedLookAlike"))
    fields = hashes[1][1].split("$")
    del fields[2]
    tests.append(test("argon2i without v=", PASSWORD, "$".join(fields), "invalid_hash", "UnlistedLookAlike"))
    return group("Node package argon2", version, tests)


def argon2_passes_first(version, hashes):
    tests = []
    for name, stored in hashes:
        assert stored.startswith("$argon2id$v=19$t="), stored
        verify_in_usual_order("argon2id", stored)
        tests += pair(name, stored, "CostOrder")
    fields = hashes[1][1].split("$")
    for costs in ("t=2,p=2,m=64", "t=2,m=64", "t=2,m=64,p=2,x=1", "t=02,m=64,p=2"):
        fields[3] = costs
        tests.append(test(f"costs {costs}", PASSWORD, "$".join(fields), "invalid_hash", "UnlistedLookAlike"))
    fields[3] = "t=1000000,m=64,p=2"
    tests.append(test("t=10^6", PASSWORD, "$".join(fields), "cost_out_of_bounds", "UnlistedLookAlike"))
    fields[1:4] = ["argon2i", "t=2,m=64,p=2"]
    tests.append(test("argon2i without v=", PASSWORD, "$".join(fields), "invalid_hash", "UnlistedLookAlike"))
    # The documentation of AdonisJS has this hash of the password `secret`.
    documented = "$argon2id$v=19$t=3,m=4096,p=1$drxJBWzWahR5tMubp+a1Sw$L/Oh2uw6QKW77i/KQ8eGuOt3ui52hEmmKlu1KBVBxiM"
    verify_in_usual_order("argon2id", documented, b"secret")
    tests.append(test("4 MiB", b"secret", documented, "match", "CostOrder"))
    return group("AdonisJS hash, Argon2", version, tests)


def verify_in_usual_order(name, stored, password=PASSWORD):
    """Verifies the same fields in the usual order with the reference library."""
    fields = stored.split("$")
    value = dict(cost.split("=") for cost in fields[3].split(","))
    usual = "$".join([*fields[:3], ",".join(f"{cost}={value[cost]}" for cost in "mtp"), *fields[4:]])
    kinds = {"argon2i": argon2.low_level.Type.I, "argon2d": argon2.low_level.Type.D, "argon2id": argon2.low_level.Type.ID}
    argon2.low_level.verify_secret(usual.encode(), password, kinds[name])


def scrypt_whole_n(version, hashes):
    tests = []
    for name, stored in hashes:
        _, _, costs, salt, output = stored.split("$")
        n, r, p = (int(cost.split("=")[1]) for cost in costs.split(","))
        output = unpadded(output)
        made = hashlib.scrypt(PASSWORD, salt=unpadded(salt), n=n, r=r, p=p, dklen=len(output), maxmem=1 << 30)
        if made != output:
            raise SystemExit(f"computed again, it is another: {stored}")
        tests += pair(name, stored, "WholeN")
    stored = hashes[1][1]
    for costs in ("n=17,r=8,p=2", "n=0,r=8,p=2", "n=1,r=8,p=2", "n=016,r=8,p=2", "n=16,p=2,r=8", "n=16,ln=4,r=8,p=2", "n=4294967296,r=8,p=2"):
        look_alike = stored.replace("n=16,r=8,p=2", costs)
        tests.append(test(f"costs {costs}", PASSWORD, look_alike, "invalid_hash", "UnlistedLookAlike"))
    over = stored.replace("n=16", "n=2147483648")
    tests.append(test("N=2^31", PASSWORD, over, "cost_out_of_bounds", "UnlistedLookAlike"))
    return group("AdonisJS hash, scrypt", version, tests)


def pbkdf2_without_length(version, hashes):
    tests = []
    for name, stored in hashes:
        _, function, costs, salt, output = stored.split("$")
        function, iterations = function.partition("-")[2], int(costs.removeprefix("i="))
        if hashlib.pbkdf2_hmac(function, PASSWORD, unpadded(salt), iterations) != unpadded(output):
            raise SystemExit(f"computed again, it is another: {stored}")
        tests += pair(name, stored, "NoLength")
    sha1, sha256 = hashes[1][1], hashes[2][1]
    look_alikes = [
        ("SHA-1 with a length too", sha1.replace("i=10", "i=10,l=20"), "invalid_hash"),
        ("SHA-1 under its usual name", sha1.replace("pbkdf2-sha1", "pbkdf2"), "invalid_hash"),
        ("SHA-1 in passlib's form", sha1.replace("i=10", "10"), "unsupported_hash"),
        ("output shorter than a block", sha256[:-4], "invalid_hash"),
        ("output of another function", sha256.replace("sha256", "sha512"), "invalid_hash"),
        ("a leading zero", sha256.replace("i=10", "i=010"), "invalid_hash"),
        ("i=0", sha256.replace("i=10", "i=0"), "invalid_hash"),
        ("trailing comma", sha256.replace("i=10", "i=10,"), "invalid_hash"),
        ("SHA-384", sha256.replace("sha256", "sha384"), "unsupported_hash"),
        ("i one over its ceiling", sha256.replace("i=10", "i=5000001"), "cost_out_of_bounds"),
    ]
    tests += [test(comment, PASSWORD, stored, result, "UnlistedLookAlike") for comment, stored, result in look_alikes]
    return group("Node package @phc/pbkdf2", version, tests)


def pbkdf2_padded():
    salt = base64.b64decode("24/bytes+of+salt/24/bytes+salt+/")
    tests = []
    for name, function in (("PBKDF2-SHA1", "sha1"), ("PBKDF2-SHA256", "sha256"), ("PBKDF2-SHA512", "sha512")):
        output = hashlib.pbkdf2_hmac(function, PASSWORD, salt, 10000)
        tests += pair(name, f"{{{name}}}10000${base64.b64encode(salt).decode()}${base64.b64encode(output).decode()}", "Padded")
    # 389 Directory Server made it. The password is in the tests of Kolab, which reads its rows.
    made = "{PBKDF2-SHA512}10000$hbMHmUXNh3UoHNlDu+NJBOW+hVAhP3C0$ax9vNLL1rr85ppODFTykPC46igHh92vULWpZaR/CQqyD4IGG/IyPYbbC2v7BxSPIDUXc0e9AGX9IuwinIj5a/w=="
    _, salt_text, output_text = made.split("$")
    if hashlib.pbkdf2_hmac("sha512", b"12345678_kolab", base64.b64decode(salt_text), 10000) != base64.b64decode(output_text):
        raise SystemExit("computed again, it is another")
    tests.append(test("made by 389 Directory Server", b"12345678_kolab", made, "match", "Padded"))
    sha256 = tests[2]["hash"]
    look_alikes = [
        ("a point for a plus", sha256.replace("+", ".")),
        ("a plus without padding", sha256.rstrip("=")),
        ("one equals sign too many", sha256 + "="),
        ("a salt without its padding", "{PBKDF2-SHA256}10000$" + base64.b64encode(SALT).decode().rstrip("=") + "$" + sha256.split("$")[2]),
        ("in passlib's form", "$pbkdf2-sha256$" + sha256.partition("}")[2]),
    ]
    tests += [test(comment, PASSWORD, stored, "invalid_hash", "UnlistedLookAlike") for comment, stored in look_alikes]
    return group("389 Directory Server", "Python's hashlib over its layout, and one hash that it made", tests)


def unpadded(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))


def by_node():
    here = pathlib.Path(__file__).resolve().parent
    said = subprocess.run(["node", "deviations.mjs"], cwd=here, check=True, capture_output=True, text=True).stdout
    return json.loads(said)


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
