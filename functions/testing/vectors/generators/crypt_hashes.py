"""crypt.json: hashes that crypt(3) prints on many systems, and strings that only look like them.

One program makes each hash and another computes it again: libxcrypt, and PHP's crypt(), passlib or
OpenSSL's scrypt. Only libxcrypt computes yescrypt. If a program accepts a salt, each run gives it
the same one. htpasswd, OpenSSL and passlib draw their salts.
"""

import hashlib
import importlib.metadata
import json
import warnings

warnings.filterwarnings("ignore")

import passlib.hash as ph

import crypt_hostile
import family
import libxcrypt
import vector_file
from family import PASSWORD, PASSWORDS, WRONG, ascii_of, test

ITOA64 = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
PASSLIB = {
    "apr1": ph.apr_md5_crypt,
    "bsdi-crypt": ph.bsdi_crypt,
    "des-crypt": ph.des_crypt,
    "md5-crypt": ph.md5_crypt,
    "sha1-crypt": ph.sha1_crypt,
    "sha256-crypt": ph.sha256_crypt,
    "sha512-crypt": ph.sha512_crypt,
    "sun-md5": ph.sun_md5_crypt,
}
for handler in PASSLIB.values():
    # The backend in Python: the other one is the system's crypt().
    if hasattr(handler, "set_backend"):
        handler.set_backend("builtin")


def main():
    groups = [
        *published(),
        *libxcrypt_(),
        *php(),
        *htpasswd(),
        *openssl(),
        *passlib(),
        *edges(),
        *codec(),
        *random_inputs(),
        small_rounds("sha512-crypt", "$6$"),
        small_rounds("sha256-crypt", "$5$"),
    ]
    for group in groups:
        confirm(group)
    groups += crypt_hostile.groups()
    vector_file.write(
        "crypt",
        "Hashes of crypt(3): what libxcrypt, PHP, Apache, OpenSSL, passlib and Commons Codec print, and what must be refused.",
        "generators/crypt_hashes.py",
        family.notes(
            groups,
            BareSalt="Sun's MD5 without the dollar sign after the salt: the salt is hashed without it too.",
            Nul="Software on C strings stopped at the NUL, other software went on, and the hash does not say which made it: either reading matches.",
            Flavour="yescrypt with flags or parameters that crypt_gensalt() does not choose, computed by crypt() all the same.",
            SaltCharacters="A salt of characters beyond ./0-9A-Za-z.",
            SevenBits="Seven bits of each byte are looked at: this password has other highest bits than the one that was hashed.",
            SmallRounds="Fewer than 1,000 rounds are written, and 1,000 are computed, as glibc and OpenSSL do. No software prints this.",
        ),
        groups,
    )


# The examples in the specification of both functions: rounds, salt, password. Salts are cut at 16
# bytes.
SHA_CRYPT = [
    (None, "saltstring", "Hello world!"),
    (10000, "saltstringsaltstring", "Hello world!"),
    (5000, "toolongsaltstring", "This is just a test"),
    (1400, "anotherlongsaltstring", "a very much longer text to encrypt.  This one even stretches over morethan one line."),
    (77777, "short", "we have a short salt string but not a short password"),
    (123456, "asaltof16chars..", "a short string"),
    (1000, "roundstoolow", "the minimum number is still observed"),
]
SHA512_CRYPT = [
    "svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
    "OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.",
    "lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0",
    "POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd8p4ur1",
    "WuQyW2YR.hBNpjjRhpYD/ifIw05xdfeEyQoMxIXbkvr0gge1a1x3yRULJ5CCaUeOxFmtlcGZelFl5CxtgfiAc0",
    "BtCwjqMJGx5hrJhZywWvt0RLE8uZ4oPwcelCjmw2kSYu.Ec6ycULevoBK25fs2xXgMNrCzIMVcgEJAstJeonj1",
    "kUMsbe306n21p9R.FRkW3IGn.S9NPN0x50YhH1xhLsPuWGsUSklZt58jaTfF4ZEQpyUNGc0dqbpBYYBaHHrsX.",
]
SHA256_CRYPT = [
    "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
    "3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA",
    "Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5",
    "Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1",
    "JiO1O3ZpDAxGJeaDIuqCoEFysAe1mZNJRs3pw0KQRd/",
    "gP3VQ/6X7UUEW3HkBn2w1/Ptq2jxPyzV/cZKmF/wJvD",
    "yfvwcWrQ8l/K0DAWyuPMDNHpIVlTQebY9l/gL972bIC",
]


