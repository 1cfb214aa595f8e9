"""frameworks.json: the hashes that web frameworks store.

Django, passlib and Werkzeug run in this process, and one file of an older Werkzeug. Spring Security
comes from Maven, and ASP.NET Core from an npm package that holds its SDK. hashlib, argon2 or bcrypt
compute each hash again from its parts.
"""

import base64
import hashlib
import hmac
import importlib.metadata
import os
import warnings
import zipfile

warnings.filterwarnings("ignore")

import argon2.low_level
import bcrypt
import django.conf
import passlib.hash as ph
import werkzeug.security

django.conf.settings.configure()

from django.contrib.auth import hashers

# passlib 1.7.4 tests its backend bcrypt for old bugs, with a password that bcrypt 5 rejects. The
# built-in backend is slower and has no such test.
os.environ["PASSLIB_BUILTIN_BCRYPT"] = "enabled"
ph.bcrypt.set_backend("builtin")

import aspnet
import family
import frameworks_hostile
import sources
import vector_file
from family import PASSWORD, PASSWORDS, WRONG, ascii_of, test


def main():
    groups = [*django_(), *passlib(), *passlib_bcrypt_sha256(), *werkzeug_(), *old_werkzeug(), *spring(), *identity()]
    for group in groups:
        for case in group["tests"]:
            if matches(group["scheme"], case["password"], case["hash"]) != (case["result"] == "match"):
                raise SystemExit(f"computed again, it is another: {case}")
    groups += frameworks_hostile.groups()
    vector_file.write(
        "frameworks",
        "Hashes of Django, passlib, Werkzeug, Spring Security and ASP.NET Core Identity, and what must be refused.",
        "generators/frameworks.py",
        family.notes(
            groups,
            Base64Output="Spring's PBKDF2 with setEncodeHashAsBase64(true): the same id, told by its length.",
            OldDefault="The cost or the variant is a default of an older version.",
        ),
        groups,
    )


DJANGO = [
    ("django-pbkdf2", hashers.PBKDF2PasswordHasher, {"iterations": 10}),
    ("django-pbkdf2", hashers.PBKDF2SHA1PasswordHasher, {"iterations": 10}),
    ("django-argon2", hashers.Argon2PasswordHasher, {"time_cost": 1, "memory_cost": 64, "parallelism": 2}),
    ("django-bcrypt", hashers.BCryptPasswordHasher, {"rounds": 4}),
    ("django-bcrypt-sha256", hashers.BCryptSHA256PasswordHasher, {"rounds": 4}),
    ("django-scrypt", hashers.ScryptPasswordHasher, {"work_factor": 16, "block_size": 8, "parallelism": 2}),
    ("django-md5", hashers.MD5PasswordHasher, {}),
]


def django_():
    version = f"Django {importlib.metadata.version('django')}"
    groups = []
    for scheme, hasher, costs in DJANGO:
        cheap = type(hasher.__name__, (hasher,), costs)()
        made = lambda password, salt=None, hasher=cheap: hasher.encode(password.decode(), salt or hasher.salt())
        groups.append(family.made(scheme, f"Django {hasher.algorithm}", version, [made(password) for _, password in PASSWORDS]))
        tests = []
        if costs:
            stored = made(PASSWORD, hasher=hasher())
            tests.append(test("default cost", PASSWORD, stored, flags=["DefaultCost"]))
            tests.append(test("default cost, wrong password", WRONG, stored, "mismatch", ["DefaultCost"]))
        if "bcrypt" not in scheme:
            # Before 3.2 a salt had 12 characters. The caller may give the salt.
            salts = ["seasalts", "abcdefghijkl", "0123456789" * 6]
            salts += [] if scheme == "django-argon2" else ["x"]
            tests += [test(f"salt {salt!r}", PASSWORD, made(PASSWORD, salt), flags=["SaltLength"]) for salt in salts]
        lengths = (0, 55, 64, 65, 72, 128, 129, 1024) if scheme != "django-bcrypt" else (0, 55, 71, 72)
        for length in lengths:
            password = ascii_of(length)
            tests.append(test(f"password of {length} bytes", password, made(password), flags=["LongPassword"]))
        if scheme == "django-bcrypt":
            tests.append(test("72 bytes and one more", ascii_of(72) + b"x", tests[-1]["hash"], flags=["Truncates"]))
        else:
            tests.append(test("one byte less than 1,024", ascii_of(1023), tests[-1]["hash"], "mismatch", ["LongPassword"]))
        if scheme != "django-bcrypt":
            stored = made(b"salt\0ern")
            tests.append(test("a NUL in the password", b"salt\0ern", stored, flags=["Nul"]))
            tests.append(test("a NUL in the password, what stands before it", b"salt", stored, "mismatch", ["Nul"]))
        groups.append(family.group(scheme, f"Django {hasher.algorithm}, single cases", version, tests))
    return [*groups, *old_django(version)]


