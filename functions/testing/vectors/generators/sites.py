"""sites.json: hashes that sites made themselves: digests of a template, MySQL's, and prepared
passwords.

hashlib fills Kratos' templates, which its documentation defines. MySQL's own manual has one of its
strings, and hashlib computes the others. bcrypt, passlib and argon2-cffi hash the prepared
passwords.
"""

import base64
import hashlib
import os
import warnings

os.environ["PASSLIB_BUILTIN_BCRYPT"] = "enabled"
warnings.filterwarnings("ignore")

import argon2
import bcrypt
import passlib.hash as ph

import family
import vector_file
from family import PASSWORD, PASSWORDS, drawn, test

INVALID, UNSUPPORTED, OVER = "invalid_hash", "unsupported_hash", "cost_out_of_bounds"
FUNCTIONS = ("md5", "sha1", "sha256", "sha512")
TEMPLATES = (
    "{SALT}{PASSWORD}",
    "{PASSWORD}{SALT}",
    "{SALT}{PASSWORD}{SALT}",
    "--{SALT}--{PASSWORD}--",
    "{{PASSWORD}}{SALT}",
    "{PASSWORD}:{SALT}:{PASSWORD}",
)
# The template, the salt, the password and the string of the tests of Kratos.
OF_KRATOS = [
    ("{SALT}{PASSWORD}", b"5opmkgz03r", b"test", "$sha1$pf=e1NBTFR9e1BBU1NXT1JEfQ==$NW9wbWtnejAzcg==$2qU2SGWP8viTM1md3FiI3+rjWXQ="),
    ("{SALT}{PASSWORD}", b"5opmkgz03r", b"BwS^514g^cv@Z", "$sha1$pf=e1NBTFR9e1BBU1NXT1JEfQ==$NW9wbWtnejAzcg==$99h9net4BXl7qdTRaiGUobLROxM="),
    ("??staticPrefix??{SALT}{PASSWORD}", b"5opmkgz03r", b"test", "$sha1$pf=Pz9zdGF0aWNQcmVmaXg/P3tTQUxUfXtQQVNTV09SRH0=$NW9wbWtnejAzcg==$SAAxMUn7jxckQXkBmsVF0nHwqso="),
    ("{PASSWORD}%%{SALT}", b"5opmkgz03r", b"test", "$sha1$pf=e1BBU1NXT1JEfSUle1NBTFR9$NW9wbWtnejAzcg==$YX0AW8/MW5ojUlnzTaR43ucHCog="),
    ("${PASSWORD}${SALT}$", b"5opmkgz03r", b"test", "$sha1$pf=JHtQQVNTV09SRH0ke1NBTFR9JA==$NW9wbWtnejAzcg==$iE5n1yjX3oAdxRHwZ4u57I4LpQo="),
    ("{SALT}{PASSWORD}", b"5opmkgz03r", b"test", "$sha256$pf=e1NBTFR9e1BBU1NXT1JEfQ==$NW9wbWtnejAzcg==$0gfRVLCvtBCk20udLDEY5vNhujWx7RGjwRIS1ebMsLY="),
    ("{SALT}$${PASSWORD}", b"5opmkgz03r", b"test", "$sha256$pf=e1NBTFR9JCR7UEFTU1dPUkR9$NW9wbWtnejAzcg==$HokCOi9OtiZaZRvnkgemV3B4UUHpI7kA8zq/EZWH2NY="),
    ("{SALT}{PASSWORD}", b"123", b"test", "$md5$pf=e1NBTFR9e1BBU1NXT1JEfQ==$MTIz$q+RdKCgc+ipCAcm5ChQwlQ=="),
    ("{SALT}$${PASSWORD}", b"1234", b"test", "$md5$pf=e1NBTFR9JCR7UEFTU1dPUkR9$MTIzNA==$ud392Z8rfZ+Ou7ZFXYLKbA=="),
    ("{PASSWORD}{SALT}$?", b"123456789", b"ory", "$md5$pf=e1BBU1NXT1JEfXtTQUxUfSQ/$MTIzNDU2Nzg5$8PhwWanVRnpJAFK4NUjR0w=="),
]
# MySQL 5.7 Reference Manual, PASSWORD(), for `password`.
OF_MYSQL = "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19"


