"""floors.json: hashes at the floors of the policy document, and hashes below them.

Each floor has a witness: a hash by real software with its own default, or by other software with
that default. The flag of a witness is the name of its floor. Django 3.1 needs an old argon2-cffi:

    $(../../../xtask/packages floors-requirements.txt)/python floors.py
"""

import base64
import hashlib
import importlib.metadata
import json
import warnings

warnings.filterwarnings("ignore")

import argon2
import django
import passlib.hash
from argon2.low_level import Type, hash_secret
from django.conf import settings

import family
import libxcrypt
import vector_file

settings.configure()
django.setup()
from django.contrib.auth.hashers import Argon2PasswordHasher

PASSWORD = family.PASSWORD
PASSLIB = f"passlib {importlib.metadata.version('passlib')}"
ARGON2 = f"argon2-cffi {importlib.metadata.version('argon2-cffi')}"
BELOW = "BelowFloor"
BENEATH = "BeneathAnother"

NOTES = {
    "argon2_memory_kib": "At the floor of Argon2's memory, or below it.",
    "argon2_memory_passes_kib": "At the floor of Argon2's memory times passes, or below it.",
    "bcrypt_cost": "At the floor of bcrypt's cost, or below it.",
    "bsdi_crypt_rounds": "At the floor of BSDi's DES, or below it.",
    "output_bytes": "At the floor of an output's length, or below it.",
    "pbkdf2_iterations": "At the floor of PBKDF2's iterations, or below it.",
    "phpass_rounds": "At the floor of phpass, which is the format's own minimum.",
    "salt_bytes": "At the floor of a salt's length, or below it.",
    "scrypt_memory_bytes": "At the floor of the memory of scrypt and yescrypt, or below it.",
    "scrypt_n_r_p": "At the floor of the work of scrypt and yescrypt, or below it.",
    "sha1_crypt_rounds": "At the floor of sha1-crypt, or below it.",
    "sha_crypt_rounds": "At the floor of sha-crypt, which is the scheme's own minimum.",
    "sun_md5_rounds": "At the floor of Sun's MD5, which is the scheme's own minimum.",
    BELOW: "Below the floor: refused unless its scheme is accepted, and then to be replaced as weak.",
    BENEATH: "Below the floor, beneath a layer that is not: verified, and to be replaced as weak.",
}


def main():
    groups = [*witnesses(), below()]
    description = "Hashes at and below the floors of functions/policy/policies.json."
    vector_file.write("floors", description, "generators/floors.py", NOTES, groups)


def witnesses():
    django_version = f"Django {django.get_version()}, {ARGON2}"
    hasher = Argon2PasswordHasher()
    of_django = hasher.encode(PASSWORD.decode(), hasher.salt())
    if "$m=512,t=2,p=2$" not in of_django:
        raise SystemExit(f"not Django's old default: {of_django}")
    yield one(
        "Django 1.10 to 3.1, Argon2PasswordHasher",
        django_version,
        "m=512, t=2, p=2, an output of 16 bytes",
        of_django,
        ["argon2_memory_kib", "argon2_memory_passes_kib", "output_bytes"],
    )
    yield crypt("crypt_gensalt of crypt_blowfish and libxcrypt for $2b$, default", libxcrypt.gensalt("$2b$"), ["bcrypt_cost"])
    yield crypt("crypt_gensalt of libxcrypt for BSDi's DES, default", libxcrypt.gensalt("_"), ["bsdi_crypt_rounds"])
    yield asp_net()
    phpass = passlib.hash.phpass.using(rounds=7).hash(PASSWORD)
    yield one("phpass, least rounds", PASSLIB, "2^7 rounds, the fewest that PasswordHash.php reads", phpass, ["phpass_rounds"])
    openssl = family.run(["openssl", "passwd", "-6", "-salt", "x", "-stdin"], PASSWORD + b"\n").decode().strip()
    version = family.run(["openssl", "version"]).decode().strip()
    yield one("openssl passwd -6 -salt x", version, "a salt of one character", openssl, ["salt_bytes"])
    flags = ["scrypt_memory_bytes", "scrypt_n_r_p"]
    yield crypt("crypt_gensalt of libxcrypt for yescrypt, count 1", libxcrypt.gensalt("$y$", 1), flags)
    scrypt = passlib.hash.scrypt.using(rounds=10).hash(PASSWORD)
    yield one("passlib scrypt, costs of yescrypt's count 1", PASSLIB, "N=2^10, r=8, p=1", scrypt, flags)
    yield crypt("NetBSD's crypt(), least of its random default, by libxcrypt", "$sha1$18511$saltsalt$", ["sha1_crypt_rounds"])
    yield crypt("glibc and libxcrypt, least rounds of sha512-crypt", libxcrypt.gensalt("$6$", 1000), ["sha_crypt_rounds"])
    yield crypt("Solaris crypt_sunmd5 without rounds, by libxcrypt", "$md5$saltsalt$", ["sun_md5_rounds"])