def old_django(version):
    """Hashes by this version with the defaults of older versions."""
    old = ["OldDefault"]
    iterations = lambda base, number: type("Old", (base,), {"iterations": number})()
    tests = []
    for number, when in ((10_000, "1.4"), (36_000, "2.0"), (260_000, "3.2"), (600_000, "4.2")):
        stored = iterations(hashers.PBKDF2PasswordHasher, number).encode("saltern", "abcdefghijkl")
        tests.append(test(f"default of Django {when}", PASSWORD, stored, flags=old))
    groups = [family.group("django-pbkdf2", "Django pbkdf2_sha256, older defaults", version, tests)]
    # Django 1.10 to 3.1 made argon2i with 512 KiB.
    stored = argon2.low_level.hash_secret(PASSWORD, b"abcdefghijkl", 2, 512, 2, 16, argon2.low_level.Type.I).decode()
    tests = [test("default of Django 1.10", PASSWORD, "argon2" + stored, flags=old)]
    groups.append(family.group("django-argon2", "Django argon2, older defaults", version, tests))
    stored = bcrypt.hashpw(PASSWORD, b"$2a$04$abcdefghijklmnopqrstuu").decode()
    tests = [test("prefix $2a$, of py-bcrypt", PASSWORD, "bcrypt$" + stored, flags=old)]
    groups.append(family.group("django-bcrypt", "Django bcrypt, older defaults", version, tests))
    return groups


def passlib():
    version = f"passlib {importlib.metadata.version('passlib')}"
    groups = []
    for handler in (ph.pbkdf2_sha1, ph.pbkdf2_sha256, ph.pbkdf2_sha512):
        scheme = "passlib-pbkdf2"
        cheap = handler.using(rounds=10)
        groups.append(family.made(scheme, f"passlib {handler.name}", version, [cheap.hash(p) for _, p in PASSWORDS]))
        tests = [test("default cost", PASSWORD, handler.hash(PASSWORD), flags=["DefaultCost"])]
        tests.append(test("1 round", PASSWORD, handler.using(rounds=1).hash(PASSWORD)))
        for length in (1, 2, 3, 8, 9, 10, 32, 64):
            salt = family.drawn(f"{handler.name} {length}", length)
            tests.append(test(f"salt of {length} bytes", PASSWORD, cheap.using(salt=salt).hash(PASSWORD), flags=["SaltLength"]))
        stored = cheap.using(salt=b"\xfb\xef\xbe\xff\xff\xff").hash(PASSWORD)
        assert "$++++" not in stored and "$....////$" in stored
        tests.append(test("points and slashes in the salt", PASSWORD, stored))
        for length in (0, 64, 65, 128, 129, 1024):
            password = ascii_of(length)
            tests.append(test(f"password of {length} bytes", password, cheap.hash(password), flags=["LongPassword"]))
        groups.append(family.group(scheme, f"passlib {handler.name}, single cases", version, tests))
    return groups


