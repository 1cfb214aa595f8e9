"""The hostile half of frameworks.json: hashes of the password `saltern`, each with one fault."""

import base64
import hashlib
import hmac

import argon2.low_level
import bcrypt

import family
from family import PASSWORD
from hostile import next_character, spellings

INVALID, UNSUPPORTED, OVER = "invalid_hash", "unsupported_hash", "cost_out_of_bounds"
SALT = b"seasalt"
FUNCTIONS = ("sha1", "sha256", "sha512")


def groups():
    return [
        *[family.hostile("django-pbkdf2", django_pbkdf2(function), name=f"django-pbkdf2-{function}") for function in ("sha256", "sha1")],
        family.hostile("django-argon2", django_argon2()),
        family.hostile("django-bcrypt", django_bcrypt("bcrypt", PASSWORD)),
        family.hostile("django-bcrypt-sha256", django_bcrypt("bcrypt_sha256", hashlib.sha256(PASSWORD).hexdigest().encode())),
        family.hostile("django-scrypt", django_scrypt()),
        family.hostile("django-md5", django_md5()),
        *[family.hostile("passlib-pbkdf2", passlib_pbkdf2(function), name=f"passlib-pbkdf2-{function}") for function in FUNCTIONS],
        family.hostile("passlib-bcrypt-sha256", passlib_bcrypt_sha256()),
        family.hostile("werkzeug-pbkdf2", werkzeug_pbkdf2()),
        family.hostile("werkzeug-scrypt", werkzeug_scrypt()),
        family.hostile("werkzeug-hmac", werkzeug_hmac()),
        family.hostile("spring-bcrypt", spring_bcrypt()),
        family.hostile("spring-pbkdf2", spring_pbkdf2()),
        family.hostile("spring-scrypt", spring_scrypt()),
        family.hostile("spring-argon2", spring_argon2()),
        family.hostile("aspnet-identity-v2", identity_v2()),
        family.hostile("aspnet-identity-v3", identity_v3()),
    ]


def ends(stored):
    """Faults for the strings of every scheme."""
    return [
        ("trailing newline", stored + "\n", INVALID, "Structure"),
        ("trailing space", stored + " ", INVALID, "Structure"),
        ("trailing NUL", stored + "\0", INVALID, "Structure"),
        ("trailing dollar sign", stored + "$", INVALID, "Structure"),
        ("trailing field", stored + "$x", INVALID, "Structure"),
        ("space in front", " " + stored, UNSUPPORTED, "Scheme"),
        ("newline in front", "\n" + stored, UNSUPPORTED, "Scheme"),
        ("quotation marks around", f'"{stored}"', UNSUPPORTED, "Scheme"),
    ]


def numbers(name, number, made):
    return [(f"{name}: {what}", made(text), INVALID, "Number") for what, text in spellings(number)]


def padded_base64(stored):
    """Faults of a last field in padded Base64."""
    head, _, text = stored.rpartition("$")
    bare = text.rstrip("=")
    padding = text[len(bare) :]
    return [
        ("no output", head, INVALID, "Structure"),
        ("empty output", head + "$", INVALID, "Length"),
        ("no padding", f"{head}${bare}", INVALID, "Base64"),
        ("one equals sign more", stored + "=", INVALID, "Base64"),
        ("a bit set beyond the bytes", f"{head}${next_character(bare)}{padding}", INVALID, "Base64"),
        ("space in the output", f"{head}${text[:4]} {text[5:]}", INVALID, "Base64"),
        ("exclamation mark in the output", f"{head}$!{text[1:]}", INVALID, "Base64"),
        ("underscore in the output", f"{head}$_{text[1:]}", INVALID, "Base64"),
        ("non-ASCII in the output, as many bytes", f"{head}$ä{text[2:]}", INVALID, "Base64"),
        ("four characters short", f"{head}${text[4:]}", INVALID, "Length"),
    ]


def hexadecimal(stored):
    """Faults of a last field in hexadecimal."""
    head, _, text = stored.rpartition("$")
    assert text != text.upper()
    return [
        ("no output", head, INVALID, "Structure"),
        ("empty output", head + "$", INVALID, "Length"),
        ("one digit short", stored[:-1], INVALID, "Length"),
        ("two digits short", stored[:-2], INVALID, "Length"),
        ("two digits more", stored + "00", INVALID, "Length"),
        ("upper-case digits", f"{head}${text.upper()}", INVALID, "Number"),
        ("one upper-case digit", f"{head}$A{text[1:]}", INVALID, "Number"),
        ("no digit in the output", f"{head}$g{text[1:]}", INVALID, "Number"),
        ("non-ASCII in the output, as many bytes", f"{head}$ä{text[2:]}", INVALID, "Number"),
        ("full-width digit in the output, as many bytes", f"{head}$１{text[3:]}", INVALID, "Number"),
        ("0x in front of the output", f"{head}$0x{text[2:]}", INVALID, "Number"),
    ]


