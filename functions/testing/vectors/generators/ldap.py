"""ldap.json: hashes that directories store in userPassword, and {SHA} of htpasswd.

OpenLDAP, Dovecot, Apache and passlib make the hashes. hashlib computes each again, and libxcrypt
those in {CRYPT}.
"""

import base64
import hashlib
import importlib.metadata
import os
import warnings

os.environ["PASSLIB_BUILTIN_BCRYPT"] = "enabled"
warnings.filterwarnings("ignore")

import passlib.hash as ph

import family
import libxcrypt
import vector_file
from family import PASSWORD, PASSWORDS, test
from hostile import next_character, spellings

ph.bcrypt.set_backend("builtin")

# Scheme, name in braces, hash function, whether the hash is salted.
DIGESTS = [
    ("ldap-sha", "SHA", "sha1", False),
    ("ldap-ssha", "SSHA", "sha1", True),
    ("ldap-sha256", "SHA256", "sha256", False),
    ("ldap-ssha256", "SSHA256", "sha256", True),
    ("ldap-sha384", "SHA384", "sha384", False),
    ("ldap-ssha384", "SSHA384", "sha384", True),
    ("ldap-sha512", "SHA512", "sha512", False),
    ("ldap-ssha512", "SSHA512", "sha512", True),
    ("ldap-md5", "MD5", "md5", False),
    ("ldap-smd5", "SMD5", "md5", True),
]
PBKDF2 = [
    ("ldap-pbkdf2", "PBKDF2", "sha1"),
    ("ldap-pbkdf2", "PBKDF2-SHA256", "sha256"),
    ("ldap-pbkdf2", "PBKDF2-SHA512", "sha512"),
]
# Dovecot's names for schemes that others name differently or do not know. The encoding may follow
# after a point.
DOVECOT = [
    ("ldap-md5", "LDAP-MD5", "md5"),
    ("ldap-md5", "PLAIN-MD5", "md5"),
    ("ldap-sha", "SHA", "sha1"),
    ("ldap-sha", "SHA1", "sha1"),
    *[(scheme, name, function) for scheme, name, function, _ in DIGESTS if name not in ("SHA", "MD5", "SHA384", "SSHA384")],
]
ENCODINGS = ("HEX", "B64", "BASE64")
FUNCTIONS = {name: function for _, name, function, *_ in [*DIGESTS, *PBKDF2, *DOVECOT]} | {"PBKDF2-SHA1": "sha1"}
INVALID, UNSUPPORTED, OVER = "invalid_hash", "unsupported_hash", "cost_out_of_bounds"


def main():
    groups = [*openldap(), *dovecot(), htpasswd(), *passlib(), *salts(), *lower_case()]
    for group in groups:
        for case in group["tests"]:
            if matches(case["password"], case["hash"]) != (case["result"] == "match"):
                raise SystemExit(f"computed again, it is another: {case}")
    groups += hostile()
    vector_file.write(
        "ldap",
        "Hashes of directories and of htpasswd: a scheme in braces, and what must be refused.",
        "generators/ldap.py",
        family.notes(
            groups,
            LowerCase="The scheme in lower case, as RFC 2307 writes it and many migration scripts do.",
            TwoNames="OpenLDAP's module pw-pbkdf2 prints both {PBKDF2} and {PBKDF2-SHA1}.",
        ),
        groups,
    )


def openldap():
    groups = []
    version = family.debian("slapd")
    modules = {"sha2": ("SHA256", "SSHA256", "SHA384", "SSHA384", "SHA512", "SSHA512"), "pbkdf2": tuple(name for _, name, _ in PBKDF2) + ("PBKDF2-SHA1",)}
    names = [(scheme, name) for scheme, name, *_ in DIGESTS + PBKDF2] + [("ldap-pbkdf2", "PBKDF2-SHA1")]
    for scheme, name in names:
        load = [f"pw-{module}" for module, held in modules.items() if name in held]
        options = ["-o", "module-path=/usr/lib/ldap", "-o", f"module-load={load[0]}"] if load else []
        hashes = [slappasswd(*options, "-h", f"{{{name}}}", password=password) for _, password in PASSWORDS]
        flags = ["DefaultCost"] if name.startswith("PBKDF2") else []
        flags += ["TwoNames"] if name == "PBKDF2-SHA1" else []
        groups.append(family.made(scheme, f"OpenLDAP slappasswd {{{name}}}", version, hashes, flags))
    settings = {
        "DES": "%.2s",
        "BSDi": "_3...%.4s",
        "MD5": "$1$%.8s",
        "SHA-256": "$5$%.16s",
        "SHA-512": "$6$%.16s",
        "yescrypt": "$y$j75$%.8s",
    }
    for scheme, salt in settings.items():
        hashes = [slappasswd("-c", salt, password=password) for _, password in PASSWORDS]
        weak = scheme == "DES"
        reads = family.DES_BYTES if weak else None
        name = f"OpenLDAP slappasswd {{CRYPT}}, {scheme}"
        groups.append(family.made("ldap-crypt", name, version, hashes, weak=weak, reads=reads))
    return [*groups, *openldap_argon2(version)]


