"""wrapped.json: argon2id over the hash of another scheme, and faulty strings of this form.

No other software prints `$saltern-wrap$argon2id$…`. Both layers are made here, after the grammar in
functions/encoded/SCHEMES.md. passlib, hashlib, bcrypt or libxcrypt make the inner hash. argon2-cffi
makes the outer one over the text of the inner hash.
"""

import base64
import hashlib
import hmac
import importlib.metadata

import argon2.low_level
import bcrypt
import passlib
import passlib.hash as ph

import family
import libxcrypt
import vector_file
from family import PASSWORD, drawn

INVALID, UNSUPPORTED, OVER = "invalid_hash", "unsupported_hash", "cost_out_of_bounds"

# Outer costs: the lowest of argon2id, because only the joining of the layers is tested; and the
# default of OWASP.
CHEAP, DEFAULT = "m=64,t=1,p=1", "m=19456,t=2,p=1"
SALT_BYTES, OUTPUT_BYTES = 16, 32

ARGON2_CFFI = "argon2-cffi " + importlib.metadata.version("argon2-cffi")


def main():
    groups = [*made_groups(), single_cases(), family.hostile("wrapped", hostile())]
    notes = family.notes(
        groups,
        InnerOutput="The output of the hash beneath is not all zeros: it would help to guess.",
        Layers="What is beneath cannot be: it is wrapped already, or only a project's secret can print it.",
        Wrapped="argon2id over a hash of the scheme that the group's source names first.",
    )
    vector_file.write(
        "wrapped",
        "argon2id over the stored hash of another scheme, as `saltern wrap` writes it; and what only looks like it.",
        "generators/wrapped.py",
        notes,
        groups,
    )


def wrap(stored, outputless, costs=CHEAP):
    """The composite string: argon2id of the stored text, and that text with zeros as its output."""
    salt = drawn(stored, SALT_BYTES)
    m, t, p = (int(cost.partition("=")[2]) for cost in costs.split(","))
    outer = argon2.low_level.hash_secret(stored.encode(), salt, t, m, p, OUTPUT_BYTES, argon2.low_level.Type.ID)
    return f"$saltern-wrap{outer.decode()}${outputless}"


def zeroed(stored, characters, zero):
    """Replaces the last characters of the text, which are the output, by zeros."""
    return stored[: len(stored) - characters] + zero * characters


def b64(data):
    return base64.b64encode(data).decode()