def django_pbkdf2(function):
    output = hashlib.pbkdf2_hmac(function, PASSWORD, SALT, 10)
    text = base64.b64encode(output).decode()
    made = lambda rounds, salt="seasalt", text=text: f"pbkdf2_{function}${rounds}${salt}${text}"
    stored = made(10)
    other = base64.b64encode(output + b"x").decode()
    return [
        *ends(stored),
        *numbers("iterations", 10, made),
        *padded_base64(stored),
        ("iterations by name", made("i=10"), INVALID, "Structure"),
        ("no iterations", f"pbkdf2_{function}$seasalt${text}", INVALID, "Structure"),
        ("empty salt", made(10, ""), INVALID, "Length"),
        ("output one byte more", made(10, text=other), INVALID, "Length"),
        ("output in hexadecimal", made(10, text=output.hex()), INVALID, "Length"),
        ("iterations=0", made(0), INVALID, "Range"),
        ("name alone", f"pbkdf2_{function}$", INVALID, "Structure"),
        ("name without its dollar sign", f"pbkdf2_{function}", UNSUPPORTED, "Scheme"),
        ("name in upper case", stored.replace("pbkdf2", "PBKDF2"), UNSUPPORTED, "Scheme"),
        ("a dollar sign in front", "$" + stored, UNSUPPORTED, "Scheme"),
        ("hyphen for the underscore", stored.replace("_", "-"), UNSUPPORTED, "Scheme"),
        ("pbkdf2_sha512, which Django has not", stored.replace(function, "sha512", 1), UNSUPPORTED, "Scheme"),
        ("one iteration over the ceiling", made(5_000_001), OVER, "Cost"),
        ("2^32-1 iterations", made(4_294_967_295), OVER, "Cost"),
        # Names of Django for other schemes.
        ("an unusable password", "!" + "a" * 40, UNSUPPORTED, "Scheme"),
        ("unsalted MD5, of Django before 5.1", hashlib.md5(PASSWORD).hexdigest(), UNSUPPORTED, "Scheme"),
        ("salted SHA-1, of Django before 5.1", "sha1$seasalt$" + hashlib.sha1(SALT + PASSWORD).hexdigest(), UNSUPPORTED, "Scheme"),
    ]


def django_argon2():
    inner = argon2.low_level.hash_secret(PASSWORD, b"0123456789abcdef", 1, 64, 1, 32, argon2.low_level.Type.ID).decode()
    stored = "argon2" + inner
    return [
        *ends(stored),
        *[(f"m: {what}", stored.replace("m=64", f"m={text}"), INVALID, "Number") for what, text in spellings(64)],
        ("name alone", "argon2$", INVALID, "Structure"),
        ("name without its dollar sign", "argon2", UNSUPPORTED, "Scheme"),
        ("name in upper case", "ARGON2" + inner, UNSUPPORTED, "Scheme"),
        ("two dollar signs after the name", "argon2$" + inner, INVALID, "Structure"),
        ("name twice", "argon2$" + stored, UNSUPPORTED, "Scheme"),
        ("another scheme within", "argon2$2b$04$" + "a" * 53, INVALID, "Structure"),
        ("no output", stored.rpartition("$")[0], INVALID, "Structure"),
        ("padded output", stored + "=", INVALID, "Base64"),
        ("a bit set beyond the bytes", next_character(stored), INVALID, "Base64"),
        ("t=0", stored.replace("t=1", "t=0"), INVALID, "Range"),
        ("m=4 GiB", stored.replace("m=64", "m=4194304"), OVER, "Cost"),
        ("t=10^6", stored.replace("t=1", "t=1000000"), OVER, "Cost"),
    ]