def published():
    groups = []
    for scheme, prefix, outputs in (("sha512-crypt", "$6$", SHA512_CRYPT), ("sha256-crypt", "$5$", SHA256_CRYPT)):
        tests = []
        for (rounds, salt, password), output in zip(SHA_CRYPT, outputs, strict=True):
            setting = prefix + (f"rounds={rounds}$" if rounds else "") + salt[:16]
            comment = f"rounds={rounds}, {salt}" if rounds else salt
            tests.append(test(comment, password.encode(), f"{setting}${output}"))
        groups.append(family.group(scheme, f"Drepper, Unix crypt using SHA-256 and SHA-512: {scheme}", "0.6", tests))
    scrypt = "$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D"
    tests = [test("pleaseletmein", b"pleaseletmein", scrypt), test("wrong password", WRONG, scrypt, "mismatch")]
    return [*groups, family.group("scrypt-7", "Openwall yescrypt, TESTS-OK", "1.0", tests)]


# Schemes that use only a part of a password, with the number of bytes.
READS = {"des-crypt": family.DES_BYTES}

# Prefix and lowest cost of each scheme; cost 0 is the library's default.
LIBXCRYPT = {
    "sha512-crypt": ("$6$", 1000),
    "sha256-crypt": ("$5$", 1000),
    "md5-crypt": ("$1$", None),
    "sha1-crypt": ("$sha1", 4),
    "sun-md5": ("$md5", 0),
    "des-crypt": ("", None),
    "bsdi-crypt": ("_", 1),
    "scrypt-7": ("$7$", 6),
    "yescrypt": ("$y$", 1),
}


def libxcrypt_():
    groups = []
    for scheme, (prefix, least) in LIBXCRYPT.items():
        settings = [libxcrypt.gensalt(prefix, random=family.drawn(f"{prefix} {kind}", 32)) for kind, _ in PASSWORDS]
        name = f"libxcrypt, {scheme}"
        groups.append(crypted(scheme, name, settings, ["DefaultCost"] if least is not None else []))
        if least:
            settings = [libxcrypt.gensalt(prefix, least, family.drawn(f"{name} {kind}", 32)) for kind, _ in PASSWORDS]
            groups.append(crypted(scheme, f"{name}, least cost", settings))
    tests = []
    # Cost 8 takes 128 MiB, which is the ceiling.
    for cost in range(1, 9):
        setting = libxcrypt.gensalt("$y$", cost)
        stored = libxcrypt.crypt(PASSWORD, setting)
        tests.append(test(f"cost {cost}, {setting[:6]}", PASSWORD, stored, flags=["AtCeiling"] if cost == 8 else []))
    groups.append(family.group("yescrypt", "libxcrypt, yescrypt, each cost", libxcrypt.VERSION, tests))
    return groups


def crypted(scheme, name, settings, flags=()):
    hashes = [libxcrypt.crypt(password, setting) for (_, password), setting in zip(PASSWORDS, settings, strict=True)]
    return family.made(scheme, name, libxcrypt.VERSION, hashes, flags, reads=READS.get(scheme))


def php():
    """PHP has its own code of crypt() for these; the salts have the full length."""
    salt = lambda name, length: "".join(ITOA64[byte % 64] for byte in family.drawn(f"PHP {name}", length))
    kinds = {
        "sha512-crypt": lambda name: "$6$rounds=1000$" + salt(name, 16),
        "sha256-crypt": lambda name: "$5$rounds=1000$" + salt(name, 16),
        "md5-crypt": lambda name: "$1$" + salt(name, 8),
        "des-crypt": lambda name: salt(name, 2),
        "bsdi-crypt": lambda name: "_J9.." + salt(name, 4),
    }
    groups = []
    for scheme, setting in kinds.items():
        asked = [(password, setting(f"{scheme} {kind}")) for kind, password in PASSWORDS]
        version, hashes = php_crypt(asked)
        groups.append(family.made(scheme, f"PHP crypt(), {scheme}", version, hashes, reads=READS.get(scheme)))
    return groups


def php_crypt(asked):
    said = json.loads(family.run(["php", "crypt.php"], json.dumps([(p.hex(), s) for p, s in asked]).encode()))
    return said["version"], said["made"]