def passlib_bcrypt_sha256():
    """Version 1 was the default of passlib before 1.7.3, and is still an option."""
    version = f"passlib {importlib.metadata.version('passlib')}"
    scheme = "passlib-bcrypt-sha256"
    groups = []
    for number, ident in ((2, "2b"), (1, "2b"), (1, "2a")):
        name = f"passlib bcrypt_sha256, version {number}, ${ident}$"
        cheap = ph.bcrypt_sha256.using(version=number, ident=ident, rounds=4)
        groups.append(family.made(scheme, name, version, [cheap.hash(p) for _, p in PASSWORDS]))
        tests = [test("10 rounds", PASSWORD, cheap.using(rounds=10).hash(PASSWORD))]
        for length in (0, 55, 64, 65, 72, 73, 128, 1024):
            password = ascii_of(length)
            tests.append(test(f"password of {length} bytes", password, cheap.hash(password), flags=["LongPassword"]))
        tests.append(test("one byte less than 1,024", ascii_of(1023), tests[-1]["hash"], "mismatch", ["LongPassword"]))
        stored = cheap.hash(b"salt\0ern")
        tests.append(test("a NUL in the password", b"salt\0ern", stored, flags=["Nul"]))
        tests.append(test("a NUL in the password, what stands before it", b"salt", stored, "mismatch", ["Nul"]))
        groups.append(family.group(scheme, name + ", single cases", version, tests))
    tests = [test("default cost", PASSWORD, ph.bcrypt_sha256.hash(PASSWORD), flags=["DefaultCost"])]
    # From passlib's documentation.
    documented = "$bcrypt-sha256$v=2,t=2b,r=12$n79VH.0Q2TMWmt3Oqt9uku$Kq4Noyk3094Y2QlB8NdRT8SvGiI4ft2"
    tests.append(test("of the documentation", b"password", documented, flags=["DefaultCost"]))
    return [*groups, family.group(scheme, "passlib bcrypt_sha256, default cost", version, tests)]


def werkzeug_():
    version = f"Werkzeug {importlib.metadata.version('werkzeug')}"
    made = lambda password, method, length=16: werkzeug.security.generate_password_hash(password.decode(), method, length)
    groups = []
    for scheme, method in (
        ("werkzeug-pbkdf2", "pbkdf2:sha256:10"),
        ("werkzeug-pbkdf2", "pbkdf2:sha1:10"),
        ("werkzeug-pbkdf2", "pbkdf2:sha512:10"),
        ("werkzeug-scrypt", "scrypt:16:8:2"),
    ):
        hashes = [made(password, method) for _, password in PASSWORDS]
        groups.append(family.made(scheme, f"Werkzeug {method}", version, hashes))
    old = ["pbkdf2:sha1:1000", *(f"pbkdf2:sha256:{number}" for number in (50_000, 150_000, 260_000, 600_000))]
    for scheme, methods in (
        ("werkzeug-pbkdf2", [("pbkdf2", "DefaultCost"), *((method, "OldDefault") for method in old)]),
        ("werkzeug-scrypt", [("scrypt", "DefaultCost")]),
    ):
        tests = []
        for method, flag in methods:
            stored = made(PASSWORD, method, 8 if flag == "OldDefault" else 16)
            tests.append(test(f"{method}", PASSWORD, stored, flags=[flag]))
            tests.append(test(f"{method}, wrong password", WRONG, stored, "mismatch", [flag]))
        cheap = "pbkdf2:sha256:10" if scheme == "werkzeug-pbkdf2" else "scrypt:256:8:1"
        for length in (1, 8, 22, 64):
            tests.append(test(f"salt of {length} characters", PASSWORD, made(PASSWORD, cheap, length), flags=["SaltLength"]))
        for length in (0, 64, 65, 1024):
            password = ascii_of(length)
            tests.append(test(f"password of {length} bytes", password, made(password, cheap), flags=["LongPassword"]))
        stored = made(b"salt\0ern", cheap)
        tests.append(test("a NUL in the password", b"salt\0ern", stored, flags=["Nul"]))
        tests.append(test("a NUL in the password, what stands before it", b"salt", stored, "mismatch", ["Nul"]))
        groups.append(family.group(scheme, f"Werkzeug {scheme.removeprefix('werkzeug-')}, single cases", version, tests))
    return groups