def django_bcrypt(name, password):
    inner = bcrypt.hashpw(password, b"$2b$04$abcdefghijklmnopqrstuu").decode()
    stored = f"{name}${inner}"
    within = lambda text: f"{name}${text}"
    return [
        *ends(stored),
        ("name alone", name + "$", INVALID, "Structure"),
        ("name without its dollar sign", name, UNSUPPORTED, "Scheme"),
        ("name in upper case", f"{name.upper()}${inner}", UNSUPPORTED, "Scheme"),
        ("one dollar sign", name + inner, INVALID, "Structure"),
        ("three dollar signs", f"{name}$${inner}", INVALID, "Structure"),
        ("name twice", within(stored), INVALID, "Structure"),
        ("another scheme within", within("$1$saltsalt$xxxxxxxxxxxxxxxxxxxxxx"), INVALID, "Structure"),
        ("prefix 2x", within(inner.replace("2b", "2x")), UNSUPPORTED, "Scheme"),
        ("cost +4", within(inner.replace("$04$", "$+4$")), INVALID, "Number"),
        ("cost 4", within(inner.replace("$04$", "$4$")), INVALID, "Number"),
        ("cost 3", within(inner.replace("$04$", "$03$")), INVALID, "Range"),
        ("one character short", stored[:-1], INVALID, "Length"),
        ("one character more", stored + "a", INVALID, "Length"),
        ("non-ASCII in the output, as many bytes", stored[:-2] + "ä", INVALID, "Base64"),
        ("cost 16", within(inner.replace("$04$", "$16$")), OVER, "Cost"),
        ("cost 31", within(inner.replace("$04$", "$31$")), OVER, "Cost"),
    ]


def django_scrypt():
    text = base64.b64encode(hashlib.scrypt(PASSWORD, salt=SALT, n=16, r=8, p=2, dklen=64)).decode()
    made = lambda n=16, r=8, p=2, salt="seasalt": f"scrypt${n}${salt}${r}${p}${text}"
    stored = made()
    return [
        *ends(stored),
        *padded_base64(stored),
        *numbers("N", 16, lambda number: made(n=number)),
        *numbers("r", 8, lambda number: made(r=number)),
        *numbers("p", 2, lambda number: made(p=number)),
        ("name alone", "scrypt$", INVALID, "Structure"),
        ("name without its dollar sign", "scrypt", UNSUPPORTED, "Scheme"),
        ("name in upper case", stored.replace("scrypt", "SCRYPT"), UNSUPPORTED, "Scheme"),
        ("no salt", stored.replace("$seasalt", ""), INVALID, "Structure"),
        ("empty salt", made(salt=""), INVALID, "Length"),
        ("salt in front", f"scrypt$seasalt$16$8$2${text}", INVALID, "Structure"),
        ("N=0", made(n=0), INVALID, "Range"),
        ("N=1", made(n=1), INVALID, "Range"),
        ("N=17, no power of two", made(n=17), INVALID, "Range"),
        ("r=0", made(r=0), INVALID, "Range"),
        ("p=0", made(p=0), INVALID, "Range"),
        ("r times p is 2^30", made(r=32768, p=32768), INVALID, "Range"),
        ("N=2^18: 256 MiB", made(n=2**18), OVER, "Cost"),
        ("N=2^31", made(n=2**31), OVER, "Cost"),
        ("N times r times p over, memory not", made(n=2**17, p=5), OVER, "Cost"),
    ]


def django_md5():
    stored = "md5$seasalt$" + hashlib.md5(SALT + PASSWORD).hexdigest()
    return [
        *ends(stored),
        *hexadecimal(stored),
        ("name alone", "md5$", INVALID, "Structure"),
        ("name without its dollar sign", "md5", UNSUPPORTED, "Scheme"),
        ("name in upper case", stored.replace("md5", "MD5"), UNSUPPORTED, "Scheme"),
        ("no salt", stored.replace("$seasalt", ""), INVALID, "Structure"),
        ("empty salt", stored.replace("seasalt", ""), INVALID, "Length"),
    ]