def htpasswd():
    groups = []
    for scheme, options in (
        ("sha512-crypt", "-5"),
        ("sha256-crypt", "-2"),
        ("sha512-crypt", "-5 -r 1000"),
        ("sha256-crypt", "-2 -r 1000"),
        ("apr1", "-m"),
        ("des-crypt", "-d"),
    ):
        command = ["htpasswd", "-ni", *options.split(), "user"]
        hashes = [family.run(command, password).decode().strip().removeprefix("user:") for _, password in PASSWORDS]
        flags = ["DefaultCost"] if options in ("-5", "-2") else []
        version = family.debian("apache2-utils")
        groups.append(family.made(scheme, f"Apache htpasswd {options}", version, hashes, flags, reads=READS.get(scheme)))
    return groups


def openssl():
    groups = []
    version = family.run(["openssl", "version"]).decode().split(" (")[0].strip()
    for scheme, option in (("sha512-crypt", "-6"), ("sha256-crypt", "-5"), ("md5-crypt", "-1"), ("apr1", "-apr1")):
        command = ["openssl", "passwd", option, "-stdin"]
        hashes = [family.run(command, password + b"\n").decode().strip() for _, password in PASSWORDS]
        flags = ["DefaultCost"] if option in ("-6", "-5") else []
        groups.append(family.made(scheme, f"OpenSSL passwd {option}", version, hashes, flags))
    return groups


def passlib():
    version = f"passlib {importlib.metadata.version('passlib')}"
    low = {"bsdi-crypt": 5, "sha1-crypt": 10, "sha256-crypt": 1000, "sha512-crypt": 1000, "sun-md5": 1}
    groups = []
    for scheme, handler in PASSLIB.items():
        cheap = handler.using(rounds=low[scheme]) if scheme in low else handler
        hashes = [cheap.hash(password) for _, password in PASSWORDS]
        groups.append(family.made(scheme, f"passlib {handler.name}", version, hashes, reads=READS.get(scheme)))
        tests = []
        if scheme in low:
            tests.append(test("default cost", PASSWORD, handler.hash(PASSWORD), flags=["DefaultCost"]))
        if scheme == "apr1":
            # libxcrypt has no apr1, so its edge cases are here. OpenSSL confirms them and reads
            # at most 256 bytes.
            made = lambda password, salt: handler.using(salt=salt).hash(password)
            for length in (length for length in PASSWORD_BYTES if length <= 256):
                password, flags = ascii_of(length), ["LongPassword"] if length >= 64 else []
                tests.append(test(f"password of {length} bytes", password, made(password, "saltsalt"), flags=flags))
            tests += [test(f"salt {salt!r}", PASSWORD, made(PASSWORD, salt), flags=["SaltLength"]) for salt in SALTS["md5-crypt"] if salt]
        if scheme in ("md5-crypt", "sha256-crypt", "sha512-crypt"):
            longest = ascii_of(1024)
            tests.append(test("password of 1,024 bytes", longest, cheap.hash(longest), flags=["LongPassword"]))
        if tests:
            groups.append(family.group(scheme, f"passlib {handler.name}, single cases", version, tests))
    return groups


# Settings for single cases: the lowest cost, and a salt.
CHEAP = {
    "sha512-crypt": lambda salt: f"$6$rounds=1000${salt}",
    "sha256-crypt": lambda salt: f"$5$rounds=1000${salt}",
    "md5-crypt": lambda salt: f"$1${salt}",
    "sha1-crypt": lambda salt: f"$sha1$10${salt}",
    "sun-md5": lambda salt: f"$md5,rounds=1${salt}$",
    "des-crypt": lambda salt: salt,
    "bsdi-crypt": lambda salt: f"_3...{salt}",
    "scrypt-7": lambda salt: f"$7$26..../....{salt}",
    "yescrypt": lambda salt: f"$y$j75${salt}",
}
# Lengths around the blocks of the schemes, and around the limit of libxcrypt, 511 bytes.
PASSWORD_BYTES = (0, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 55, 56, 63, 64, 65, 72, 111, 112, 119, 120, 127, 128, 129, 255, 256, 257, 511)
SALTS = {
    "sha512-crypt": ["", "a", "12345678", "123456789012345", "1234567890123456"],
    "sha256-crypt": ["", "a", "12345678", "123456789012345", "1234567890123456"],
    "md5-crypt": ["", "a", "1234", "1234567", "12345678"],
    "sha1-crypt": ["a", "12345678", "1234567890123456", "./" * 32],
    "sun-md5": ["", "a", "12345678", "1234567890123456", "./" * 32],
    "des-crypt": ["..", "./", "/.", "zz", "9A", "a0"],
    "bsdi-crypt": ["....", "zzzz", "./9A"],
    "scrypt-7": ["", "a", "SodiumChloride", "./" * 21 + "."],
    # Whole bytes in groups of four characters; the last group may have two or three.
    "yescrypt": ["", "2.", "21.", "abcd", "abcde/", "1234567890123456", "./" * 43],
}
FILLER = {"des-crypt": "sa", "bsdi-crypt": "salt"}