def main():
    groups = [*kratos(), *mysql(), *prepared(), *peppered(), *hostile()]
    vector_file.write(
        "sites",
        "Hashes that sites made themselves, and what must be refused.",
        "generators/sites.py",
        family.notes(groups, Template="The template says what was hashed."),
        groups,
    )


def b64(data):
    return base64.b64encode(data).decode()


def template(function, form, salt, password):
    # All marks are replaced at once, so that a salt or a password may look like a mark.
    marks = {b"{SALT}": salt, b"{PASSWORD}": password}
    text, rest = b"", form.encode()
    while rest:
        mark = next((mark for mark in marks if rest.startswith(mark)), None)
        text, rest = text + (marks[mark] if mark else rest[:1]), rest[len(mark or b"x") :]
    return f"${function}$pf={b64(form.encode())}${b64(salt)}${b64(hashlib.new(function, text).digest())}"


def kratos():
    groups = []
    for function in FUNCTIONS:
        for form in TEMPLATES:
            hashes = [template(function, form, drawn(f"{function} {form} {kind}", 12), password) for kind, password in PASSWORDS]
            groups.append(family.made("kratos-digest", f"hashlib, {function} of {form}", "Ory Kratos' template", hashes, ["Template"]))
    published = []
    for form, salt, password, stored in OF_KRATOS:
        function = stored.split("$")[1]
        if template(function, form, salt, password) != stored:
            raise SystemExit(f"computed again, it is another: {stored}")
        name = f"{function}, {form}, {password.decode()}"
        published.append(test(name, password, stored, flags=["Template"]))
        published.append(test(f"{name}, wrong password", password + b"1", stored, "mismatch", ["Template"]))
    groups.append(family.group("kratos-digest", "Ory Kratos hash/hasher_test.go", "2023", published))
    usual = TEMPLATES[0]
    tests = [
        test("a salt of one byte", PASSWORD, template("sha256", usual, b"s", PASSWORD), flags=["SaltLength"]),
        test("a salt of 300 bytes", PASSWORD, template("sha256", usual, drawn("300", 300), PASSWORD), flags=["SaltLength"]),
        test("a salt that looks like a mark", PASSWORD, template("sha1", usual, b"{PASSWORD}", PASSWORD), flags=["Template"]),
        test("a password that looks like a mark", b"{SALT}", template("sha1", usual, b"salt", b"{SALT}"), flags=["Template"]),
        test("a NUL in the password", b"salt\0ern", template("sha1", usual, b"salt", b"salt\0ern"), flags=["Nul"]),
        test("up to the NUL in the password", b"salt", template("sha1", usual, b"salt", b"salt\0ern"), "mismatch", ["Nul"]),
        test("the longest password", family.ascii_of(1024), template("sha512", usual, b"salt", family.ascii_of(1024)), flags=["LongPassword"]),
        test("no password", b"", template("sha256", usual, b"salt", b""), flags=["Template"]),
    ]
    groups.append(family.group("kratos-digest", "hashlib, single cases", "Ory Kratos' template", tests))
    return groups


def mysql_of(password):
    return "*" + hashlib.sha1(hashlib.sha1(password).digest()).hexdigest().upper()


def mysql():
    if mysql_of(b"password") != OF_MYSQL:
        raise SystemExit("the manual's string is another")
    tests = [
        test("of the manual", b"password", OF_MYSQL),
        test("of the manual, wrong password", b"Password", OF_MYSQL, "mismatch"),
    ]
    return [
        family.made("mysql-native", "hashlib, PASSWORD() of MySQL", "4.1", [mysql_of(password) for _, password in PASSWORDS]),
        family.group("mysql-native", "MySQL 5.7 Reference Manual", "5.7", tests),
    ]


PREPARATIONS = {
    "md5-hex": lambda password: hashlib.md5(password).hexdigest().encode(),
    "sha1-hex": lambda password: hashlib.sha1(password).hexdigest().encode(),
    "sha256-base64": lambda password: base64.b64encode(hashlib.sha256(password).digest()),
}