def passlib_pbkdf2(function):
    salt = b"0123456789abcdef"
    output = hashlib.pbkdf2_hmac(function, PASSWORD, salt, 10)
    ab64 = lambda data: base64.b64encode(data).decode().rstrip("=").replace("+", ".")
    name = "$pbkdf2" + ("" if function == "sha1" else f"-{function}")
    made = lambda rounds, salt=ab64(salt), text=ab64(output): f"{name}${rounds}${salt}${text}"
    stored = made(10)
    other = output + b"x"
    # The content of the field distinguishes a wrong number from `i=…,l=…` of PHC.
    return [
        *[fault for fault in ends(stored) if fault[3] != "Scheme"],
        *numbers("rounds", 10, made),
        ("no output", stored.rpartition("$")[0], INVALID, "Structure"),
        ("empty output", stored.rpartition("$")[0] + "$", INVALID, "Length"),
        ("empty salt", made(10, ""), INVALID, "Length"),
        ("padded salt", made(10, ab64(salt) + "=="), INVALID, "Base64"),
        ("padded output", stored + "=", INVALID, "Base64"),
        ("plus for a point", made(10, "++++////"), INVALID, "Base64"),
        ("alphabet of URLs", made(10, "__________"), INVALID, "Base64"),
        ("salt with a bit set beyond its bytes", made(10, next_character(ab64(salt))), INVALID, "Base64"),
        ("output with a bit set beyond its bytes", next_character(stored), INVALID, "Base64"),
        ("output one byte short", made(10, text=ab64(output[:-1])), INVALID, "Length"),
        ("output one byte more", made(10, text=ab64(other)), INVALID, "Length"),
        ("rounds=0", made(0), INVALID, "Range"),
        ("one round over the ceiling", made(5_000_001), OVER, "Cost"),
        ("2^32-1 rounds", made(4_294_967_295), OVER, "Cost"),
        ("name in upper case", stored.replace("pbkdf2", "PBKDF2"), UNSUPPORTED, "Scheme"),
        *(
            [
                ("cta_pbkdf2_sha1", "$p5k2$a$MDEyMzQ1Njc4OWFiY2RlZg==$aaaaaaaaaaaaaaaaaaaaaaaaaaa=", UNSUPPORTED, "Scheme"),
                # For the other functions, this is the form of @phc/pbkdf2.
                ("rounds by PHC's name, without the length", made("i=10"), INVALID, "Structure"),
                ("pbkdf2-sha1, which passlib spells pbkdf2", stored.replace("pbkdf2", "pbkdf2-sha1"), UNSUPPORTED, "Scheme"),
            ]
            if function == "sha1"
            else []
        ),
    ]


def passlib_bcrypt_sha256():
    inner = bcrypt.hashpw(base64.b64encode(hmac.digest(b"abcdefghijklmnopqrstuu", PASSWORD, "sha256")), b"$2b$04$abcdefghijklmnopqrstuu")
    salt, output = inner[7:29].decode(), inner[29:].decode()
    made = lambda costs="v=2,t=2b,r=4", salt=salt, output=output: f"$bcrypt-sha256${costs}${salt}${output}"
    stored = made()
    numbers_ = lambda name, form: [(f"{name}: {what}", made(form(text)), INVALID, "Number") for what, text in spellings(4)]
    return [
        *[fault for fault in ends(stored) if fault[3] != "Scheme"],
        *numbers_("r", lambda text: f"v=2,t=2b,r={text}"),
        *numbers_("rounds of version 1", lambda text: f"2b,{text}"),
        ("r=3", made("v=2,t=2b,r=3"), INVALID, "Range"),
        ("r=32", made("v=2,t=2b,r=32"), INVALID, "Range"),
        ("r=2^32-1", made("v=2,t=2b,r=4294967295"), INVALID, "Range"),
        ("rounds of version 1: 3", made("2b,3"), INVALID, "Range"),
        ("version 2 with 2a", made("v=2,t=2a,r=4"), INVALID, "Structure"),
        ("version 2 with 2y", made("v=2,t=2y,r=4"), INVALID, "Structure"),
        ("version 1 with 2y", made("2y,4"), INVALID, "Structure"),
        ("version 1 with 2x", made("2x,4"), INVALID, "Structure"),
        ("version 1, written out", made("v=1,t=2b,r=4"), UNSUPPORTED, "Scheme"),
        ("version 3", made("v=3,t=2b,r=4"), UNSUPPORTED, "Scheme"),
        ("another order", made("v=2,r=4,t=2b"), INVALID, "Structure"),
        ("no version", made("t=2b,r=4"), INVALID, "Structure"),
        ("a parameter more", made("v=2,t=2b,r=4,x=1"), INVALID, "Structure"),
        ("no output", stored.rpartition("$")[0], INVALID, "Structure"),
        ("salt and output together", made(salt=salt + output, output="")[:-1], INVALID, "Structure"),
        ("a character of the output in the salt", made(salt=salt + output[0], output=output[1:]), INVALID, "Length"),
        ("a character of the salt in the output", made(salt=salt[:-1], output=salt[-1] + output), INVALID, "Length"),
        ("one character short", stored[:-1], INVALID, "Length"),
        ("one character more", stored + ".", INVALID, "Length"),
        ("salt with a bit set beyond its bytes", made(salt=salt[:-1] + "v"), INVALID, "Base64"),
        ("output with a bit set beyond its bytes", made(output=output[:-1] + ("A" if output[-1] == "." else chr(ord(output[-1]) + 1))), INVALID, "Base64"),
        ("non-ASCII in the output, as many bytes", stored[:-2] + "ä", INVALID, "Base64"),
        ("name in upper case", stored.replace("bcrypt", "BCRYPT"), UNSUPPORTED, "Scheme"),
        ("hyphen for an underscore", stored.replace("bcrypt-sha256", "bcrypt_sha256"), UNSUPPORTED, "Scheme"),
        ("r=16", made("v=2,t=2b,r=16"), OVER, "Cost"),
        ("r=31", made("v=2,t=2b,r=31"), OVER, "Cost"),
        ("rounds of version 1: 16", made("2b,16"), OVER, "Cost"),
    ]