def edges():
    groups = []
    for scheme, setting in CHEAP.items():
        tests = []
        usual = FILLER.get(scheme, "saltsalt")
        for length in PASSWORD_BYTES:
            password = ascii_of(length)
            flags = ["LongPassword"] if length >= 64 else []
            flags += ["Truncates"] if length > READS.get(scheme, length) else []
            tests.append(test(f"password of {length} bytes", password, libxcrypt.crypt(password, setting(usual)), flags=flags))
        longest = ascii_of(511)
        one_less = test("one byte less than 511", longest[:-1], tests[-1]["hash"], "mismatch", ["LongPassword"])
        if scheme == "des-crypt":
            tests += des()
        else:
            tests.append(one_less)
        for salt in SALTS[scheme]:
            stored = libxcrypt.crypt(PASSWORD, setting(salt))
            tests.append(test(f"salt {salt!r}", PASSWORD, stored, flags=["SaltLength"]))
        high = bytes(range(0x80, 0x100))
        binary = libxcrypt.crypt(high, setting(usual))
        flags = ["Truncates"] if scheme == "des-crypt" else []
        tests.append(test("password of the bytes 80 to ff", high, binary, flags=flags))
        low = bytes(byte & 0x7F or 0x7F for byte in high)
        if scheme not in ("des-crypt", "bsdi-crypt"):
            tests.append(test("the bytes 80 to ff, their highest bits lost", low, binary, "mismatch"))
        tests += more(scheme)
        groups.append(family.group(scheme, f"libxcrypt, {scheme}, single cases", libxcrypt.VERSION, tests))
    return groups


def des():
    """DES uses seven bits of each of eight bytes."""
    eight = libxcrypt.crypt(b"saltmine", "sa")
    eighth = "sältmine".encode()
    accented = libxcrypt.crypt(eighth, "sa")
    assert len(eighth) == 9
    return [
        test("eight bytes", b"saltmine", eight),
        test("eight bytes and one more", b"saltminer", eight, flags=["Truncates"]),
        test("eight bytes and 1,000 more", b"saltmine" + b"r" * 1000, eight, flags=["Truncates"]),
        test("the eighth byte is another", b"saltmins", eight, "mismatch"),
        test("eight bytes, seven given", b"saltmin", eight, "mismatch"),
        test("two bytes for one character, cut after eight bytes", eighth, accented, flags=["Truncates"]),
        test("the highest bit of each byte is ignored", bytes(b & 0x7F for b in eighth), accented, flags=["SevenBits", "Truncates"]),
        test("nothing", b"", libxcrypt.crypt(b"", "..")),
        test("nothing, a byte given", b"x", libxcrypt.crypt(b"", ".."), "mismatch"),
    ]