def old_werkzeug():
    """Werkzeug before 3.0 also hashed by HMAC with the salt as key and any function of hashlib."""
    wheel = zipfile.ZipFile(sources.have("Werkzeug-2.2.3-py3-none-any.whl"))
    security = {}
    exec(compile(wheel.read("werkzeug/security.py"), "security.py", "exec"), security)
    made = lambda password, method, length=16: security["generate_password_hash"](password.decode(), method, length)
    version = "Werkzeug 2.2.3"
    groups = []
    for method in ("sha256", "sha512"):
        hashes = [made(password, method) for _, password in PASSWORDS]
        groups.append(family.made("werkzeug-hmac", f"Werkzeug {method}", version, hashes))
        tests = []
        for length in (1, 8, 64, 65, 128, 129):
            tests.append(test(f"salt of {length} characters", PASSWORD, made(PASSWORD, method, length), flags=["SaltLength"]))
        for length in (0, 55, 64, 65, 111, 128, 1024):
            password = ascii_of(length)
            tests.append(test(f"password of {length} bytes", password, made(password, method), flags=["LongPassword"]))
        tests.append(test("one byte less than 1,024", ascii_of(1023), tests[-1]["hash"], "mismatch", ["LongPassword"]))
        stored = made(b"salt\0ern", method)
        tests.append(test("a NUL in the password", b"salt\0ern", stored, flags=["Nul"]))
        tests.append(test("a NUL in the password, what stands before it", b"salt", stored, "mismatch", ["Nul"]))
        digest = hashlib.new(method, b"seasalt" + PASSWORD).hexdigest()
        tests.append(test("the digest of salt and password instead", PASSWORD, f"{method}$seasalt${digest}", "mismatch"))
        groups.append(family.group("werkzeug-hmac", f"Werkzeug {method}, single cases", version, tests))
    return groups


def spring():
    singles = [ascii_of(length) for length in (1, 64, 65, 71, 72)] + [b"salt\0ern"]
    said = family.java("Spring.java", [password for _, password in PASSWORDS] + singles)
    groups = []
    for kind, hashes in said["made"].items():
        scheme = "spring-bcrypt" if kind == "its own choice" else "spring-" + kind.partition(",")[0].partition("@")[0]
        scheme = "ldap-ssha" if scheme == "spring-ldap" else scheme
        flags = ["Base64Output"] if "Base64" in kind else []
        flags += [] if "low cost" in kind or scheme == "spring-bcrypt" and kind != "its own choice" else ["DefaultCost"]
        groups.append(family.made(scheme, f"Spring Security, {kind}", said["version"], hashes[: len(PASSWORDS)], flags))
    for kind, hashes in said["made"].items():
        hashes = hashes[len(PASSWORDS) :]
        if kind not in ("bcrypt", "scrypt, low cost", "argon2@SpringSecurity_v5_8, low cost"):
            continue
        scheme = "spring-" + kind.partition(",")[0].partition("@")[0]
        tests = [
            test(f"password of {len(password)} bytes", password, stored, flags=["LongPassword"])
            for password, stored in zip(singles[:-1], hashes, strict=False)
        ]
        if scheme != "spring-bcrypt":
            tests.append(test("a NUL in the password", singles[-1], hashes[-1], flags=["Nul"]))
            tests.append(test("a NUL in the password, what stands before it", b"salt", hashes[-1], "mismatch", ["Nul"]))
        else:
            tests.append(test("72 bytes and one more", singles[4] + b"x", hashes[4], flags=["Truncates"]))
        groups.append(family.group(scheme, f"Spring Security, {kind}, single cases", said["version"], tests))
    return groups