def werkzeug_pbkdf2():
    text = hashlib.pbkdf2_hmac("sha256", PASSWORD, SALT, 10).hex()
    made = lambda rounds, salt="seasalt", function="sha256": f"pbkdf2:{function}:{rounds}${salt}${text}"
    stored = made(10)
    return [
        *ends(stored),
        *hexadecimal(stored),
        *numbers("iterations", 10, made),
        ("no iterations", f"pbkdf2:sha256$seasalt${text}", INVALID, "Structure"),
        ("no function", f"pbkdf2$seasalt${text}", UNSUPPORTED, "Scheme"),
        ("a field more", made("10:1"), INVALID, "Structure"),
        ("empty salt", made(10, ""), INVALID, "Length"),
        ("no salt", f"pbkdf2:sha256:10${text}", INVALID, "Structure"),
        ("function in upper case", made(10, function="SHA256"), UNSUPPORTED, "Scheme"),
        ("function with a hyphen", made(10, function="sha-256"), UNSUPPORTED, "Scheme"),
        ("pbkdf2:sha384", made(10, function="sha384"), UNSUPPORTED, "Scheme"),
        ("pbkdf2:md5", made(10, function="md5"), UNSUPPORTED, "Scheme"),
        ("output of another function", made(10, function="sha512"), INVALID, "Length"),
        ("name in upper case", stored.replace("pbkdf2", "PBKDF2"), UNSUPPORTED, "Scheme"),
        ("iterations=0", made(0), INVALID, "Range"),
        ("one iteration over the ceiling", made(5_000_001), OVER, "Cost"),
        ("2^32-1 iterations", made(4_294_967_295), OVER, "Cost"),
        ("sha1, of Werkzeug before 0.9", "sha1$seasalt$" + "a" * 40, UNSUPPORTED, "Scheme"),
        ("plain, of Werkzeug before 2.3", "plain$$saltern", UNSUPPORTED, "Scheme"),
    ]


def werkzeug_hmac():
    stored = "sha256$seasalt$" + hmac.digest(SALT, PASSWORD, "sha256").hex()
    other = lambda method: f"{method}$seasalt$" + hmac.digest(SALT, PASSWORD, method).hex()
    one_field_more = ("trailing dollar sign", "trailing field")
    # With another number of fields, the form is unknown.
    return [
        *[fault for fault in ends(stored) if fault[0] not in one_field_more],
        *[(comment, hash_, UNSUPPORTED, "Scheme") for comment, hash_, *_ in ends(stored) if comment in one_field_more],
        *[fault for fault in hexadecimal(stored) if fault[0] != "no output"],
        ("no output", stored.rpartition("$")[0], UNSUPPORTED, "Scheme"),
        ("empty salt", stored.replace("seasalt", ""), INVALID, "Length"),
        ("a space in the salt", stored.replace("seasalt", "sea salt"), INVALID, "Structure"),
        ("output of another function", stored.replace("sha256", "sha512"), INVALID, "Length"),
        ("name alone", "sha256$", UNSUPPORTED, "Scheme"),
        ("name without its dollar sign", "sha256", UNSUPPORTED, "Scheme"),
        ("name in upper case", stored.replace("sha256", "SHA256"), UNSUPPORTED, "Scheme"),
        ("SHA-1, which was Django's too", other("sha1"), UNSUPPORTED, "Scheme"),
        ("SHA-384", other("sha384"), UNSUPPORTED, "Scheme"),
        ("the Node package password-hash", f"sha256$seasalt$1${hmac.digest(SALT, PASSWORD, 'sha256').hex()}", UNSUPPORTED, "Scheme"),
    ]