def openldap_argon2(version):
    load = lambda costs="": ("-o", "module-path=/usr/lib/ldap", "-o", f"module-load=argon2{costs}", "-h", "{ARGON2}")
    hashes = [slappasswd(*load(" m=64 t=2 p=1"), password=password) for _, password in PASSWORDS]
    # The second one is from slappw-argon2(5).
    documented = "{ARGON2}$argon2i$v=19$m=4096,t=3,p=1$c2FsdHNhbHQ$DKlexoEJUoZTmkAAC3SaMWk30El9/RvVhlqGo6afIng"
    tests = [
        test("default cost", PASSWORD, slappasswd(*load(), password=PASSWORD), flags=["DefaultCost"]),
        test("of the manual", b"secret", documented, flags=["DefaultCost"]),
        test("of the manual, wrong password", b"Secret", documented, "mismatch", ["DefaultCost"]),
    ]
    return [
        family.made("ldap-argon2", "OpenLDAP slappasswd {ARGON2}", version, hashes),
        family.group("ldap-argon2", "OpenLDAP slappasswd {ARGON2}, single cases", version, tests),
    ]


def slappasswd(*options, password):
    return family.run(["slappasswd", *options, "-s", password.decode()]).decode().strip()


def dovecot():
    groups = []
    for scheme, name, _ in DOVECOT:
        for printed in (name, *(f"{name}.{encoding}" for encoding in ENCODINGS)):
            hashes = [doveadm(printed, password) for _, password in PASSWORDS]
            assert hashes[0].startswith(f"{{{printed}}}"), hashes[0]
            groups.append(family.made(scheme, f"Dovecot doveadm pw -s {printed}", family.debian("dovecot-core"), hashes))
    hashes = [doveadm("CRYPT", password) for _, password in PASSWORDS]
    groups.append(family.made("ldap-crypt", "Dovecot doveadm pw -s CRYPT, bcrypt", family.debian("dovecot-core"), hashes, weak=False))
    return [*groups, *dovecot_crypt(), *dovecot_argon2()]


def dovecot_argon2():
    version = family.debian("dovecot-core")
    hashes = [doveadm("ARGON2I", password) for _, password in PASSWORDS]
    by_default = doveadm("ARGON2ID", PASSWORD)
    return [
        family.made("dovecot-argon2", "Dovecot doveadm pw -s ARGON2I", version, hashes),
        family.group(
            "dovecot-argon2",
            "Dovecot doveadm pw -s ARGON2ID",
            version,
            [
                family.test("default cost", PASSWORD, by_default, flags=["DefaultCost"]),
                family.test("wrong password", family.WRONG, by_default, "mismatch"),
            ],
        ),
    ]


def dovecot_crypt():
    """Hashes that Dovecot labels with its name for the crypt(3) scheme."""
    groups = []
    for name in ("BLF-CRYPT", "DES-CRYPT", "MD5", "MD5-CRYPT", "SHA256-CRYPT", "SHA512-CRYPT"):
        hashes = [doveadm(name, password) for _, password in PASSWORDS]
        is_des = name == "DES-CRYPT"
        groups.append(
            family.made(
                "ldap-crypt",
                f"Dovecot doveadm pw -s {name}",
                family.debian("dovecot-core"),
                hashes,
                weak=is_des,
                reads=family.DES_BYTES if is_des else None,
            )
        )
    return groups


def doveadm(name, password):
    return family.run(["doveadm", "pw", "-s", name, "-p", password.decode()]).decode().strip()