def inner_schemes():
    """For each scheme its name, its software, and a function of a password.

    The function returns the hash, and the hash without its output.
    """
    passlib_version, hashlib_version = f"passlib {passlib.__version__}", "Python's hashlib"

    def of(handler, characters, zero=".", **settings):
        def both(password):
            stored = handler.using(**settings).hash(password)
            return stored, zeroed(stored, characters, zero)

        return both

    def digest(label, function, salt=b""):
        def both(password):
            output = hashlib.new(function, password + salt).digest()
            return f"{{{label}}}{b64(output + salt)}", f"{{{label}}}{b64(bytes(len(output)) + salt)}"

        return both

    def hexadecimal(head, text):
        def both(password):
            output = text(password)
            return head + output, head + "0" * len(output)

        return both

    def labelled(label, inner):
        return lambda password: tuple(label + text for text in inner(password))

    def bcrypt_of(before, prepare=lambda password: password):
        def both(password):
            stored = before + bcrypt.hashpw(prepare(password), b"$2b$04$abcdefghijklmnopqrstuu").decode()
            return stored, zeroed(stored, 31, ".")

        return both

    def passlib_bcrypt_sha256(password):
        salt = "abcdefghijklmnopqrstuu"
        key = base64.b64encode(hmac.digest(salt.encode(), password, "sha256"))
        output = bcrypt.hashpw(key, f"$2b$04${salt}".encode()).decode()[-31:]
        stored = f"$bcrypt-sha256$v=2,t=2b,r=4${salt}${output}"
        return stored, zeroed(stored, 31, ".")

    def argon2id(password):
        stored = argon2.low_level.hash_secret(password, b"inner salt", 1, 8, 1, 32, argon2.low_level.Type.ID).decode()
        return stored, zeroed(stored, 43, "A")

    def spring_sha256(password):
        salt = b"8 bytes."
        output = hashlib.sha256(salt + password).digest()
        for _ in range(1023):
            output = hashlib.sha256(output).digest()
        return "{sha256}" + (salt + output).hex(), "{sha256}" + (salt + bytes(32)).hex()

    def drupal_updated(password):
        stored = "U" + ph.phpass.using(rounds=7, salt="saltsalt").hash(hashlib.md5(password).hexdigest())
        return stored, zeroed(stored, 22, ".")

    def yescrypt(password):
        stored = libxcrypt.crypt(password, "$y$j75$saltsaltsalt")
        return stored, zeroed(stored, 43, ".")

    sha512 = of(ph.sha512_crypt, 86, rounds=1000, salt="saltsalt")
    return [
        ("ldap-sha", hashlib_version, digest("SHA", "sha1")),
        ("ldap-md5", hashlib_version, digest("MD5", "md5")),
        ("ldap-ssha", hashlib_version, digest("SSHA", "sha1", b"saltsalt")),
        ("ldap-ssha512", hashlib_version, digest("SSHA512", "sha512", b"a salt of 16 b.!")),
        ("ldap-smd5 in lower case", hashlib_version, digest("smd5", "md5", b"salt")),
        ("django-md5", hashlib_version, hexadecimal("md5$saltsalt$", lambda p: hashlib.md5(b"saltsalt" + p).hexdigest())),
        ("django-unsalted-sha1", hashlib_version, hexadecimal("sha1$$", lambda p: hashlib.sha1(p).hexdigest())),
        ("spring-md5", hashlib_version, hexadecimal("{MD5}{salt}", lambda p: hashlib.md5(p + b"{salt}").hexdigest())),
        ("spring-sha256", hashlib_version, spring_sha256),
        ("ldap-md5 in hexadecimal", hashlib_version, hexadecimal("{PLAIN-MD5}", lambda p: hashlib.md5(p).hexdigest())),
        ("werkzeug-hmac", hashlib_version, hexadecimal("sha256$saltsalt$", lambda p: hmac.digest(b"saltsalt", p, "sha256").hex())),
        ("des-crypt", passlib_version, of(ph.des_crypt, 11, salt="sa")),
        ("des-crypt behind {CRYPT}", passlib_version, labelled("{CRYPT}", of(ph.des_crypt, 11, salt="ab"))),
        ("md5-crypt", passlib_version, of(ph.md5_crypt, 22, salt="saltsalt")),
        ("apr1", passlib_version, of(ph.apr_md5_crypt, 22, salt="saltsalt")),
        ("phpass", passlib_version, of(ph.phpass, 22, rounds=7, salt="saltsalt")),
        ("drupal7-updated", passlib_version, drupal_updated),
        ("sha256-crypt", passlib_version, of(ph.sha256_crypt, 43, rounds=1000, salt="saltsalt")),
        ("sha512-crypt behind {CRYPT}", passlib_version, labelled("{CRYPT}", sha512)),
        ("passlib-pbkdf2", passlib_version, of(ph.pbkdf2_sha256, 43, "A", rounds=10, salt=b"inner salt")),
        ("bcrypt", f"bcrypt {bcrypt.__version__}", bcrypt_of("")),
        ("django-bcrypt-sha256", f"bcrypt {bcrypt.__version__}", bcrypt_of("bcrypt_sha256$", lambda p: hashlib.sha256(p).hexdigest().encode())),
        ("passlib-bcrypt-sha256", f"bcrypt {bcrypt.__version__}", passlib_bcrypt_sha256),
        ("argon2", ARGON2_CFFI, argon2id),
        ("yescrypt", family.debian("libcrypt1"), yescrypt),
    ]


def made_groups():
    groups = []
    for name, version, both in inner_schemes():
        hashes = [wrap(*both(password)) for _, password in family.PASSWORDS]
        reads = family.DES_BYTES if name.startswith("des-crypt") else None
        group = family.made("wrapped", f"{name}, wrapped", f"{version}; {ARGON2_CFFI}", hashes, ["Wrapped"], reads=reads)
        # The input of argon2id is the stored text, not a password.
        stored = both(family.PASSWORDS[0][1])[0]
        group["tests"].append(family.test("the hash beneath for a password", stored.encode(), hashes[0], "mismatch", ["Wrapped"]))
        groups.append(group)
    return groups


def sha(password):
    output = hashlib.sha1(password).digest()
    return "{SHA}" + b64(output), "{SHA}" + b64(bytes(20))