def werkzeug_scrypt():
    text = hashlib.scrypt(PASSWORD, salt=SALT, n=16, r=8, p=2, dklen=64).hex()
    made = lambda n=16, r=8, p=2, salt="seasalt": f"scrypt:{n}:{r}:{p}${salt}${text}"
    stored = made()
    return [
        *ends(stored),
        *hexadecimal(stored),
        *numbers("N", 16, lambda number: made(n=number)),
        *numbers("r", 8, lambda number: made(r=number)),
        *numbers("p", 2, lambda number: made(p=number)),
        ("no p", stored.replace(":2$", "$"), INVALID, "Structure"),
        ("no costs", f"scrypt:$seasalt${text}", INVALID, "Structure"),
        ("a field more", stored.replace(":2$", ":2:1$"), INVALID, "Structure"),
        ("empty salt", made(salt=""), INVALID, "Length"),
        ("name in upper case", stored.replace("scrypt", "SCRYPT"), UNSUPPORTED, "Scheme"),
        ("N=0", made(n=0), INVALID, "Range"),
        ("N=1", made(n=1), INVALID, "Range"),
        ("N=17, no power of two", made(n=17), INVALID, "Range"),
        ("r=0", made(r=0), INVALID, "Range"),
        ("p=0", made(p=0), INVALID, "Range"),
        ("r times p is 2^30", made(r=32768, p=32768), INVALID, "Range"),
        ("N=2^18: 256 MiB", made(n=2**18), OVER, "Cost"),
        ("N=2^31", made(n=2**31), OVER, "Cost"),
        ("N times r times p over, memory not", made(n=2**17, p=5), OVER, "Cost"),
    ]


def braces(stored):
    """Faults of an id in braces."""
    at = stored.index("}")
    kind, rest = stored[1:at], stored[at + 1 :]
    return [
        ("id alone", stored[: at + 1], INVALID, "Structure"),
        ("no closing brace", "{" + kind + rest, UNSUPPORTED, "Scheme"),
        ("no opening brace", stored[1:], UNSUPPORTED, "Scheme"),
        ("two opening braces", "{" + stored, UNSUPPORTED, "Scheme"),
        ("space in front", " " + stored, UNSUPPORTED, "Scheme"),
        ("space after the id", stored.replace("}", "} ", 1), INVALID, "Structure"),
        ("id in upper case", "{" + kind.upper() + "}" + rest, UNSUPPORTED, "Scheme"),
        ("id twice", "{" + kind + "}" + stored, INVALID, "Structure"),
        ("an unknown version", "{" + kind.partition("@")[0] + "@SpringSecurity_v5_9}" + rest, UNSUPPORTED, "Scheme"),
        ("trailing newline", stored + "\n", INVALID, "Structure"),
        ("trailing space", stored + " ", INVALID, "Structure"),
        ("trailing NUL", stored + "\0", INVALID, "Structure"),
    ]


def spring_bcrypt():
    inner = bcrypt.hashpw(PASSWORD, b"$2a$04$abcdefghijklmnopqrstuu").decode()
    stored = "{bcrypt}" + inner
    return [
        *braces(stored),
        ("prefix 2x", stored.replace("2a", "2x"), UNSUPPORTED, "Scheme"),
        ("prefix 2, which Spring takes and does not make", stored.replace("2a", "2"), UNSUPPORTED, "Scheme"),
        ("cost +4", stored.replace("$04$", "$+4$"), INVALID, "Number"),
        ("cost 4", stored.replace("$04$", "$4$"), INVALID, "Number"),
        ("one character short", stored[:-1], INVALID, "Length"),
        ("one character more", stored + "a", INVALID, "Length"),
        ("another scheme within", "{bcrypt}$1$saltsalt$xxxxxxxxxxxxxxxxxxxxxx", INVALID, "Structure"),
        ("cost 16", stored.replace("$04$", "$16$"), OVER, "Cost"),
        ("cost 31", stored.replace("$04$", "$31$"), OVER, "Cost"),
        ("{noop}: the password itself", "{noop}saltern", UNSUPPORTED, "Scheme"),
        ("{noop} and nothing", "{noop}", UNSUPPORTED, "Scheme"),
        ("{MD4}", "{MD4}" + "0" * 32, UNSUPPORTED, "Scheme"),
        ("{SHA-1}", "{SHA-1}" + hashlib.sha1(PASSWORD).hexdigest(), UNSUPPORTED, "Scheme"),
        ("{SHA-256}", "{SHA-256}" + hashlib.sha256(PASSWORD).hexdigest(), UNSUPPORTED, "Scheme"),
        ("{ldap}, of bcrypt", "{ldap}" + inner, UNSUPPORTED, "Scheme"),
        ("{ldap} and nothing", "{ldap}", UNSUPPORTED, "Scheme"),
        ("no id", "{}" + inner, UNSUPPORTED, "Scheme"),
    ]


