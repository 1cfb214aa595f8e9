"""hostile.json: strings that a parser must reject, each with one fault, and too high costs.

Every string is made from a hash of the password `saltern`. If a parser misses the fault, the answer
is a match, or the computation takes minutes, and the test fails. The list of spellings of a number
is from CCTV, for scrypt in age.
"""

import base64
import hashlib

import argon2.low_level
import bcrypt

import vector_file

PASSWORD = b"saltern"
SALT = b"0123456789abcdef"

# The longest stored hash in bytes (HTTP contract).
MAX_ENCODED_BYTES = 1024


def main():
    notes = {
        "AtCeiling": "Exactly at a ceiling, which still passes.",
        "Base64": "Not the canonical Base64 of any bytes.",
        "Cost": "Parses, and costs more than the shipped ceilings allow: refused before any work.",
        "KeyOrData": "Argon2 with `keyid` or `data`: the output depends on what the string does not hold.",
        "Length": "A salt, an output or the whole string is too short or too long.",
        "Number": "A number in a spelling other than its canonical one.",
        "Range": "A number in its canonical spelling that the scheme does not allow.",
        "Scheme": "No scheme that is verified here.",
        "Structure": "A field is missing, added, twice or in another place.",
    }
    vector_file.write(
        "hostile",
        "Stored hashes that are no hashes, and hashes that cost too much. Bytes that are no UTF-8 cannot stand in JSON, nor "
        "in the `&str` that the parser takes: the HTTP contract refuses them a layer earlier.",
        "generators/hostile.py",
        notes,
        [
            group("General", general()),
            group("bcrypt", bcrypt_()),
            group("Argon2", argon2_()),
            group("PBKDF2", pbkdf2()),
            group("scrypt", scrypt()),
        ],
    )