def single_cases():
    ssha = lambda salt: ("{SSHA}" + b64(hashlib.sha1(PASSWORD + salt).digest() + salt), "{SSHA}" + b64(bytes(20) + salt))
    md5 = ph.md5_crypt.using(salt="saltsalt").hash
    wrapped = lambda password: wrap(md5(password), zeroed(md5(password), 22, "."))
    long = family.ascii_of(1024)
    tests = [
        family.test("costs of OWASP outside", PASSWORD, wrap(*sha(PASSWORD), DEFAULT), flags=["DefaultCost"]),
        family.test("costs of OWASP outside, wrong password", b"Saltern", wrap(*sha(PASSWORD), DEFAULT), "mismatch", ["DefaultCost"]),
        family.test("16 lanes outside", PASSWORD, wrap(*sha(PASSWORD), "m=128,t=1,p=16"), flags=["AtCeiling"]),
        family.test("empty password", b"", wrap(*sha(b""))),
        family.test("empty password, wrong", b"x", wrap(*sha(b"")), "mismatch"),
        family.test("1,024 bytes", long, wrap(*sha(long)), flags=["LongPassword"]),
        family.test("1,023 of 1,024 bytes", long[:-1], wrap(*sha(long)), "mismatch", ["LongPassword"]),
        family.test("salt of 1 byte beneath", PASSWORD, wrap(*ssha(b"s")), flags=["SaltLength"]),
        family.test("salt of 64 bytes beneath", PASSWORD, wrap(*ssha(drawn("salt", 64))), flags=["SaltLength"]),
        family.test("a NUL in the password where software on C strings stopped", PASSWORD + b"\0more", wrapped(PASSWORD), flags=["Nul"]),
        family.test("a NUL in the password where software went on", PASSWORD + b"\0more", wrap(*sha(PASSWORD)), "mismatch", ["Nul"]),
    ]
    return family.group("wrapped", "ldap-ssha, ldap-sha, md5-crypt: single cases", f"Python's hashlib; passlib {passlib.__version__}; {ARGON2_CFFI}", tests)