# The number of each pseudorandom function in a hash of Identity v3.
IDENTITY_PRF = ["sha1", "sha256", "sha512"]


def identity():
    """ASP.NET Core Identity 3.1. It also verifies hashes with the parameters of newer versions."""
    tests = []
    for prf, iterations, salt_bytes, output_bytes, comment in (
        (2, 100_000, 16, 32, "default of .NET 7 and newer: SHA-512"),
        (1, 10_000, 16, 32, "default of .NET Core 3.1: SHA-256"),
        (0, 10, 16, 32, "SHA-1"),
        (2, 10, 16, 32, "SHA-512"),
        (1, 1, 16, 32, "1 iteration"),
        (1, 10, 32, 32, "salt of 32 bytes"),
        (1, 10, 17, 32, "salt of 17 bytes"),
        (1, 10, 16, 16, "output of 16 bytes"),
        (1, 10, 16, 33, "output of 33 bytes"),
        (2, 10, 64, 64, "salt and output of 64 bytes"),
    ):
        stored = identity_v3(PASSWORD, prf, iterations, family.drawn(comment, salt_bytes), output_bytes)
        flags = ["DefaultCost"] if "default" in comment else ["SaltLength"] if comment.startswith("salt") else []
        tests.append(test(comment, PASSWORD, stored, flags=flags))
        tests.append(test(comment + ", wrong password", WRONG, stored, "mismatch", flags))
    for length in (0, 64, 65, 128, 129, 1024):
        password = ascii_of(length)
        stored = identity_v3(password, 1, 10, family.drawn(f"Identity {length}", 16), 32)
        tests.append(test(f"password of {length} bytes", password, stored, flags=["LongPassword"]))
    nul = identity_v3(b"salt\0ern", 1, 10, family.drawn("Identity NUL", 16), 32)
    tests.append(test("a NUL in the password", b"salt\0ern", nul, flags=["Nul"]))
    tests.append(test("a NUL in the password, what stands before it", b"salt", nul, "mismatch", ["Nul"]))
    asked = [(case["hash"], case["password"]) for case in tests]
    version, made, said = aspnet.ask([password for _, password in PASSWORDS], asked)
    if said != [case["result"] == "match" for case in tests]:
        raise SystemExit("Identity does not accept what was laid out for it")
    return [
        family.made("aspnet-identity-v2", "ASP.NET Core Identity v2", version, made["v2"], ["DefaultCost"]),
        family.made("aspnet-identity-v3", "ASP.NET Core Identity v3", version, made["v3"]),
        family.made("aspnet-identity-v3", "ASP.NET Core Identity v3, default cost", version, made["v3, default cost"], ["DefaultCost"]),
        family.group("aspnet-identity-v3", "Python, accepted by ASP.NET Core Identity v3", version, tests),
    ]


def identity_v3(password, prf, iterations, salt, output_bytes):
    """A marker, then function, iterations and salt length, each in 32 bits, big-endian."""
    output = hashlib.pbkdf2_hmac(IDENTITY_PRF[prf], password, salt, iterations, output_bytes)
    head = b"\x01" + b"".join(number.to_bytes(4, "big") for number in (prf, iterations, len(salt)))
    return base64.b64encode(head + salt + output).decode()