def htpasswd():
    hashes = [family.run(["htpasswd", "-nis", "user"], password).decode().strip().removeprefix("user:") for _, password in PASSWORDS]
    return family.made("ldap-sha", "Apache htpasswd -s", family.debian("apache2-utils"), hashes)


def passlib():
    version = f"passlib {importlib.metadata.version('passlib')}"
    kinds = [
        ("ldap-sha", ph.ldap_sha1, {}),
        ("ldap-ssha", ph.ldap_salted_sha1, {}),
        ("ldap-ssha256", ph.ldap_salted_sha256, {}),
        ("ldap-ssha512", ph.ldap_salted_sha512, {}),
        ("ldap-md5", ph.ldap_md5, {}),
        ("ldap-smd5", ph.ldap_salted_md5, {}),
        ("ldap-pbkdf2", ph.ldap_pbkdf2_sha1, {"rounds": 10}),
        ("ldap-pbkdf2", ph.ldap_pbkdf2_sha256, {"rounds": 10}),
        ("ldap-pbkdf2", ph.ldap_pbkdf2_sha512, {"rounds": 10}),
        ("atlassian-pkcs5s2", ph.atlassian_pbkdf2_sha1, {}),
    ]
    groups = []
    for scheme, handler, options in kinds:
        cheap = handler.using(**options)
        hashes = [cheap.hash(password) for _, password in PASSWORDS]
        flags = ["DefaultCost"] if handler is ph.atlassian_pbkdf2_sha1 else []
        groups.append(family.made(scheme, f"passlib {handler.name}", version, hashes, flags))
        if options:
            default = test("default cost", PASSWORD, handler.hash(PASSWORD), flags=["DefaultCost"])
            groups.append(family.group(scheme, f"passlib {handler.name}, single cases", version, [default]))
    crypts = [
        ("des_crypt", {}, True),
        ("bsdi_crypt", {"rounds": 5}, False),
        ("md5_crypt", {}, False),
        ("sha1_crypt", {"rounds": 10}, False),
        ("sha256_crypt", {"rounds": 1000}, False),
        ("sha512_crypt", {"rounds": 1000}, False),
        ("bcrypt", {"rounds": 4}, False),
    ]
    for name, options, weak in crypts:
        handler = getattr(ph, f"ldap_{name}").using(**options)
        hashes = [handler.hash(password) for _, password in PASSWORDS]
        reads = family.DES_BYTES if name == "des_crypt" else None
        groups.append(family.made("ldap-crypt", f"passlib ldap_{name}", version, hashes, weak=weak, reads=reads))
    return groups


def salts():
    """Lengths of salts: versions of OpenLDAP draw 4 or 8 bytes, others 16 and more."""
    groups = []
    for scheme, name, function, salted in DIGESTS:
        if not salted:
            continue
        tests = []
        for length in (1, 4, 5, 6, 7, 8, 12, 15, 16, 20, 32, 64):
            salt = family.drawn(f"{name} {length}", length)
            stored = braces(name, hashlib.new(function, PASSWORD + salt).digest() + salt)
            tests.append(test(f"salt of {length} bytes", PASSWORD, stored, flags=["SaltLength"]))
        for length in (0, 55, 56, 64, 111, 112, 128, 1024):
            salt = family.drawn(f"{name} password {length}", 8)
            password = family.ascii_of(length)
            stored = braces(name, hashlib.new(function, password + salt).digest() + salt)
            tests.append(test(f"password of {length} bytes", password, stored, flags=["LongPassword"]))
        salt = b"saltsalt"
        stored = braces(name, hashlib.new(function, b"salt\0ern" + salt).digest() + salt)
        tests.append(test("a NUL in the password", b"salt\0ern", stored, flags=["Nul"]))
        tests.append(test("a NUL in the password, what stands before it", b"salt", stored, "mismatch", ["Nul"]))
        shifted = test("the password longer by the salt's first byte", PASSWORD + salt[:1], "", "mismatch")
        shifted["hash"] = braces(name, hashlib.new(function, PASSWORD + salt).digest() + salt)
        tests.append(shifted)
        groups.append(family.group(scheme, f"hashlib, {{{name}}}", "Python's hashlib over OpenLDAP's layout", tests))
    return groups