def spring_pbkdf2():
    salt = b"0123456789abcdef"
    data = salt + hashlib.pbkdf2_hmac("sha256", PASSWORD, salt, 310_000, 32)
    stored = "{pbkdf2@SpringSecurity_v5_8}" + data.hex()
    within = lambda text: "{pbkdf2@SpringSecurity_v5_8}" + text
    text = base64.b64encode(data).decode()
    # The older id: 40 bytes, so two bits of the last Base64 character are spare.
    old = base64.b64encode(data[8:]).decode()
    assert old.endswith("=")
    bare = old.rstrip("=")
    return [
        *braces(stored),
        ("one digit short", stored[:-1], INVALID, "Length"),
        ("two digits short", stored[:-2], INVALID, "Length"),
        ("two digits more", stored + "00", INVALID, "Length"),
        ("upper-case digits", within(data.hex().upper()), INVALID, "Number"),
        ("one upper-case digit", within("A" + data.hex()[1:]), INVALID, "Number"),
        ("no digit", within("g" + data.hex()[1:]), INVALID, "Number"),
        ("non-ASCII, as many bytes", within("ä" + data.hex()[2:]), INVALID, "Number"),
        ("the older id's length", within(data.hex()[16:]), INVALID, "Length"),
        ("the older id with this one's length", "{pbkdf2}" + data.hex(), INVALID, "Length"),
        ("Base64, one character short", within(text[:-1]), INVALID, "Length"),
        ("Base64, exclamation mark", within("!" + text[1:]), INVALID, "Base64"),
        ("Base64, alphabet of URLs", within("_" + text[1:]), INVALID, "Base64"),
        ("Base64, older id, no padding", "{pbkdf2}" + bare, INVALID, "Base64"),
        ("Base64, older id, a bit set beyond the bytes", "{pbkdf2}" + next_character(bare) + "=" * (len(old) - len(bare)), INVALID, "Base64"),
        ("{pbkdf2@SpringSecurity_v5_5}, which is not its name", "{pbkdf2@SpringSecurity_v5_5}" + data.hex(), UNSUPPORTED, "Scheme"),
    ]


def spring_scrypt():
    salt = b"0123456789abcdef"
    output = base64.b64encode(hashlib.scrypt(PASSWORD, salt=salt, n=16, r=8, p=2, dklen=32)).decode()
    salt = base64.b64encode(salt).decode()
    made = lambda costs, salt=salt: "{scrypt@SpringSecurity_v5_8}$" + f"{costs}${salt}${output}"
    stored = made("40802")
    return [
        *braces(stored),
        *padded_base64(stored),
        ("costs: leading zero", made("040802"), INVALID, "Number"),
        ("costs: 0x in front", made("0x40802"), INVALID, "Number"),
        ("costs: leading plus", made("+40802"), INVALID, "Number"),
        ("costs: upper-case digits", made("E0801"), INVALID, "Number"),
        ("costs: no digit", made("4080g"), INVALID, "Number"),
        ("costs: nothing", made(""), INVALID, "Number"),
        ("costs: one more than 64 bits", made("1" + "0" * 11 + "40802"), INVALID, "Number"),
        ("no first dollar sign", stored.replace("}$", "}"), INVALID, "Structure"),
        ("no salt", stored.replace(f"${salt}", ""), INVALID, "Structure"),
        ("empty salt", made("40802", ""), INVALID, "Length"),
        ("salt without padding", made("40802", salt.rstrip("=")), INVALID, "Base64"),
        ("salt with a bit set beyond its bytes", made("40802", next_character(salt.rstrip("=")) + "=="), INVALID, "Base64"),
        ("trailing field", stored + "$x", INVALID, "Structure"),
        ("N=1", made("802"), INVALID, "Range"),
        ("r=0", made("40002"), INVALID, "Range"),
        ("p=0", made("40800"), INVALID, "Range"),
        ("N=2^18: 256 MiB", made("120801"), OVER, "Cost"),
        ("N=2^31", made("1f0801"), OVER, "Cost"),
        ("N times r times p over, memory not", made("110805"), OVER, "Cost"),
    ]


def spring_argon2():
    inner = argon2.low_level.hash_secret(PASSWORD, b"0123456789abcdef", 1, 64, 1, 32, argon2.low_level.Type.ID).decode()
    stored = "{argon2@SpringSecurity_v5_8}" + inner
    return [
        *braces(stored),
        *[(f"m: {what}", stored.replace("m=64", f"m={text}"), INVALID, "Number") for what, text in spellings(64)],
        ("another scheme within", "{argon2}$2b$04$" + "a" * 53, INVALID, "Structure"),
        ("padded output", stored + "=", INVALID, "Base64"),
        ("a bit set beyond the bytes", next_character(stored), INVALID, "Base64"),
        ("m=4 GiB", stored.replace("m=64", "m=4194304"), OVER, "Cost"),
        ("t=10^6", stored.replace("t=1", "t=1000000"), OVER, "Cost"),
    ]


