"""The hostile half of frameworks.json: one fault each in a hash that verifies with the password `saltern`."""

import base64
import hashlib

import argon2.low_level
import bcrypt

import family
from family import PASSWORD
from hostile import next_character, spellings

INVALID, UNSUPPORTED, OVER = "invalid_hash", "unsupported_hash", "cost_out_of_bounds"
SALT = b"seasalt"


def groups():
    return [
        *[family.hostile(f"django-pbkdf2-{function}", django_pbkdf2(function)) for function in ("sha256", "sha1")],
        family.hostile("django-argon2", django_argon2()),
        family.hostile("django-bcrypt", django_bcrypt("bcrypt", PASSWORD)),
        family.hostile("django-bcrypt-sha256", django_bcrypt("bcrypt_sha256", hashlib.sha256(PASSWORD).hexdigest().encode())),
        family.hostile("django-scrypt", django_scrypt()),
        family.hostile("django-md5", django_md5()),
        *[family.hostile(f"passlib-pbkdf2-{function}", passlib_pbkdf2(function)) for function in ("sha1", "sha256", "sha512")],
        family.hostile("werkzeug-pbkdf2", werkzeug_pbkdf2()),
        family.hostile("werkzeug-scrypt", werkzeug_scrypt()),
    ]


def ends(stored):
    """Faults that no text of any scheme may have."""
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
        # Django's other names.
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
        ("name twice", "argon2$" + stored, INVALID, "Structure"),
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
    # A wrong number is told from PHC's `i=…,l=…` by what stands in the field.
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
        ("rounds by PHC's name, without the length", made("i=10"), INVALID, "Structure"),
        ("one round over the ceiling", made(5_000_001), OVER, "Cost"),
        ("2^32-1 rounds", made(4_294_967_295), OVER, "Cost"),
        ("name in upper case", stored.replace("pbkdf2", "PBKDF2"), UNSUPPORTED, "Scheme"),
        *(
            [
                ("cta_pbkdf2_sha1", "$p5k2$a$MDEyMzQ1Njc4OWFiY2RlZg==$aaaaaaaaaaaaaaaaaaaaaaaaaaa=", UNSUPPORTED, "Scheme"),
                ("pbkdf2-sha1, which passlib spells pbkdf2", stored.replace("pbkdf2", "pbkdf2-sha1"), UNSUPPORTED, "Scheme"),
            ]
            if function == "sha1"
            else []
        ),
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