def lower_case():
    """RFC 2307 §5.3 writes the schemes in lower case."""
    groups = []
    for scheme, name, function, salted in DIGESTS:
        salt = b"saltsalt" if salted else b""
        stored = braces(name.lower(), hashlib.new(function, PASSWORD + salt).digest() + salt)
        groups.append(family.group(scheme, f"RFC 2307, {{{name.lower()}}}", "1998", pair(stored)))
    stored = "{crypt}" + libxcrypt.crypt(PASSWORD, "$6$rounds=1000$saltsalt")
    groups.append(family.group("ldap-crypt", "RFC 2307, {crypt}", "1998", pair(stored), weak=False))
    stored = "{crypt}" + libxcrypt.crypt(PASSWORD, "sa")
    return [*groups, family.group("ldap-crypt", "RFC 2307, {crypt}, DES", "1998", pair(stored), weak=True)]


def pair(stored):
    right = test("right password", PASSWORD, stored, flags=["LowerCase"])
    return [right, test("wrong password", b"Saltern", stored, "mismatch", ["LowerCase"])]


def braces(name, data):
    return f"{{{name}}}{base64.b64encode(data).decode()}"


def ab64(data):
    """Base64 with a point for the plus and no padding."""
    return base64.b64encode(data).decode().rstrip("=").replace("+", ".")


def matches(password, stored):
    name, _, rest = stored[1:].partition("}")
    name = name.upper()
    if name.endswith("CRYPT") or rest.startswith("$1$"):
        return libxcrypt.crypt(password, rest) == rest
    if name == "PKCS5S2":
        data = base64.b64decode(rest)
        return hashlib.pbkdf2_hmac("sha1", password, data[:16], 10000, 32) == data[16:]
    if name.startswith("PBKDF2"):
        rounds, salt, output = rest.split("$")
        decode = lambda text: base64.b64decode(text.replace(".", "+") + "=" * (-len(text) % 4))
        return hashlib.pbkdf2_hmac(FUNCTIONS[name], password, decode(salt), int(rounds)) == decode(output)
    if name.startswith("ARGON2"):
        return ph.argon2.verify(password, rest)
    name, _, encoding = name.partition(".")
    is_hex = encoding == "HEX" or name == "PLAIN-MD5" and not encoding
    data = bytes.fromhex(rest) if is_hex else base64.b64decode(rest, validate=True)
    length = hashlib.new(FUNCTIONS[name]).digest_size
    return hashlib.new(FUNCTIONS[name], password + data[length:]).digest() == data[:length]


def hostile():
    groups = [family.hostile(*digest(*row)) for row in DIGESTS]
    groups += [family.hostile(scheme, pbkdf2(name, function), name=f"ldap-{name.lower()}") for scheme, name, function in PBKDF2]
    groups.append(family.hostile("atlassian-pkcs5s2", pkcs5s2()))
    groups.append(family.hostile("ldap-crypt", crypt(), weak=False))
    argon2id = ph.argon2.using(type="ID", salt=b"saltsalt", rounds=1, memory_cost=64, parallelism=1).hash(PASSWORD)
    refused = [
        ("Dovecot's {ARGON2ID}, of bcrypt", "{ARGON2ID}$2b$04$abcdefghijklmnopqrstuu" + "." * 31, INVALID, "Structure"),
        ("Dovecot's label in lower case", "{argon2id}" + argon2id, UNSUPPORTED, "Scheme"),
        ("a space behind the label", "{ARGON2ID} " + argon2id, INVALID, "Structure"),
    ]
    groups.append(family.hostile("dovecot-argon2", refused))
    return groups


