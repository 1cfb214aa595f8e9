"""The passwords, the schemes and the form of a group, for the generators of verify-only schemes.

A family is one file of vectors: `crypt`, `ldap`, `frameworks`, `products`, `sites`. Each group
names its scheme. The file also holds strings that must be rejected, in groups called `Saltern: …`.
"""

import hashlib
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PASSWORDS = [
    ("ASCII", "correct horse battery staple".encode()),
    ("Unicode", "Pässwörd 密码 🧂".encode()),
    ("one character", b"x"),
]
WRONG = b"Xorrect horse battery staple"

# The number of bytes of a password that DES uses.
DES_BYTES = 8

# The password for hostile strings and for single cases.
PASSWORD = b"saltern"

# Every scheme, and whether it is weak: unsalted, or so fast that a guess costs well under a tenth
# of a millisecond. None: the scheme holds a string of another scheme, and each group states it.
SCHEMES = {
    "apr1": False,
    "aspnet-identity-v2": False,
    "aspnet-identity-v3": False,
    "atlassian-pkcs5s2": False,
    "bsdi-crypt": False,
    "des-crypt": True,
    "django-argon2": False,
    "django-bcrypt": False,
    "django-bcrypt-sha256": False,
    "django-md5": True,
    "django-pbkdf2": False,
    "django-scrypt": False,
    "dovecot-argon2": False,
    "drupal7": False,
    "drupal7-updated": False,
    "firebase-scrypt": False,
    "grub-pbkdf2-sha512": False,
    "keycloak-argon2": False,
    "keycloak-pbkdf2": False,
    "kratos-digest": True,
    "ldap-argon2": False,
    "ldap-crypt": None,
    "ldap-md5": True,
    "ldap-pbkdf2": False,
    "ldap-sha": True,
    "ldap-sha256": True,
    "ldap-sha384": True,
    "ldap-sha512": True,
    "ldap-smd5": True,
    "ldap-ssha": True,
    "ldap-ssha256": True,
    "ldap-ssha384": True,
    "ldap-ssha512": True,
    "md5-crypt": False,
    "mysql-native": True,
    "passlib-bcrypt-sha256": False,
    "passlib-pbkdf2": False,
    "phpass": False,
    "prepared": None,
    "scrypt-7": False,
    "sha1-crypt": False,
    "sha256-crypt": False,
    "sha512-crypt": False,
    "spring-argon2": False,
    "spring-bcrypt": False,
    "spring-pbkdf2": False,
    "spring-scrypt": False,
    "sun-md5": False,
    "werkzeug-hmac": True,
    "werkzeug-pbkdf2": False,
    "werkzeug-scrypt": False,
    "wordpress": False,
    "wrapped": False,
    "yescrypt": False,
}

# Flags of more than one family.
NOTES = {
    "AtCeiling": "Exactly at a ceiling, which still passes.",
    "Base64": "Not the canonical Base64 of any bytes, in the scheme's own alphabet.",
    "Cost": "Parses, and costs more than the shipped ceilings allow: refused before any work.",
    "DefaultCost": "The cost is the software's own default.",
    "Length": "A salt, an output or the whole string is too short or too long.",
    "LongPassword": "A password at or beyond an edge of the scheme's blocks.",
    "Nul": "A NUL in the password is a byte like any other. C's crypt() never sees it: its strings end there.",
    "Number": "A number in a spelling other than its canonical one.",
    "Range": "A number in its canonical spelling that the scheme does not allow.",
    "SaltLength": "A salt of the least or the greatest length, or of one between that software prints.",
    "Scheme": "No scheme that is verified here.",
    "Structure": "A field is missing, added, twice or in another place.",
    "Truncates": "The scheme ignored a part of this password.",
}


def notes(groups, **own):
    """Returns the notes on the flags of these groups, shared ones and those of the family."""
    used = {flag for group in groups for test in group["tests"] for flag in test["flags"]}
    return {flag: note for flag, note in sorted({**NOTES, **own}.items()) if flag in used}


def group(scheme, name, version, tests, weak=None):
    weak = SCHEMES[scheme] if weak is None else weak
    return {"type": "verify", "scheme": scheme, "weak": weak, "source": {"name": name, "version": version}, "tests": tests}


def made(scheme, name, version, hashes, flags=(), weak=None, reads=None):
    """The group of a program that hashed each password: a match for each, one wrong password.

    `reads` is the number of bytes that the scheme uses, if it does not use the whole password.
    """
    tests = [
        test(kind, password, stored, flags=[*flags, "Truncates"] if reads and len(password) > reads else flags)
        for (kind, password), stored in zip(PASSWORDS, hashes, strict=True)
    ]
    tests.append(test("wrong password", WRONG, hashes[0], "mismatch", flags))
    return group(scheme, name, version, tests, weak)


def hostile(scheme, tests, weak=None, name=None):
    """The group of strings that must be rejected: `tests` are (comment, stored, code, flag)."""
    tests = [test(comment, PASSWORD, stored, code, [flag]) for comment, stored, code, flag in tests]
    return group(scheme, f"Saltern: {name or scheme}", "1", tests, weak)


def test(comment, password, stored, result="match", flags=()):
    return {"comment": comment, "password": password, "hash": stored, "result": result, "flags": list(flags)}


def run(command, stdin=b"", folder="."):
    return subprocess.run(command, cwd=HERE / folder, input=stdin, check=True, capture_output=True).stdout


def run_json(command, passwords=None, folder="."):
    """Runs a program that reads passwords as a JSON list of hex and prints JSON."""
    passwords = [password for _, password in PASSWORDS] if passwords is None else passwords
    return json.loads(run(command, json.dumps([password.hex() for password in passwords]).encode(), folder))


def java(program, passwords=None):
    """Runs a program of `java` with the libraries that Maven put into `java/lib`."""
    return run_json(["java", "-cp", "lib/*", program], passwords, "java")


def debian(package):
    """Name and version of an installed package."""
    return run(["dpkg-query", "-W", "-f", "${Package} ${Version}", package]).decode()


def drawn(name, length):
    """Bytes for a salt: the same in every run, others for every name."""
    return hashlib.shake_128(name.encode()).digest(length)


def ascii_of(length):
    """A password of this length. No two neighbouring characters are equal."""
    letters = "the quick brown fox jumps over the lazy dog 0123456789 "
    return (letters * (length // len(letters) + 1))[:length].encode()


def with_last(text, alphabet, bits):
    """Sets these bits of the last character, which belong to no byte."""
    index = alphabet.index(text[-1])
    if index & bits:
        raise SystemExit(f"the last character of {text} has the bits {bits:b} set already")
    return text[:-1] + alphabet[index | bits]