def prepared():
    inner = [
        ("bcrypt", False, lambda text: bcrypt.hashpw(text, bcrypt.gensalt(4)).decode()),
        ("PBKDF2", False, lambda text: ph.django_pbkdf2_sha256.using(rounds=1000).hash(text)),
        ("scrypt", False, lambda text: ph.scrypt.using(rounds=4).hash(text)),
        ("argon2id", False, lambda text: argon2.PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(text)),
        ("sha512-crypt", False, lambda text: ph.sha512_crypt.using(rounds=1000).hash(text)),
        ("a salted digest", True, lambda text: template("md5", "{PASSWORD}{SALT}", b"salt", text)),
    ]
    groups = []
    for name, prepare in PREPARATIONS.items():
        for kind, weak, make in inner:
            hashes = [around(name, make(prepare(password))) for _, password in PASSWORDS]
            groups.append(family.made("prepared", f"{kind} of a prepared password, {name}", "hashlib, bcrypt, passlib, argon2-cffi", hashes, weak=weak))
        stored = around(name, inner[0][2](prepare(b"salt\0ern")))
        tests = [
            test("a NUL in the password", b"salt\0ern", stored, flags=["Nul"]),
            test("up to the NUL in the password", b"salt", stored, "mismatch", ["Nul"]),
            test("the prepared text", prepare(b"salt\0ern"), stored, "mismatch", ["Nul"]),
            test("the longest password", family.ascii_of(1024), around(name, inner[0][2](prepare(family.ascii_of(1024)))), flags=["LongPassword"]),
        ]
        groups.append(family.group("prepared", f"bcrypt of a prepared password, {name}, single cases", "bcrypt", tests, weak=False))
    return groups


# The key that the hashes of `peppered` name.
PEPPER = b"site pepper"


def peppered():
    inner = {
        "bcrypt": lambda text: bcrypt.hashpw(text[:72], bcrypt.gensalt(4)).decode(),
        "PBKDF2": lambda text: ph.django_pbkdf2_sha256.using(rounds=1000).hash(text),
        "argon2id": lambda text: argon2.PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(text),
    }
    groups = []
    for name, join in (("pepper-append", lambda password: password + PEPPER), ("pepper-prepend", lambda password: PEPPER + password)):
        stored = lambda kind, text: around(f"{name},k=site", inner[kind](text))
        for kind in inner:
            hashes = [stored(kind, join(password)) for _, password in PASSWORDS]
            groups.append(family.made("prepared", f"{kind} with a pepper, {name}", "bcrypt, passlib, argon2-cffi", hashes, weak=False))
        right = stored("bcrypt", join(b"saltern"))
        long = family.ascii_of(1024)
        tests = [
            test("without the pepper", b"saltern", stored("bcrypt", b"saltern"), "mismatch"),
            test("the pepper in the password", join(b"saltern"), right, "mismatch"),
            # bcrypt stops at the NUL in software with C strings.
            test("a NUL in the password", b"salt\0ern", stored("bcrypt", join(b"salt\0ern").partition(b"\0")[0]), flags=["Nul"]),
            test("the longest password", long, stored("bcrypt", join(long)), flags=["LongPassword"]),
            test("a pepper that bcrypt cuts", long[:70], stored("bcrypt", join(long[:70])), flags=["LongPassword"]),
            test("the longest password of PBKDF2", long, stored("PBKDF2", join(long)), flags=["LongPassword"]),
        ]
        groups.append(family.group("prepared", f"a pepper, {name}, single cases", "bcrypt, passlib", tests, weak=False))
    for group in groups:
        for each in group["tests"]:
            each["siteKey"] = PEPPER
    return groups


def around(name, stored):
    return f"$saltern-prep$v=1,p={name}${stored}"