def general():
    unsupported = [
        ("empty", ""),
        ("one dollar sign", "$"),
        ("two dollar signs", "$$"),
        ("three dollar signs", "$$$"),
        ("$2", "$2"),
        ("$2 and a dollar sign", "$2$"),
        ("$2b without its dollar sign", "$2b"),
        ("$argon2id without its dollar sign", "$argon2id"),
        ("a word", "saltern"),
        ("the password's own hex", PASSWORD.hex()),
        ("a locked account", "*0"),
        ("a disabled account", "!"),
        ("non-ASCII without dollar signs", "häsh"),
        ("non-ASCII scheme", "$2ｂ$04$"),
        ("a NUL", "\0"),
        ("LDAP scheme", "{BCRYPT}" + bcrypt_hash()),
        ("scheme in upper case", argon2_hash().replace("argon2id", "ARGON2ID")),
        ("leading space", " " + argon2_hash()),
        ("leading newline", "\n" + argon2_hash()),
        ("leading byte order mark", "\ufeff" + argon2_hash()),
        ("a user name in front, as htpasswd prints", "user:" + bcrypt_hash()),
        ("a percent-encoded dollar sign", "%242b%2404%24" + bcrypt_hash()[7:]),
        ("a space for the scheme", "$ $" + argon2_hash()[10:]),
        ("argon2 without its variant", argon2_hash().replace("argon2id", "argon2")),
        ("argon2 with an unknown variant", argon2_hash().replace("argon2id", "argon2ds")),
        ("pbkdf2-sha384", pbkdf2_hash().replace("sha256", "sha384")),
    ]
    too_long = "$2b$" + "a" * (MAX_ENCODED_BYTES + 1 - 4)
    return [test(comment, stored, "unsupported_hash", "Scheme") for comment, stored in unsupported] + [
        test("1,025 bytes that begin as bcrypt", too_long, "invalid_hash", "Length"),
        test("1,025 bytes of nothing", "a" * (MAX_ENCODED_BYTES + 1), "invalid_hash", "Length"),
        test("1,025 bytes in fewer characters", "ä" * (MAX_ENCODED_BYTES // 2) + "a", "invalid_hash", "Length"),
    ]


# Spellings of a number that are not canonical, by fault.
def spellings(number):
    fullwidth = "".join(chr(ord(digit) - ord("0") + ord("０")) for digit in str(number))
    return [
        ("leading plus", f"+{number}"),
        ("leading minus", f"-{number}"),
        ("leading zero", f"0{number}"),
        ("hexadecimal", hex(number)),
        ("octal with a prefix", oct(number)),
        ("exponent", f"{number}e0"),
        ("fraction", f"{number}.0"),
        ("separator", f"{number}_0"),
        ("leading space", f" {number}"),
        ("trailing space", f"{number} "),
        ("trailing letter", f"{number}k"),
        ("full-width digits", fullwidth),
        ("nothing", ""),
        ("one more than 32 bits", str(2**32 + number)),
        ("one more than 64 bits", str(2**64 + number)),
        ("twenty digits", "9" * 20),
    ]


def numbers(stored, fields):
    """Each field in each wrong spelling: `fields` are (name, number)."""
    tests = []
    for name, number in fields:
        before, after = f"{name}={number}", f"{name}={{}}"
        # Another field's name may end with this name, so the pattern includes the `$` or `,` before
        # it.
        mark = "$" if f"${before}" in stored else ","
        for what, spelling in spellings(number):
            changed = stored.replace(mark + before, mark + after.format(spelling), 1)
            tests.append(test(f"{name}: {what}", changed, "invalid_hash", "Number"))
    return tests


def texts(stored):
    """Faults of the two last fields of a PHC string."""
    head, salt, output = stored.rsplit("$", 2)
    join = "$".join
    wrong = [
        ("no salt and no output", head, "Structure"),
        ("no output", join([head, salt]), "Structure"),
        ("empty output", join([head, salt, ""]), "Length"),
        ("empty salt", join([head, "", output]), "Length"),
        ("salt of 7 bytes", join([head, b64(SALT[:7]), output]), "Length"),
        ("trailing dollar sign", stored + "$", "Structure"),
        ("trailing field", stored + "$" + output, "Structure"),
        ("trailing newline", stored + "\n", "Base64"),
        ("trailing NUL", stored + "\0", "Base64"),
        ("padded salt", join([head, salt + "==", output]), "Base64"),
        ("padded output", stored + "=", "Base64"),
        ("salt of another alphabet", join([head, b64(b"\xff" * 16).replace("/", "_"), output]), "Base64"),
        ("a space in the salt", join([head, salt[:4] + " " + salt[5:], output]), "Base64"),
        ("non-ASCII in the salt", join([head, "ä" + salt[2:], output]), "Base64"),
        ("non-ASCII in the output", join([head, salt, "ä" + output[2:]]), "Base64"),
        ("salt with a bit set beyond its bytes", join([head, next_character(salt), output]), "Base64"),
        ("output with a bit set beyond its bytes", join([head, salt, next_character(output)]), "Base64"),
        ("salt of 4n + 1 characters", join([head, salt + "AAA", output]), "Base64"),
        ("output of 4n + 1 characters", join([head, salt, output + "AA"]), "Base64"),
    ]
    assert len(salt + "AAA") % 4 == 1 and len(output + "AA") % 4 == 1
    return [test(comment, changed, "invalid_hash", flag) for comment, changed, flag in wrong]


def bcrypt_():
    stored = bcrypt_hash()
    head, rest = stored[:7], stored[7:]
    with_cost = lambda cost: f"$2b${cost}${rest}"
    costs = [(what, text, "Number") for what, text in spellings(4) if what not in ("leading zero",)]
    costs += [("one digit", "4", "Number"), ("three digits", "004", "Number"), ("Arabic-Indic digits", "٠٤", "Number")]
    costs += [("3", "03", "Range"), ("0", "00", "Range"), ("32", "32", "Range"), ("99", "99", "Range")]
    tests = [test(f"cost: {what}", with_cost(text), "invalid_hash", flag) for what, text, flag in costs]
    tests += [test(f"cost {cost}", with_cost(cost), "cost_out_of_bounds", "Cost") for cost in (16, 20, 31)]
    wrong = [
        ("nothing after the cost", head, "Length"),
        ("no cost", "$2b$" + rest, "Structure"),
        ("no dollar sign after the cost", "$2b$04" + rest, "Structure"),
        ("two dollar signs after the cost", head + "$" + rest[1:], "Base64"),
        ("salt alone", head + rest[:22], "Length"),
        ("one character short", stored[:-1], "Length"),
        ("one character more", stored + "a", "Length"),
        ("trailing newline", stored + "\n", "Length"),
        ("trailing NUL", stored + "\0", "Length"),
        ("trailing dollar sign", stored + "$", "Length"),
        ("a dollar sign between salt and output", head + rest[:22] + "$" + rest[22:], "Length"),
        ("a dollar sign in the salt's place", head + rest[:21] + "$" + rest[22:], "Base64"),
        ("exclamation mark in the salt", head + "!" + rest[1:], "Base64"),
        ("plus, of the standard alphabet, in the salt", head + "+" + rest[1:], "Base64"),
        ("equals sign at the end", stored[:-1] + "=", "Base64"),
        ("non-ASCII in the salt, as many bytes", head + "ä" + rest[2:], "Base64"),
        ("non-ASCII across salt and output, as many bytes", head + rest[:21] + "ä" + rest[23:], "Base64"),
        ("non-ASCII in the output, as many bytes", stored[:-2] + "ä", "Base64"),
        ("space in the output", stored[:-1] + " ", "Base64"),
        ("output with a bit set beyond its bytes", next_character(stored, BCRYPT_ALPHABET), "Base64"),
        ("lower-case hexadecimal cost", with_cost("0a"), "Number"),
    ]
    tests += [test(comment, changed, "invalid_hash", flag) for comment, changed, flag in wrong]
    for prefix in ("2", "2x", "2c", "2B", "3b", "2bb"):
        tests.append(test(f"prefix {prefix}", f"${prefix}$04${rest}", "unsupported_hash", "Scheme"))
    return tests


def argon2_():
    stored = argon2_hash()
    head, salt, output = stored.rsplit("$", 2)
    costs = lambda text: f"$argon2id$v=19${text}${salt}${output}"
    tests = numbers(stored, [("m", 64), ("t", 1), ("p", 1)]) + texts(stored)
    tests += [
        test(f"v: {what}", stored.replace("v=19", f"v={text}"), "invalid_hash", "Number")
        for what, text in spellings(19)
    ]
    tests += [
        test(f"version {version}", stored.replace("v=19", f"v={version}"), "unsupported_hash", "Scheme")
        for version in (0, 1, 13, 17, 18, 20, 4294967295)
    ]
    ranges = [
        ("m=0", "m=0,t=1,p=1"),
        ("m=7, one under 8", "m=7,t=1,p=1"),
        ("m=15 for two lanes", "m=15,t=1,p=2"),
        ("t=0", "m=64,t=0,p=1"),
        ("p=0", "m=64,t=1,p=0"),
        ("p=2^24", "m=4294967295,t=1,p=16777216"),
        ("p=2^29, whose eightfold is 0 in 32 bits", "m=64,t=1,p=536870912"),
        ("p=2^32-1", "m=4294967295,t=1,p=4294967295"),
    ]
    tests += [test(comment, costs(text), "invalid_hash", "Range") for comment, text in ranges]
    structures = [
        ("order p, m, t", "p=1,m=64,t=1"),
        ("order t, p, m", "t=1,p=1,m=64"),
        ("order p, t, m", "p=1,t=1,m=64"),
        ("m missing", "t=1,p=1"),
        ("t missing", "m=64,p=1"),
        ("p missing", "m=64,t=1"),
        ("m twice", "m=64,m=64,t=1,p=1"),
        ("p twice", "m=64,t=1,p=1,p=1"),
        ("unknown parameter", "m=64,t=1,p=1,l=32"),
        ("trailing comma", "m=64,t=1,p=1,"),
        ("leading comma", ",m=64,t=1,p=1"),
        ("semicolons", "m=64;t=1;p=1"),
        ("upper case", "M=64,T=1,P=1"),
        ("space after a comma", "m=64, t=1,p=1"),
        ("no costs", ""),
        ("colon for an equals sign", "m:64,t=1,p=1"),
    ]
    tests += [test(comment, costs(text), "invalid_hash", "Structure") for comment, text in structures]
    tests += [
        test("argon2id without v=", stored.replace("$v=19", ""), "invalid_hash", "Structure"),
        test("v= after the costs", f"$argon2id$m=64,t=1,p=1$v=19${salt}${output}", "invalid_hash", "Structure"),
        test("v= twice", stored.replace("v=19", "v=19$v=19"), "invalid_hash", "Structure"),
        test("v= among the costs", f"$argon2id$v=19,m=64,t=1,p=1${salt}${output}", "invalid_hash", "Structure"),
        test("output of 3 bytes", f"{head}${salt}${b64(b'abc')}", "invalid_hash", "Length"),
        test("keyid", costs("m=64,t=1,p=1,keyid=Hj5+dsK0"), "unsupported_hash", "KeyOrData"),
        test("data", costs("m=64,t=1,p=1,data=sRlHhRmKUGzdOmXn01XmXygd5Kc"), "unsupported_hash", "KeyOrData"),
        test(
            "keyid and data",
            costs("m=64,t=1,p=1,keyid=Hj5+dsK0,data=sRlHhRmKUGzdOmXn01XmXygd5Kc"),
            "unsupported_hash",
            "KeyOrData",
        ),
        test("data after m, p, t, as Node prints it", costs("m=64,p=1,t=1,data=AAAA"), "unsupported_hash", "KeyOrData"),
    ]
    over = [
        ("m=4 GiB", "m=4194304,t=1,p=1"),
        ("m=2^32-1", "m=4294967295,t=1,p=1"),
        ("m one over its ceiling", "m=262145,t=1,p=1"),
        ("t=10^6", "m=64,t=1000000,p=1"),
        ("t=2^32-1", "m=8,t=4294967295,p=1"),
        ("m and t=2^32-1", "m=4294967295,t=4294967295,p=1"),
        ("m times t over its ceiling, neither over its own", "m=262144,t=5,p=1"),
        ("t one over for 8 KiB", "m=8,t=131073,p=1"),
        ("p=17", "m=136,t=1,p=17"),
        ("p=2^24-1", "m=134217720,t=1,p=16777215"),
    ]
    tests += [test(comment, costs(text), "cost_out_of_bounds", "Cost") for comment, text in over]
    tests.append(test("p=16", argon2_hash(m=128, p=16), "match", "AtCeiling"))
    longest = argon2_hash(salt=b"s" * 360, length=386)
    tests.append(test("1,024 bytes", longest, "match", "AtCeiling"))
    assert len(longest) == MAX_ENCODED_BYTES, len(longest)
    tests.append(test("1,025 bytes", argon2_hash(salt=b"s" * 360, length=387), "invalid_hash", "Length"))
    return tests


def pbkdf2():
    stored = pbkdf2_hash()
    tests = numbers(stored, [("i", 1000), ("l", 32)]) + texts(stored)
    _, salt, output = stored.rsplit("$", 2)
    costs = lambda text: f"$pbkdf2-sha256${text}${salt}${output}"
    structures = [
        ("order l, i", "l=32,i=1000"),
        ("i missing", "l=32"),
        ("i twice", "i=1000,i=1000,l=32"),
        ("l twice", "i=1000,l=32,l=32"),
        ("unknown parameter", "i=1000,l=32,x=1"),
        ("version", "v=1,i=1000,l=32"),
        ("trailing comma", "i=1000,l=32,"),
        ("no costs", ""),
    ]
    tests += [test(comment, costs(text), "invalid_hash", "Structure") for comment, text in structures]
    sha1 = stored.replace("-sha256", "-sha1")
    tests.append(test("pbkdf2-sha1 with a length, which is spelt pbkdf2", sha1, "invalid_hash", "Structure"))
    ranges = [("i=0", "i=0,l=32"), ("l=0", "i=1000,l=0"), ("l=31 of 32", "i=1000,l=31"), ("l=33 of 32", "i=1000,l=33")]
    tests += [test(comment, costs(text), "invalid_hash", "Range") for comment, text in ranges]
    short = f"$pbkdf2-sha256$i=1000,l=9${salt}${b64(hashlib.pbkdf2_hmac('sha256', PASSWORD, SALT, 1000, 9))}"
    tests.append(test("output of 9 bytes", short, "invalid_hash", "Length"))
    over = [("i=10^9", 1_000_000_000), ("i=2^32-1", 4_294_967_295), ("i one over its ceiling", 5_000_001)]
    tests += [test(comment, costs(f"i={i},l=32"), "cost_out_of_bounds", "Cost") for comment, i in over]
    for scheme, length, i in (("pbkdf2-sha512", 65, 2_500_001), ("pbkdf2-sha256", 33, 2_500_001), ("pbkdf2", 41, 1_666_667)):
        blocks = f"${scheme}$i={i},l={length}${salt}${b64(bytes(length))}"
        tests.append(test(f"{scheme}: iterations times blocks over the ceiling", blocks, "cost_out_of_bounds", "Cost"))
    return tests


def scrypt():
    stored = scrypt_hash(4, 8, 1)
    tests = numbers(stored, [("ln", 4), ("r", 8), ("p", 1)]) + texts(stored)
    _, salt, output = stored.rsplit("$", 2)
    costs = lambda text: f"$scrypt${text}${salt}${output}"
    structures = [
        ("order r, ln, p", "r=8,ln=4,p=1"),
        ("order ln, p, r", "ln=4,p=1,r=8"),
        ("ln missing", "r=8,p=1"),
        ("r missing", "ln=4,p=1"),
        ("p missing", "ln=4,r=8"),
        ("ln twice", "ln=4,ln=4,r=8,p=1"),
        ("unknown parameter", "ln=4,r=8,p=1,l=32"),
        ("version", "v=1$ln=4,r=8,p=1"),
        ("N for ln", "N=16,r=8,p=1"),
        ("trailing comma", "ln=4,r=8,p=1,"),
        ("no costs", ""),
    ]
    tests += [test(comment, costs(text), "invalid_hash", "Structure") for comment, text in structures]
    ranges = [
        ("ln=0: N=1", "ln=0,r=8,p=1"),
        ("ln=64", "ln=64,r=8,p=1"),
        ("ln=255", "ln=255,r=8,p=1"),
        ("ln=260, which is 4 in 8 bits", "ln=260,r=8,p=1"),
        ("r=0", "ln=4,r=0,p=1"),
        ("p=0", "ln=4,r=8,p=0"),
        ("r times p is 2^30", "ln=4,r=32768,p=32768"),
        ("r=2^32-1", "ln=4,r=4294967295,p=1"),
        ("p=2^32-1", "ln=4,r=1,p=4294967295"),
        ("r times p is 0 in 32 bits", "ln=4,r=65536,p=65536"),
        ("N not below 2^(128·r/8)", "ln=16,r=1,p=1"),
    ]
    tests += [test(comment, costs(text), "invalid_hash", "Range") for comment, text in ranges]
    short = f"$scrypt$ln=4,r=8,p=1${salt}${b64(hashlib.scrypt(PASSWORD, salt=SALT, n=16, r=8, p=1, dklen=9))}"
    tests.append(test("output of 9 bytes", short, "invalid_hash", "Length"))
    over = [
        ("N=2^31", "ln=31,r=8,p=1"),
        ("N=2^63", "ln=63,r=8,p=1"),
        ("N=2^18, memory one step over", "ln=18,r=8,p=1"),
        ("memory over by r", "ln=17,r=9,p=1"),
        ("N times r times p over, memory not", "ln=17,r=8,p=5"),
        ("huge r", "ln=1,r=1073741823,p=1"),
        ("huge p", "ln=1,r=1,p=1073741823"),
        ("memory for the lanes, 128·r·p, of 256 MiB", "ln=1,r=1,p=2097152"),
        ("N=2^63, whose bytes overflow 64 bits", "ln=63,r=1073741823,p=1"),
    ]
    tests += [test(comment, costs(text), "cost_out_of_bounds", "Cost") for comment, text in over]
    return tests


BCRYPT_ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
STANDARD_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def next_character(text, alphabet=STANDARD_ALPHABET):
    """Sets the lowest bit of the last character, a bit beyond the last byte."""
    index = alphabet.index(text[-1])
    assert index % 2 == 0
    return text[:-1] + alphabet[index + 1]


def bcrypt_hash():
    return bcrypt.hashpw(PASSWORD, b"$2b$04$abcdefghijklmnopqrstuu").decode()


def argon2_hash(m=64, p=1, salt=SALT, length=32):
    return argon2.low_level.hash_secret(PASSWORD, salt, 1, m, p, length, argon2.low_level.Type.ID).decode()


def pbkdf2_hash():
    return f"$pbkdf2-sha256$i=1000,l=32${b64(SALT)}${b64(hashlib.pbkdf2_hmac('sha256', PASSWORD, SALT, 1000, 32))}"


def scrypt_hash(log_n, r, p):
    output = hashlib.scrypt(PASSWORD, salt=SALT, n=1 << log_n, r=r, p=p, dklen=32)
    return f"$scrypt$ln={log_n},r={r},p={p}${b64(SALT)}${b64(output)}"


def b64(data):
    return base64.b64encode(data).decode().rstrip("=")


def test(comment, stored, result, flag):
    return {"comment": comment, "password": PASSWORD, "hash": stored, "result": result, "flags": [flag]}


def group(scheme, tests):
    return {"type": "verify", "source": {"name": f"Saltern: {scheme}", "version": "1"}, "tests": tests}


if __name__ == "__main__":
    main()