def text_faults(stored, start):
    """Faults of any Base64 text that begins at `start`."""
    head, text = stored[:start], stored[start:]
    bare = text.rstrip("=")
    tests = [
        ("nothing after the scheme", stored[: stored.index("}") + 1], INVALID, "Length"),
        ("one character short", stored[:-1], INVALID, "Base64"),
        ("trailing newline", stored + "\n", INVALID, "Base64"),
        ("trailing carriage return and newline", stored + "\r\n", INVALID, "Base64"),
        ("trailing space", stored + " ", INVALID, "Base64"),
        ("trailing NUL", stored + "\0", INVALID, "Base64"),
        ("space after the scheme", stored.replace("}", "} ", 1), INVALID, "Base64"),
        ("newline within the text", head + text[:8] + "\n" + text[8:], INVALID, "Base64"),
        ("exclamation mark in the text", head + "!" + text[1:], INVALID, "Base64"),
        ("non-ASCII in the text, as many bytes", head + "ä" + text[2:], INVALID, "Base64"),
        ("a scheme in front of the scheme", "{SSHA}" + stored, INVALID, "Base64"),
        ("no closing brace", stored.replace("}", "", 1), UNSUPPORTED, "Scheme"),
        ("no opening brace", stored[1:], UNSUPPORTED, "Scheme"),
        ("two opening braces", "{" + stored, UNSUPPORTED, "Scheme"),
        ("space in front", " " + stored, UNSUPPORTED, "Scheme"),
        ("space in the scheme", stored.replace("{", "{ ", 1), UNSUPPORTED, "Scheme"),
        ("scheme in mixed case", stored.replace(stored[1:3], stored[1] + stored[2].lower(), 1), UNSUPPORTED, "Scheme"),
    ]
    if len(bare) % 4:
        tests.append(("a bit set beyond the bytes", head + next_character(bare) + "=" * (len(text) - len(bare)), INVALID, "Base64"))
    return tests


def digest(scheme, name, function, salted):
    salt = b"saltsalt" if salted else b""
    output = hashlib.new(function, PASSWORD + salt).digest()
    stored = braces(name, output + salt)
    start = len(name) + 2
    tests = text_faults(stored, start)
    bare = stored.rstrip("=")
    if bare != stored:
        tests.append(("no padding", bare, INVALID, "Base64"))
    tests += [
        ("one equals sign more", stored + "=", INVALID, "Base64"),
        ("an equals sign in front", stored.replace("}", "}=", 1), INVALID, "Base64"),
        ("alphabet of URLs", braces(name, b"\xfb\xff" + (output + salt)[2:]).replace("+", "-").replace("/", "_"), INVALID, "Base64"),
        ("output one byte short", braces(name, output[:-1]), INVALID, "Length"),
    ]
    if salted:
        tests.append(("no salt", braces(name, output), INVALID, "Length"))
        tests.append(("1,025 bytes and more", braces(name, output + b"s" * 800), INVALID, "Length"))
    else:
        tests.append(("a salt", braces(name, output + b"salt"), INVALID, "Length"))
        tests.append(("four characters short", stored[:-4], INVALID, "Length"))
        # Hexadecimal is also Base64 of more bytes. Only a salted scheme could read it as a longer
        # salt.
        tests.append(("in hexadecimal", f"{{{name}}}{output.hex()}", INVALID, "Length"))
    if name == "SHA":
        tests += [
            (f"{{{other}}}, which is not verified", braces(other, hashlib.sha384(PASSWORD).digest()), UNSUPPORTED, "Scheme")
            for other in ("SHA224", "SSHA224", "SHA-1", "NTLM", "CLEARTEXT", "PLAIN", "SASL", "")
        ]
        tests += [
            ("in Spring's label, in mixed case", "{ldap}{Sha}" + base64.b64encode(output).decode(), UNSUPPORTED, "Scheme"),
            ("in Spring's label in upper case", "{LDAP}" + stored, UNSUPPORTED, "Scheme"),
            ("another scheme in Spring's label", "{ldap}{SHA256}" + base64.b64encode(hashlib.sha256(PASSWORD).digest()).decode(), UNSUPPORTED, "Scheme"),
            ("Spring's label twice", "{ldap}{ldap}" + stored, UNSUPPORTED, "Scheme"),
            ("the digest alone, in Base64", braces("", output)[2:], UNSUPPORTED, "Scheme"),
            ("the digest alone, in hexadecimal", output.hex(), UNSUPPORTED, "Scheme"),
        ]
    if name == "MD5":
        # {MD5} of Dovecot is md5-crypt, and the encoding applies to its text.
        tests.append(("Dovecot's {MD5.HEX}", "{MD5.HEX}" + output.hex(), UNSUPPORTED, "Scheme"))
        tests.append(("Dovecot's {MD5.B64}", "{MD5.B64}" + base64.b64encode(output).decode(), UNSUPPORTED, "Scheme"))
        tests.append(("Dovecot's {MD5}, a character short", "{MD5}" + libxcrypt.crypt(PASSWORD, "$1$saltsalt")[:-1], INVALID, "Length"))
        tests.append(("Dovecot's {MD5}, of SHA-256", "{MD5}" + libxcrypt.crypt(PASSWORD, "$5$saltsalt"), INVALID, "Structure"))
        tests.append(("Dovecot's {PLAIN-MD4}", "{PLAIN-MD4}" + output.hex(), UNSUPPORTED, "Scheme"))
        tests += hexadecimal("PLAIN-MD5", output)
        tests.append(("the digest alone, in hexadecimal", output.hex(), UNSUPPORTED, "Scheme"))
        tests.append(("the digest alone, in upper-case hexadecimal", output.hex().upper(), UNSUPPORTED, "Scheme"))
    if name == "SHA256":
        tests += hexadecimal("SHA256.HEX", output)
        tests.append(("{SHA384.HEX}, which Dovecot has not", "{SHA384.HEX}" + hashlib.sha384(PASSWORD).hexdigest(), UNSUPPORTED, "Scheme"))
    return scheme, tests