def hostile():
    digest = template("sha256", TEMPLATES[0], b"salt", PASSWORD)
    head, form, salt, output = digest.rsplit("$", 3)
    with_template = lambda text: f"{head}$pf={b64(text.encode())}${salt}${output}"
    kratos = [
        ("no password in the template", with_template("{SALT}"), INVALID, "Structure"),
        ("no salt in the template", with_template("{PASSWORD}"), INVALID, "Structure"),
        ("marks in lower case", with_template("{salt}{password}"), INVALID, "Structure"),
        ("an empty template", with_template(""), INVALID, "Length"),
        ("a template that is not Base64", f"{head}$pf={{SALT}}{{PASSWORD}}${salt}${output}", INVALID, "Base64"),
        ("a template without padding", digest.replace("==$", "$", 1), INVALID, "Base64"),
        ("an empty salt", f"{head}${form}$${output}", INVALID, "Length"),
        ("an output of another function", digest.replace("$sha256$", "$sha1$"), INVALID, "Length"),
        ("no output", f"{head}${form}${salt}$", INVALID, "Length"),
        ("one field more", digest + "$", INVALID, "Structure"),
        ("one field less", f"{head}${form}${output}", INVALID, "Structure"),
        ("SHA-384", digest.replace("$sha256$", "$sha384$"), UNSUPPORTED, "Scheme"),
        ("a trailing newline", digest + "\n", INVALID, "Base64"),
    ]
    stored = mysql_of(PASSWORD)
    mysql = [
        ("lower-case digits", stored.lower(), INVALID, "Base64"),
        ("a letter that is no digit", stored[:-1] + "G", INVALID, "Base64"),
        ("one digit less", stored[:-1], UNSUPPORTED, "Length"),
        ("one digit more", stored + "0", UNSUPPORTED, "Length"),
        ("two stars", "*" + stored, UNSUPPORTED, "Structure"),
        ("without the star", stored[1:], UNSUPPORTED, "Structure"),
    ]
    inner = "$2b$04$......................" + bcrypt.hashpw(PASSWORD, b"$2b$04$......................")[29:].decode()
    right = around("md5-hex", inner)
    prepared = [
        ("another version", right.replace("v=1", "v=2"), UNSUPPORTED, "Structure"),
        ("a version with a zero before it", right.replace("v=1", "v=01"), INVALID, "Number"),
        ("no version", right.replace("v=1,", ""), INVALID, "Structure"),
        ("no preparation", right.replace(",p=md5-hex", ""), INVALID, "Structure"),
        ("an unknown preparation", right.replace("md5-hex", "sha512-hex"), UNSUPPORTED, "Scheme"),
        ("a preparation in upper case", right.replace("md5-hex", "MD5-HEX"), UNSUPPORTED, "Scheme"),
        ("a key that the preparation does not take", right.replace("md5-hex", "md5-hex,k=site"), INVALID, "Structure"),
        ("a pepper without a key", right.replace("md5-hex", "pepper-append"), INVALID, "Structure"),
        ("a pepper with an empty key", right.replace("md5-hex", "pepper-append,k="), INVALID, "Length"),
        ("a pepper with a key of 33 characters", right.replace("md5-hex", "pepper-append,k=" + "k" * 33), INVALID, "Length"),
        ("a pepper with a key in upper case", right.replace("md5-hex", "pepper-prepend,k=Site"), INVALID, "Structure"),
        ("a prepared hash inside", around("sha1-hex", right), INVALID, "Structure"),
        ("nothing inside", around("md5-hex", ""), UNSUPPORTED, "Length"),
        ("a bare digest inside", around("md5-hex", "5f4dcc3b5aa765d61d8327deb882cf99"), UNSUPPORTED, "Scheme"),
        ("a damaged hash inside", right[:-1], INVALID, "Length"),
        ("an expensive hash inside", right.replace("$04$", "$31$"), OVER, "Cost"),
        ("a wrapped hash inside", around("md5-hex", WRAPPED), INVALID, "Structure"),
    ]
    return [family.hostile("kratos-digest", kratos), family.hostile("mysql-native", mysql), family.hostile("prepared", prepared, weak=False)]


WRAPPED = "$saltern-wrap$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$" + "A" * 43 + "${SHA}" + "A" * 27 + "="


if __name__ == "__main__":
    main()