def asp_net():
    """The hash of frameworks.json by ASP.NET Core, which draws a new salt in every run."""
    groups = json.loads((vector_file.DATA / "frameworks.json").read_text(encoding="utf-8"))["testGroups"]
    made = next(g for g in groups if g["source"]["name"] == "ASP.NET Core Identity v2")
    test = made["tests"][0]
    password = bytes.fromhex(test["password"])
    return one("ASP.NET Identity v2", made["source"]["version"], "1,000 iterations", test["hash"], ["pbkdf2_iterations"], password)


def below():
    """Hashes below one floor each, by the same software."""
    salt = b"sixteen bytes sa"

    def argon(memory, passes, length=32, salt=salt):
        return hash_secret(PASSWORD, salt, passes, memory, 1, length, Type.ID).decode()

    def pbkdf2(iterations, length=32, salt=salt):
        output = hashlib.pbkdf2_hmac("sha256", PASSWORD, salt, iterations, length)
        return f"$pbkdf2-sha256$i={iterations},l={length}${b64(salt)}${b64(output)}"

    def scrypt(log_n, r, p, length=32):
        output = hashlib.scrypt(PASSWORD, salt=salt, n=1 << log_n, r=r, p=p, dklen=length)
        return f"$scrypt$ln={log_n},r={r},p={p}${b64(salt)}${b64(output)}"

    def wrapped(memory, inner, empty):
        outer = hash_secret(inner.encode(), salt, 2, memory, 1, 32, Type.ID).decode()
        return f"$saltern-wrap{outer}${empty}"

    sha = "{SHA}" + base64.b64encode(hashlib.sha1(PASSWORD).digest()).decode()
    sha_empty = "{SHA}" + base64.b64encode(bytes(20)).decode()
    bcrypt_4 = libxcrypt.crypt(PASSWORD, "$2b$04$abcdefghijklmnopqrstuu")
    cases = [
        ("argon2id m=8 t=1", argon(8, 1), "argon2_memory_kib"),
        ("argon2id m=511 t=3", argon(511, 3), "argon2_memory_kib"),
        ("argon2id m=1023 t=1", argon(1023, 1), "argon2_memory_passes_kib"),
        ("argon2id, an output of 4 bytes", argon(512, 2, 4), "output_bytes"),
        ("bcrypt cost 4", bcrypt_4, "bcrypt_cost"),
        ("bsdi-crypt, 723 rounds", libxcrypt.crypt(PASSWORD, "_H9..salt"), "bsdi_crypt_rounds"),
        ("PBKDF2, 1 iteration", pbkdf2(1), "pbkdf2_iterations"),
        ("PBKDF2, 999 iterations", pbkdf2(999), "pbkdf2_iterations"),
        ("PBKDF2, an output of 15 bytes", pbkdf2(1000, 15), "output_bytes"),
        ("md5-crypt, an empty salt", libxcrypt.crypt(PASSWORD, "$1$$"), "salt_bytes"),
        ("sha512-crypt, an empty salt", libxcrypt.crypt(PASSWORD, "$6$$"), "salt_bytes"),
        ("scrypt N=2", scrypt(1, 8, 1), "scrypt_memory_bytes"),
        ("scrypt N=2^9 r=8 p=2", scrypt(9, 8, 2), "scrypt_memory_bytes"),
        ("sha1-crypt, 18,510 rounds", libxcrypt.crypt(PASSWORD, "$sha1$18510$saltsalt$"), "sha1_crypt_rounds"),
        ("argon2id m=256 t=2 over an unsalted digest", wrapped(256, sha, sha_empty), "argon2_memory_kib"),
    ]
    tests = [family.test(comment, PASSWORD, stored, flags=[flag, BELOW]) for comment, stored, flag in cases]
    # In the alphabet of bcrypt a dot is zero.
    bcrypt_empty = bcrypt_4[:29] + "." * 31
    over = wrapped(512, bcrypt_4, bcrypt_empty)
    tests.append(family.test("argon2id m=512 t=2 over bcrypt cost 4", PASSWORD, over, flags=["bcrypt_cost", BENEATH]))
    version = f"{libxcrypt.VERSION}, {ARGON2}, Python's hashlib"
    return {"type": "verify", "source": {"name": "Saltern: below a floor", "version": version}, "tests": tests}


def crypt(name, setting, flags):
    return one(name, libxcrypt.VERSION, setting.split("$salt")[0], libxcrypt.crypt(PASSWORD, setting), flags)


def one(name, version, comment, stored, flags, password=PASSWORD):
    source = {"name": name, "version": version}
    return {"type": "verify", "source": source, "tests": [family.test(comment, password, stored, flags=flags)]}


def b64(data):
    return base64.b64encode(data).decode().rstrip("=")


if __name__ == "__main__":
    main()