def hexadecimal(name, output):
    text = output.hex()
    within = lambda text: f"{{{name}}}{text}"
    return [
        (f"{{{name}}}, upper-case digits", within(text.upper()), INVALID, "Number"),
        (f"{{{name}}}, one digit short", within(text[:-1]), INVALID, "Length"),
        (f"{{{name}}}, two digits short", within(text[:-2]), INVALID, "Length"),
        (f"{{{name}}}, two digits more", within(text + "00"), INVALID, "Length"),
        (f"{{{name}}}, no digit", within("g" + text[1:]), INVALID, "Number"),
        (f"{{{name}}}, Base64", within(base64.b64encode(output).decode()), INVALID, "Number"),
        (f"{{{name}}}, nothing", within(""), INVALID, "Length"),
        (f"{{{name}}}, in lower case", f"{{{name.lower()}}}{text}", UNSUPPORTED, "Scheme"),
    ]


def pbkdf2(name, function):
    salt = b"0123456789abcdef"
    output = hashlib.pbkdf2_hmac(function, PASSWORD, salt, 10)
    stored = f"{{{name}}}10${ab64(salt)}${ab64(output)}"
    parts = lambda rounds, s=ab64(salt), o=ab64(output): f"{{{name}}}{rounds}${s}${o}"
    others = ("one character short", "a scheme in front of the scheme")
    tests = [fault for fault in text_faults(stored, stored.rindex("$") + 1) if fault[0] not in others]
    tests += [(f"rounds: {what}", parts(text), INVALID, "Number") for what, text in spellings(10)]
    tests += [
        ("rounds by name", parts("i=10"), INVALID, "Structure"),
        ("no rounds", stored.replace("10$", "", 1), INVALID, "Structure"),
        ("no output", stored[: stored.rindex("$")], INVALID, "Structure"),
        ("empty salt", parts(10, ""), INVALID, "Length"),
        ("empty output", parts(10, o=""), INVALID, "Length"),
        ("a dollar sign after the scheme", stored.replace("}", "}$", 1), INVALID, "Structure"),
        ("Dovecot's own form", f"{{{name}}}$1$saltsalt$10${output.hex()}", INVALID, "Structure"),
        ("trailing field", stored + "$" + ab64(output), INVALID, "Structure"),
        ("trailing dollar sign", stored + "$", INVALID, "Structure"),
        ("plus for a point", parts(10, ab64(b"\xfb\xef\xbe" * 6).replace(".", "+")), INVALID, "Base64"),
        ("alphabet of URLs", parts(10, ab64(b"\xff" * 15).replace("/", "_")), INVALID, "Base64"),
        ("padded salt", parts(10, ab64(salt) + "=="), INVALID, "Base64"),
        ("padded output", stored + "=", INVALID, "Base64"),
        ("salt with a bit set beyond its bytes", parts(10, next_character(ab64(salt))), INVALID, "Base64"),
        ("four characters short", stored[:-4], INVALID, "Length"),
        ("output one byte short", parts(10, o=ab64(output[:-1])), INVALID, "Length"),
        ("output one byte more", parts(10, o=ab64(output + b"x")), INVALID, "Length"),
        ("rounds=0", parts(0), INVALID, "Range"),
        ("one round over the ceiling", parts(5_000_001), OVER, "Cost"),
        ("2^32-1 rounds", parts(4_294_967_295), OVER, "Cost"),
    ]
    if name == "PBKDF2":
        tests.append(("{PBKDF2-SHA384}", stored.replace("PBKDF2", "PBKDF2-SHA384"), UNSUPPORTED, "Scheme"))
        tests.append(("{PBKDF2_SHA256}, as 389 Directory Server prints", "{PBKDF2_SHA256}" + "A" * 432, UNSUPPORTED, "Scheme"))
    return tests