def matches(scheme, password, stored):
    if scheme.startswith("spring-"):
        return spring_matches(scheme, password, stored)
    if scheme == "aspnet-identity-v2":
        data = base64.b64decode(stored)
        return data[0] == 0 and hashlib.pbkdf2_hmac("sha1", password, data[1:17], 1000, 32) == data[17:]
    if scheme == "aspnet-identity-v3":
        data = base64.b64decode(stored)
        prf, iterations, salt_bytes = (int.from_bytes(data[at : at + 4], "big") for at in (1, 5, 9))
        return identity_v3(password, prf, iterations, data[13 : 13 + salt_bytes], len(data) - 13 - salt_bytes) == stored
    if scheme.startswith("django-"):
        return django_matches(scheme, password, stored)
    if scheme == "passlib-pbkdf2":
        _, name, rounds, salt, output = stored.split("$")
        function = name.partition("-")[2] or "sha1"
        return hashlib.pbkdf2_hmac(function, password, ab64(salt), int(rounds)) == ab64(output)
    if scheme == "ldap-ssha":
        data = base64.b64decode(stored.rpartition("}")[2])
        return hashlib.sha1(password + data[20:]).digest() == data[:20]
    if scheme == "passlib-bcrypt-sha256":
        _, _, costs, salt, output = stored.split("$")
        second = costs.startswith("v=2,")
        digest = hmac.digest(salt.encode(), password, "sha256") if second else hashlib.sha256(password).digest()
        cost = int(costs.rpartition(",")[2].removeprefix("r="))
        return bcrypt.checkpw(base64.b64encode(digest), f"$2b${cost:02}${salt}{output}".encode())
    method, salt, output = stored.split("$")
    if scheme == "werkzeug-hmac":
        return hmac.digest(salt.encode(), password, method).hex() == output
    name, *costs = method.split(":")
    if name == "pbkdf2":
        return hashlib.pbkdf2_hmac(costs[0], password, salt.encode(), int(costs[1])).hex() == output
    n, r, p = map(int, costs)
    return hashlib.scrypt(password, salt=salt.encode(), n=n, r=r, p=p, maxmem=1 << 30, dklen=64).hex() == output


def django_matches(scheme, password, stored):
    name, _, rest = stored.partition("$")
    if scheme == "django-pbkdf2":
        rounds, salt, output = rest.split("$")
        made = hashlib.pbkdf2_hmac(name.removeprefix("pbkdf2_"), password, salt.encode(), int(rounds))
        return base64.b64encode(made).decode() == output
    if scheme == "django-scrypt":
        n, salt, r, p, output = rest.split("$")
        made = hashlib.scrypt(password, salt=salt.encode(), n=int(n), r=int(r), p=int(p), maxmem=1 << 30, dklen=64)
        return base64.b64encode(made).decode() == output
    if scheme == "django-md5":
        salt, output = rest.split("$")
        return hashlib.md5(salt.encode() + password).hexdigest() == output
    if scheme == "django-argon2":
        kind = argon2.low_level.Type.ID if rest.startswith("argon2id") else argon2.low_level.Type.I
        try:
            return argon2.low_level.verify_secret(f"${rest}".encode(), password, kind)
        except argon2.exceptions.VerifyMismatchError:
            return False
    if scheme == "django-bcrypt-sha256":
        password = hashlib.sha256(password).hexdigest().encode()
    return bcrypt.checkpw(password[:72], rest.encode())


def spring_matches(scheme, password, stored):
    kind, _, rest = stored[1:].partition("}")
    if scheme == "spring-bcrypt":
        return bcrypt.checkpw(password[:72], rest.encode())
    if scheme == "spring-argon2":
        return django_matches("django-argon2", password, "argon2" + rest)
    if scheme == "spring-scrypt":
        _, costs, salt, output = rest.split("$")
        costs = int(costs, 16)
        n, r, p = 1 << (costs >> 16), costs >> 8 & 0xFF, costs & 0xFF
        made = hashlib.scrypt(password, salt=base64.b64decode(salt), n=n, r=r, p=p, dklen=32, maxmem=1 << 30)
        return made == base64.b64decode(output)
    new = kind == "pbkdf2@SpringSecurity_v5_8"
    data = bytes.fromhex(rest) if len(rest) in (80, 96) else base64.b64decode(rest)
    salt_bytes, function, iterations = (16, "sha256", 310_000) if new else (8, "sha1", 185_000)
    return hashlib.pbkdf2_hmac(function, password, data[:salt_bytes], iterations, 32) == data[salt_bytes:]


def ab64(text):
    return base64.b64decode(text.replace(".", "+") + "=" * (-len(text) % 4))


if __name__ == "__main__":
    main()