def more(scheme):
    """Cases that only one scheme has."""
    crypt = libxcrypt.crypt
    if scheme in ("sha512-crypt", "sha256-crypt"):
        prefix = {"sha512-crypt": "$6$", "sha256-crypt": "$5$"}[scheme]
        tests = [
            test("no rounds", PASSWORD, crypt(PASSWORD, f"{prefix}saltsalt")),
            test("the default's rounds written", PASSWORD, crypt(PASSWORD, f"{prefix}rounds=5000$saltsalt")),
            test("rounds and an empty salt", PASSWORD, crypt(PASSWORD, f"{prefix}rounds=1001$")),
            test("salt that begins as rounds", PASSWORD, crypt(PASSWORD, f"{prefix}rounds")),
        ]
        assert tests[0]["hash"].split("$")[-1] == tests[1]["hash"].split("$")[-1]
        odd = "+=,@#%&(){}[]?-_~"[:16]
        tests.append(test("salt of other characters", PASSWORD, crypt(PASSWORD, prefix + odd), flags=["SaltCharacters"]))
        if scheme == "sha256-crypt":
            stored = crypt(PASSWORD, "$5$rounds=1000000$saltsalt")
            tests.append(test("1,000,000 rounds", PASSWORD, stored, flags=["AtCeiling"]))
        return tests
    if scheme == "md5-crypt":
        return [test("salt of other characters", PASSWORD, crypt(PASSWORD, "$1$+=,@#%&?"), flags=["SaltCharacters"])]
    if scheme == "sha1-crypt":
        return [
            test("1 round", PASSWORD, crypt(PASSWORD, "$sha1$1$saltsalt")),
            test("NetBSD's default rounds", PASSWORD, crypt(PASSWORD, "$sha1$24680$saltsalt")),
        ]
    if scheme == "sun-md5":
        return [
            test("no rounds", PASSWORD, crypt(PASSWORD, "$md5$saltsalt$")),
            test("no rounds, bare salt", PASSWORD, crypt(PASSWORD, "$md5$saltsalt"), flags=["BareSalt"]),
            test("bare salt", PASSWORD, crypt(PASSWORD, "$md5,rounds=5$saltsalt"), flags=["BareSalt"]),
            test("Solaris's default rounds written", PASSWORD, crypt(PASSWORD, "$md5,rounds=4096$saltsalt$")),
        ]
    if scheme == "bsdi-crypt":
        high = "häsh".encode()
        low = bytes(byte & 0x7F for byte in high)
        return [
            test("1 round", PASSWORD, crypt(PASSWORD, "_/...salt")),
            test("725 rounds", PASSWORD, crypt(PASSWORD, "_J9..salt")),
            test("an even number of rounds", PASSWORD, crypt(PASSWORD, "_0...salt")),
            test("the bytes' highest bits lost", low, crypt(high, "_3...salt"), flags=["SevenBits"]),
        ]
    if scheme == "scrypt-7":
        return [
            test("r=1, p=1", PASSWORD, crypt(PASSWORD, "$7$2/..../....saltsalt")),
            test("r=8, p=3", PASSWORD, crypt(PASSWORD, "$7$26....1....saltsalt")),
            test("N=2^14, r=8, p=1", PASSWORD, crypt(PASSWORD, "$7$C6..../....saltsalt")),
            test("128 MiB", PASSWORD, crypt(PASSWORD, "$7$DU..../....saltsalt"), flags=["AtCeiling"]),
        ]
    if scheme == "yescrypt":
        # Flags, N, r; then a mask of the fields that follow: p, t, g, NROM.
        flavours = [
            ("scrypt's own mixing", "$y$.75$saltsalt"),
            ("write once, read many", "$y$/75$saltsalt"),
            ("r=1", "$y$j7.$saltsalt"),
            ("p=2", "$y$j75..$saltsalt"),
            ("t=1", "$y$j75/.$saltsalt"),
            ("t=2", "$y$j75//$saltsalt"),
            ("p=2, t=1", "$y$j750..$saltsalt"),
        ]
        return [test(comment, PASSWORD, crypt(PASSWORD, setting), flags=["Flavour"]) for comment, setting in flavours]
    return []


def codec():
    """A string of Java may hold a NUL, and Commons Codec takes bytes."""
    made = family.java("Codec.java", [b"salt\0ern", b"salt"])
    groups = []
    for scheme, (stored, before) in made.items():
        tests = [
            test("a NUL in the password", b"salt\0ern", stored, flags=["Nul"]),
            test("a NUL in the password, what stands before it", b"salt", stored, "mismatch", ["Nul"]),
            test("what stands before a NUL", b"salt", before, flags=["Nul"]),
            test("what stands before a NUL, the whole password", b"salt\0ern", before, flags=["Nul"]),
        ]
        groups.append(family.group(scheme, f"Apache Commons Codec, {scheme}", "commons-codec 1.19.0", tests))
    return groups