def pkcs5s2():
    salt = b"0123456789abcdef"
    output = hashlib.pbkdf2_hmac("sha1", PASSWORD, salt, 10000, 32)
    stored = braces("PKCS5S2", salt + output)
    return text_faults(stored, 9) + [
        ("one byte more", braces("PKCS5S2", salt + output + b"x"), INVALID, "Length"),
        ("four characters short", stored[:-4], INVALID, "Length"),
        ("one byte short", braces("PKCS5S2", salt + output[:-1]), INVALID, "Length"),
        ("one equals sign more", stored + "=", INVALID, "Base64"),
        ("in hexadecimal", "{PKCS5S2}" + (salt + output).hex(), INVALID, "Length"),
        ("rounds in front", stored.replace("}", "}10000$"), INVALID, "Structure"),
        ("scheme in lower case, which nobody prints", stored.lower().replace(stored[9:].lower(), stored[9:]), UNSUPPORTED, "Scheme"),
    ]


def crypt():
    """{CRYPT} is known, so text behind it that names no scheme is an invalid hash."""
    stored = libxcrypt.crypt(PASSWORD, "$6$rounds=1000$saltsalt")
    des = libxcrypt.crypt(PASSWORD, "sa")
    return [
        ("nothing after the scheme", "{CRYPT}", INVALID, "Structure"),
        ("a locked account", "{CRYPT}!" + stored, INVALID, "Structure"),
        ("an account without a password", "{CRYPT}*", INVALID, "Structure"),
        ("{CRYPT} twice", "{CRYPT}{CRYPT}" + stored, INVALID, "Structure"),
        ("{SSHA} within", "{CRYPT}" + braces("SSHA", hashlib.sha1(PASSWORD + b"salt").digest() + b"salt"), INVALID, "Structure"),
        ("space within", "{CRYPT} " + stored, INVALID, "Structure"),
        ("scheme in mixed case", "{Crypt}" + stored, UNSUPPORTED, "Scheme"),
        ("no closing brace", "{CRYPT" + stored, UNSUPPORTED, "Scheme"),
        ("no opening brace", "CRYPT}" + stored, UNSUPPORTED, "Scheme"),
        ("DES, 12 characters", "{CRYPT}" + des[:-1], INVALID, "Structure"),
        ("SHA-512, one character short", "{CRYPT}" + stored[:-1], INVALID, "Length"),
        ("SHA-512, trailing newline", "{CRYPT}" + stored + "\n", INVALID, "Length"),
        ("SHA-512, a leading zero", "{CRYPT}" + stored.replace("=1000", "=01000"), INVALID, "Number"),
        ("SHA-512, rounds one over the ceiling", "{CRYPT}" + stored.replace("=1000", "=1000001"), OVER, "Cost"),
        ("Dovecot's {SHA512-CRYPT}, of SHA-256", "{SHA512-CRYPT}" + libxcrypt.crypt(PASSWORD, "$5$saltsalt"), INVALID, "Structure"),
        ("Dovecot's {BLF-CRYPT}, of SHA-512", "{BLF-CRYPT}" + stored, INVALID, "Structure"),
        ("Dovecot's {BLF-CRYPT}, of crypt_blowfish's own bug", "{BLF-CRYPT}$2x$04$" + "." * 53, UNSUPPORTED, "Scheme"),
        ("bcrypt's first version", "{CRYPT}$2$04$" + "." * 53, UNSUPPORTED, "Scheme"),
        ("gost-yescrypt", "{CRYPT}$gy$j9T$salt$" + "." * 43, UNSUPPORTED, "Scheme"),
        ("a scheme of nobody's", "{CRYPT}$nobody$salt$x", UNSUPPORTED, "Scheme"),
        ("an empty name", "{CRYPT}$$salt$x", INVALID, "Structure"),
    ]


if __name__ == "__main__":
    main()