def hostile():
    stored, beneath = sha(PASSWORD)
    right = wrap(stored, beneath)
    outer, _, _ = right.rpartition("$")
    fields = outer.split("$")
    with_field = lambda at, text: "$".join([*fields[:at], text, *fields[at + 1 :], beneath])
    with_costs = lambda costs: with_field(4, costs)
    over = lambda inner: f"{outer}${inner}"
    md5 = "$1$saltsalt$"
    bcrypt_zero = "$2b$04$abcdefghijklmnopqrstuu" + "." * 31
    return [
        ("name alone", "$saltern-wrap", UNSUPPORTED, "Scheme"),
        ("name and a dollar sign", "$saltern-wrap$", INVALID, "Structure"),
        ("name in upper case", right.replace("saltern", "SALTERN"), UNSUPPORTED, "Scheme"),
        ("another name", right.replace("wrap", "wrap2"), UNSUPPORTED, "Scheme"),
        ("no dollar sign before", right[1:], UNSUPPORTED, "Scheme"),
        ("two dollar signs before", "$" + right, UNSUPPORTED, "Scheme"),
        ("two dollar signs behind the name", right.replace("wrap$", "wrap$$"), INVALID, "Structure"),
        ("space before", " " + right, UNSUPPORTED, "Scheme"),
        ("behind {CRYPT}", "{CRYPT}" + right, INVALID, "Structure"),
        ("behind {argon2}", "{argon2}" + right, INVALID, "Structure"),
        ("behind Django's name for Argon2", "argon2" + right, INVALID, "Structure"),
        ("nothing beneath", outer, INVALID, "Structure"),
        ("nothing beneath, and a dollar sign", outer + "$", UNSUPPORTED, "Scheme"),
        ("two dollar signs between the layers", over("$" + beneath), UNSUPPORTED, "Scheme"),
        ("no output outside", "$".join([*fields[:-1], beneath]), INVALID, "Structure"),
        ("argon2i outside", with_field(2, "argon2i"), INVALID, "Structure"),
        ("argon2d outside", with_field(2, "argon2d"), INVALID, "Structure"),
        ("bcrypt outside", "$saltern-wrap" + bcrypt_zero + "$" + beneath, INVALID, "Structure"),
        ("version 16 outside", with_field(3, "v=16"), INVALID, "Structure"),
        ("an unknown version outside", with_field(3, "v=20"), UNSUPPORTED, "Scheme"),
        ("no version outside", "$".join([*fields[:3], *fields[4:], beneath]), INVALID, "Structure"),
        ("m, p, t outside", with_costs("m=64,p=1,t=1"), INVALID, "Structure"),
        ("a cost missing outside", with_costs("m=64,t=1"), INVALID, "Structure"),
        ("a leading zero outside", with_costs("m=064,t=1,p=1"), INVALID, "Number"),
        ("memory of 7 KiB outside", with_costs("m=7,t=1,p=1"), INVALID, "Range"),
        ("no passes outside", with_costs("m=64,t=0,p=1"), INVALID, "Range"),
        ("a key outside", with_costs("m=64,t=1,p=1,keyid=YQ"), UNSUPPORTED, "Scheme"),
        ("salt of 15 bytes outside", with_field(5, b64(bytes(15))), INVALID, "Length"),
        ("salt of 17 bytes outside", with_field(5, b64(bytes(17)).rstrip("=")), INVALID, "Length"),
        ("output of 31 bytes outside", with_field(6, b64(bytes(31)).rstrip("=")), INVALID, "Length"),
        ("output of 33 bytes outside", with_field(6, b64(bytes(33))), INVALID, "Length"),
        ("padded output outside", with_field(6, fields[6] + "="), INVALID, "Base64"),
        ("the last character of the output with a spare bit set", with_field(6, "A" * 42 + "B"), INVALID, "Base64"),
        ("the output that was wrapped beneath", over(stored), INVALID, "InnerOutput"),
        ("one bit of an output beneath", over("{SHA}" + b64(bytes(19) + b"\1")), INVALID, "InnerOutput"),
        ("one bit of an output beneath, of bcrypt", over(bcrypt_zero[:-1] + "C"), INVALID, "InnerOutput"),
        ("one bit of an output beneath, in hexadecimal", over("md5$salt$" + "0" * 31 + "1"), INVALID, "InnerOutput"),
        ("a wrapped hash beneath", over(right), INVALID, "Layers"),
        ("a wrapped hash of zeros beneath", over(outer.rpartition("$")[0] + "$" + "A" * 43 + "$" + beneath), INVALID, "Layers"),
        ("four layers", over("$".join([outer, outer, right])), INVALID, "Layers"),
        ("Firebase beneath", over(f"$fbscrypt$v=1,n=14,r=8,p=1$c2FsdA==${b64(bytes(64))}"), INVALID, "Layers"),
        ("a bare digest beneath", over("0" * 40), UNSUPPORTED, "Scheme"),
        ("plain text beneath", over("saltern"), UNSUPPORTED, "Scheme"),
        ("{noop} beneath", over("{noop}saltern"), UNSUPPORTED, "Scheme"),
        ("$2x$ beneath", over(bcrypt_zero.replace("2b", "2x")), UNSUPPORTED, "Scheme"),
        ("an output cut short beneath", over(md5 + "." * 21), INVALID, "Length"),
        ("no output beneath", over(md5), INVALID, "Length"),
        ("a salt too long beneath", over("$1$saltsaltx$" + "." * 22), INVALID, "Length"),
        ("a label in mixed case beneath", over("{Sha}" + b64(bytes(20))), UNSUPPORTED, "Scheme"),
        ("trailing newline", right + "\n", INVALID, "Base64"),
        ("trailing space", right + " ", INVALID, "Base64"),
        ("trailing NUL", right + "\0", INVALID, "Base64"),
        ("trailing dollar sign", right + "$", INVALID, "Structure"),
        ("over 1,024 bytes", over("{SSHA}" + b64(bytes(20) + drawn("salt", 700))), INVALID, "Length"),
        ("memory over the ceiling outside", with_costs("m=262145,t=1,p=1"), OVER, "Cost"),
        ("passes over the ceiling outside", with_costs("m=64,t=16385,p=1"), OVER, "Cost"),
        ("17 lanes outside", with_costs("m=136,t=1,p=17"), OVER, "Cost"),
        ("2^32-1 for each outside", with_costs("m=4294967295,t=4294967295,p=1"), OVER, "Cost"),
        ("bcrypt over the ceiling beneath", over(bcrypt_zero.replace("$04$", "$16$")), OVER, "Cost"),
        ("bcrypt cost 31 beneath", over(bcrypt_zero.replace("$04$", "$31$")), OVER, "Cost"),
        ("rounds over the ceiling beneath", over("$6$rounds=1000001$salt$" + "." * 86), OVER, "Cost"),
        ("PBKDF2 over the ceiling beneath", over("$pbkdf2-sha256$5000001$c2FsdHNhbHQ$" + "A" * 43), OVER, "Cost"),
        ("1 GiB of Argon2 beneath", over("$argon2id$v=19$m=1048576,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$" + "A" * 43), OVER, "Cost"),
        ("256 MiB of scrypt beneath", over("$scrypt$ln=18,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$" + "A" * 43), OVER, "Cost"),
    ]


if __name__ == "__main__":
    main()