def random_inputs():
    """Random passwords, without NUL or only printable, and salts; the same in each run."""
    groups = []
    for scheme, setting in CHEAP.items():
        tests = []
        for number in range(16):
            drawn = family.drawn(f"random {scheme} {number}", 256)
            password = bytes(byte or 0xFF for byte in drawn[1 : 1 + drawn[0] % 128])
            if number % 2:
                password = bytes(ord("!") + byte % 94 for byte in password)
            length = {"des-crypt": 2, "bsdi-crypt": 4, "md5-crypt": 8, "yescrypt": 24}.get(scheme, 16)
            salt = "".join(ITOA64[byte % 64] for byte in drawn[-length:])
            stored = libxcrypt.crypt(password, setting(salt))
            flags = ["Truncates"] if len(password) > READS.get(scheme, len(password)) else []
            tests.append(test(f"random, {number}", password, stored, flags=flags))
        groups.append(family.group(scheme, f"libxcrypt, {scheme}, random", libxcrypt.VERSION, tests))
    return groups


def small_rounds(scheme, prefix):
    """Settings as glibc reads them: fewer than 1,000 rounds become 1,000."""
    tests = []
    for rounds in (0, 1, 10, 500, 999):
        stored = libxcrypt.crypt(PASSWORD, f"{prefix}rounds=1000$saltsalt").replace("rounds=1000", f"rounds={rounds}")
        tests.append(test(f"rounds={rounds}", PASSWORD, stored, flags=["SmallRounds"]))
        tests.append(test(f"rounds={rounds}, wrong password", WRONG, stored, "mismatch", ["SmallRounds"]))
    low = SHA512_CRYPT[-1] if scheme == "sha512-crypt" else SHA256_CRYPT[-1]
    password = SHA_CRYPT[-1][2].encode()
    tests.append(test("the specification's own", password, f"{prefix}rounds=10$roundstoolow${low}", flags=["SmallRounds"]))
    return family.group(scheme, f"glibc's reading of a setting, {scheme}", "Drepper, 0.6", tests)


def confirm(group):
    """Computes hashes again with another program, except yescrypt and salts that it rejects."""
    scheme = group["scheme"]
    # No other program here accepts a NUL.
    tests = [case for case in group["tests"] if "SmallRounds" not in case["flags"] and b"\0" not in case["password"]]
    if scheme in ("sha512-crypt", "sha256-crypt", "md5-crypt", "des-crypt", "bsdi-crypt"):
        if "PHP" in group["source"]["name"]:
            computed = [libxcrypt.crypt(case["password"], case["hash"]) for case in tests]
        else:
            _, computed = php_crypt([(case["password"], case["hash"]) for case in tests])
        for case, again in zip(tests, computed, strict=True):
            judge(case, again == case["hash"])
    elif scheme == "apr1" and "passlib" in group["source"]["name"]:
        for case in tests:
            judge(case, openssl_apr1(case["password"], case["hash"]) == case["hash"])
    elif scheme == "apr1" or "passlib" not in group["source"]["name"] and scheme in PASSLIB:
        for case in tests:
            judge(case, PASSLIB[scheme].verify(case["password"], case["hash"]))
    elif scheme in PASSLIB:
        for case in tests:
            judge(case, libxcrypt.crypt(case["password"], case["hash"]) == case["hash"])
    elif scheme == "scrypt-7":
        for case in tests:
            judge(case, scrypt_7(case["password"], case["hash"]))


def judge(case, matches):
    if matches != (case["result"] == "match"):
        raise SystemExit(f"another program does not agree: {case}")


def openssl_apr1(password, stored):
    command = ["openssl", "passwd", "-apr1", "-salt", stored.split("$")[2], "-stdin"]
    return family.run(command, password + b"\n").decode().strip()


def scrypt_7(password, stored):
    head, _, output = stored.rpartition("$")
    number = lambda text: sum(ITOA64.index(c) << 6 * i for i, c in enumerate(text))
    n, r, p, salt = 1 << number(head[3]), number(head[4:9]), number(head[9:14]), head[14:]
    made = hashlib.scrypt(password, salt=salt.encode(), n=n, r=r, p=p, dklen=32, maxmem=1 << 30)
    return little_endian(made) == output


def little_endian(data):
    """Encodes Base64 as crypt(3) does: the first byte is in the lowest bits."""
    text = ""
    for start in range(0, len(data), 3):
        chunk = data[start : start + 3]
        value = int.from_bytes(chunk, "little")
        text += "".join(ITOA64[value >> 6 * i & 63] for i in range(len(chunk) + 1))
    return text


if __name__ == "__main__":
    main()