def identity_v2():
    """A hash of Identity v2 has 68 characters of Base64 and no prefix."""
    salt = b"0123456789abcdef"
    data = b"\0" + salt + hashlib.pbkdf2_hmac("sha1", PASSWORD, salt, 1000, 32)
    text = base64.b64encode(data).decode()
    bare = text.rstrip("=")
    return [
        ("no padding", bare, UNSUPPORTED, "Scheme"),
        ("one byte short", base64.b64encode(data[:-1]).decode(), UNSUPPORTED, "Scheme"),
        ("two bytes more", base64.b64encode(data + b"xx").decode(), UNSUPPORTED, "Scheme"),
        ("trailing newline", text + "\n", UNSUPPORTED, "Scheme"),
        ("space in front", " " + text, UNSUPPORTED, "Scheme"),
        ("another marker", base64.b64encode(b"\x02" + data[1:]).decode(), UNSUPPORTED, "Scheme"),
        ("alphabet of URLs", "AA__" + text[4:], UNSUPPORTED, "Scheme"),
        ("non-ASCII, as many bytes", "AAä" + text[4:], UNSUPPORTED, "Scheme"),
        ("in hexadecimal", data.hex(), UNSUPPORTED, "Scheme"),
        ("a bit set beyond the bytes", next_character(bare) + "==", INVALID, "Base64"),
    ]


def identity_v3():
    salt = b"0123456789abcdef"
    output = hashlib.pbkdf2_hmac("sha256", PASSWORD, salt, 10, 32)

    def made(prf=1, iterations=10, salt_bytes=16, salt=salt, output=output, marker=1):
        numbers = b"".join(number.to_bytes(4, "big") for number in (prf, iterations, salt_bytes))
        return base64.b64encode(bytes([marker]) + numbers + salt + output).decode()

    stored = made()
    bare = stored.rstrip("=")
    assert stored.endswith("==")
    return [
        ("no padding", bare, INVALID, "Base64"),
        ("one equals sign more", stored + "=", INVALID, "Base64"),
        ("a bit set beyond the bytes", next_character(bare) + "==", INVALID, "Base64"),
        ("trailing newline", stored + "\n", INVALID, "Base64"),
        ("trailing space", stored + " ", INVALID, "Base64"),
        ("trailing NUL", stored + "\0", INVALID, "Base64"),
        ("exclamation mark", stored[:20] + "!" + stored[21:], INVALID, "Base64"),
        ("alphabet of URLs", stored[:20] + "_" + stored[21:], INVALID, "Base64"),
        ("non-ASCII, as many bytes", stored[:20] + "ä" + stored[22:], INVALID, "Base64"),
        ("space in front", " " + stored, UNSUPPORTED, "Scheme"),
        ("head alone", base64.b64encode(base64.b64decode(stored)[:13]).decode(), INVALID, "Length"),
        ("half a head", stored[:8], INVALID, "Length"),
        ("no output", made(output=b""), INVALID, "Length"),
        ("output of 15 bytes", made(output=output[:15]), INVALID, "Length"),
        ("salt of 15 bytes", made(salt_bytes=15, salt=salt[:15]), INVALID, "Length"),
        ("no salt", made(salt_bytes=0, salt=b""), INVALID, "Length"),
        ("salt longer than what follows", made(salt_bytes=49), INVALID, "Structure"),
        ("salt of 2^32-1 bytes, as its length says", made(salt_bytes=2**32 - 1), INVALID, "Structure"),
        ("salt of 2^31 bytes, as its length says", made(salt_bytes=2**31), INVALID, "Structure"),
        ("iterations=0", made(iterations=0), INVALID, "Range"),
        ("function 3", made(prf=3), UNSUPPORTED, "Scheme"),
        ("function 2^32-1", made(prf=2**32 - 1), UNSUPPORTED, "Scheme"),
        ("marker 2", made(marker=2), UNSUPPORTED, "Scheme"),
        ("in hexadecimal", base64.b64decode(stored).hex(), UNSUPPORTED, "Scheme"),
        ("one iteration over the ceiling", made(iterations=5_000_001), OVER, "Cost"),
        ("2^32-1 iterations", made(iterations=2**32 - 1), OVER, "Cost"),
        ("iterations times blocks over the ceiling", made(prf=2, iterations=2_500_001, output=bytes(65)), OVER, "Cost"),
    ]
