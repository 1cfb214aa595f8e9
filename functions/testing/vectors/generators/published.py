"""Published vectors: bcrypt.json, argon2.json, pbkdf2.json, scrypt.json.

The values below are copies of the published ones. Other software computes each again, and only
equal values are written:

- bcrypt: crypt() of PHP (Openwall's code), and passlib in pure Python
- Argon2: the reference library (argon2-cffi)
- PBKDF2 and scrypt: OpenSSL (hashlib)
"""

import base64
import hashlib
import os
import subprocess
import warnings

import vector_file

os.environ["PASSLIB_BUILTIN_BCRYPT"] = "enabled"
warnings.filterwarnings("ignore")

import argon2.low_level
import passlib.hash

passlib.hash.bcrypt.set_backend("builtin")

GENERATOR = "generators/published.py"

# --- bcrypt ----------

OPENWALL = [
    ("three characters", b"U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ("four characters", b"U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
    ("five characters", b"U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
    (
        "98 bytes: 72 are read",
        b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
        "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
    ),
    ("2x: a3", b"\xa3", "$2x$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"),
    ("2x: ff ff a3", b"\xff\xff\xa3", "$2x$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"),
    ("2y: ff ff a3", b"\xff\xff\xa3", "$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"),
    ("2a: ff ff a3", b"\xff\xff\xa3", "$2a$05$/OK.fbVrR/bpIqNJ5ianF.nqd1wy.pTMdcvrRWxyiGL2eMz.2a85."),
    ("2b: ff ff a3", b"\xff\xff\xa3", "$2b$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"),
    ("2y: a3", b"\xa3", "$2y$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq"),
    ("2a: a3", b"\xa3", "$2a$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq"),
    ("2b: a3", b"\xa3", "$2b$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq"),
    ("2x: 31 a3 then 345", b"1\xa3345", "$2x$05$/OK.fbVrR/bpIqNJ5ianF.o./n25XVfn6oAPaUvHe.Csk4zRfsYPi"),
    ("2x: ff a3 then 345", b"\xff\xa3345", "$2x$05$/OK.fbVrR/bpIqNJ5ianF.o./n25XVfn6oAPaUvHe.Csk4zRfsYPi"),
    (
        "2x: ff a3 34 ff ff ff a3 345",
        b"\xff\xa334\xff\xff\xff\xa3345",
        "$2x$05$/OK.fbVrR/bpIqNJ5ianF.o./n25XVfn6oAPaUvHe.Csk4zRfsYPi",
    ),
    (
        "2y: ff a3 34 ff ff ff a3 345",
        b"\xff\xa334\xff\xff\xff\xa3345",
        "$2y$05$/OK.fbVrR/bpIqNJ5ianF.o./n25XVfn6oAPaUvHe.Csk4zRfsYPi",
    ),
    (
        "2a: ff a3 34 ff ff ff a3 345",
        b"\xff\xa334\xff\xff\xff\xa3345",
        "$2a$05$/OK.fbVrR/bpIqNJ5ianF.ZC1JEJ8Z4gPfpe1JOr/oyPXTWl9EFd.",
    ),
    ("2y: ff a3 then 345", b"\xff\xa3345", "$2y$05$/OK.fbVrR/bpIqNJ5ianF.nRht2l/HRhr6zmCp9vYUvvsqynflf9e"),
    ("2a: ff a3 then 345", b"\xff\xa3345", "$2a$05$/OK.fbVrR/bpIqNJ5ianF.nRht2l/HRhr6zmCp9vYUvvsqynflf9e"),
    ("2a: a3 then ab", b"\xa3ab", "$2a$05$/OK.fbVrR/bpIqNJ5ianF.6IflQkJytoRVc1yuaNtHfiuq.FRlSIS"),
    ("2x: a3 then ab", b"\xa3ab", "$2x$05$/OK.fbVrR/bpIqNJ5ianF.6IflQkJytoRVc1yuaNtHfiuq.FRlSIS"),
    ("2y: a3 then ab", b"\xa3ab", "$2y$05$/OK.fbVrR/bpIqNJ5ianF.6IflQkJytoRVc1yuaNtHfiuq.FRlSIS"),
    ("2x: d1 91", b"\xd1\x91", "$2x$05$6bNw2HLQYeqHYyBfLMsv/OiwqTymGIGzFsA4hOTWebfehXHNprcAS"),
    (
        "2x: d0 c1 d2 cf cc d8",
        b"\xd0\xc1\xd2\xcf\xcc\xd8",
        "$2x$05$6bNw2HLQYeqHYyBfLMsv/O9LIGgn8OMzuDoHfof8AQimSGfcSWxnS",
    ),
    (
        "72 times aa, then more",
        b"\xaa" * 72 + b"chars after 72 are ignored as usual",
        "$2a$05$/OK.fbVrR/bpIqNJ5ianF.swQOIzjOiJ9GHEPuhEkvqrUyvWhEMx6",
    ),
    ("36 times aa 55", b"\xaa\x55" * 36, "$2a$05$/OK.fbVrR/bpIqNJ5ianF.R9xrDjiycxMbQE2bp.vgqlYpW5wx2yy"),
    ("24 times 55 aa ff", b"\x55\xaa\xff" * 24, "$2a$05$/OK.fbVrR/bpIqNJ5ianF.9tQZzcJfm3uj2NvJ/n5xkhpqLrMpWCe"),
    ("no password", b"", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
]

# The last rows of Openwall's table are settings that crypt() rejects. Each gets the output of a
# whole hash here.
OPENWALL_REFUSED = [
    ("cost 3", "$2a$03$CCCCCCCCCCCCCCCCCCCCC.", "invalid_hash"),
    ("cost 32", "$2a$32$CCCCCCCCCCCCCCCCCCCCC.", "invalid_hash"),
    ("2c", "$2c$05$CCCCCCCCCCCCCCCCCCCCC.", "unsupported_hash"),
    ("2z", "$2z$05$CCCCCCCCCCCCCCCCCCCCC.", "unsupported_hash"),
    ("2`", "$2`$05$CCCCCCCCCCCCCCCCCCCCC.", "unsupported_hash"),
    ("2{", "$2{$05$CCCCCCCCCCCCCCCCCCCCC.", "unsupported_hash"),
]
OPENWALL_EMPTY_OUTPUT = "7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"

PASSLIB = [
    ("8-bit bug: d1 91", b"\xd1\x91", "$2y$05$6bNw2HLQYeqHYyBfLMsv/OUcZd0LKP39b87nBw3.S2tVZSqiQX6eu"),
    (
        "BSD wraparound bug: 254 bytes",
        (b"0123456789" * 26)[:254],
        "$2a$04$R1lJ2gkNaoPGdafE.H.16.1MKHPvmKwryeulRe225LKProWYwt9Oi",
    ),
    (
        "BSD wraparound bug: 255 bytes",
        (b"0123456789" * 26)[:255],
        "$2a$04$R1lJ2gkNaoPGdafE.H.16.1MKHPvmKwryeulRe225LKProWYwt9Oi",
    ),
    (
        "BSD wraparound bug: 256 bytes",
        (b"0123456789" * 26)[:256],
        "$2a$04$R1lJ2gkNaoPGdafE.H.16.1MKHPvmKwryeulRe225LKProWYwt9Oi",
    ),
    (
        "BSD wraparound bug: 257 bytes",
        (b"0123456789" * 26)[:257],
        "$2a$04$R1lJ2gkNaoPGdafE.H.16.1MKHPvmKwryeulRe225LKProWYwt9Oi",
    ),
    ("jBCrypt: empty, cost 6", b"", "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."),
    ("jBCrypt: a, cost 10", b"a", "$2a$10$k87L/MF28Q673VKh8/cPi.SUl7MU/rWuSiIDDFayrKk/1tBsSQu4u"),
    (
        "69 bytes",
        b"abc" * 23,
        "$2a$05$......................2kIdfSj/4/R/Q6n847VTvc68BXiRYZC",
    ),
    (
        "72 bytes",
        b"abc" * 24,
        "$2a$05$......................XuQjdH.wPVNUZ/bOfstdW/FqB8QSjte",
    ),
    (
        "73 bytes are the 72 before",
        b"abc" * 24 + b"x",
        "$2a$05$......................XuQjdH.wPVNUZ/bOfstdW/FqB8QSjte",
    ),
]

# Wrong passwords, each one byte away from a right one.
NEAR_MISSES = [
    ("last of 72 bytes differs", b"abc" * 23 + b"abd", "$2a$05$......................XuQjdH.wPVNUZ/bOfstdW/FqB8QSjte"),
    ("71 bytes of 72", (b"abc" * 24)[:71], "$2a$05$......................XuQjdH.wPVNUZ/bOfstdW/FqB8QSjte"),
    ("case differs", b"u*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    (
        "71 bytes against a hash of 69",
        b"abc" * 23 + b"ab",
        "$2a$05$......................2kIdfSj/4/R/Q6n847VTvc68BXiRYZC",
    ),
]


def bcrypt():
    openwall = []
    for comment, password, stored in OPENWALL:
        if php_crypt(password, stored) != stored:
            raise SystemExit(f"Openwall's own code does not make {stored}")
        flags, result = [], "match"
        if len(password) > 72:
            flags.append("Truncated")
        if stored.startswith("$2x$"):
            flags.append("SignExtensionBug")
            result = "unsupported_hash"
        elif passlib_bcrypt(password, stored) != stored:
            # Only `$2a$` of Openwall deviates from every other bcrypt, on purpose.
            if not stored.startswith("$2a$") or b"\xff" not in password:
                raise SystemExit(f"passlib does not make {stored}")
            flags.append("OpenwallSafety")
            result = "mismatch"
        if any(byte >= 0x80 for byte in password):
            flags.append("NotUtf8" if not is_utf8(password) else "EightBit")
        openwall.append(verify(comment, password, stored, result, flags))
    for comment, setting, result in OPENWALL_REFUSED:
        if php_crypt(b"", setting) not in ("*0", "*1"):
            raise SystemExit(f"Openwall's own code takes {setting}")
        openwall.append(verify(comment, b"", setting + OPENWALL_EMPTY_OUTPUT, result, ["RefusedByReference"]))
    collected = []
    for comment, password, stored in PASSLIB:
        if not php_crypt(password, stored) == passlib_bcrypt(password, stored) == stored:
            raise SystemExit(f"PHP or passlib does not make {stored}")
        flags = (["Truncated"] if len(password) > 72 else []) + (["EightBit"] if max(password, default=0) >= 0x80 else [])
        collected.append(verify(comment, password, stored, "match", flags))
    near = []
    for comment, password, stored in NEAR_MISSES:
        if php_crypt(password, stored) == stored:
            raise SystemExit(f"no near miss: {comment}")
        near.append(verify(comment, password, stored, "mismatch", ["NearMiss"]))
    vector_file.write(
        "bcrypt",
        "bcrypt as modular crypt format: Openwall's table, the bugs of old software, 72 bytes.",
        GENERATOR,
        {
            "EightBit": "Bytes of 0x80 and above. Software with a signed char gets these wrong.",
            "NearMiss": "A wrong password one byte away from the right one.",
            "NotUtf8": "The password is no UTF-8, so it cannot come through the HTTP contract; the kernel takes bytes.",
            "OpenwallSafety": (
                "Openwall's code answers $2a$ otherwise than $2b$ where the sign extension bug made passwords collide, which "
                "takes a byte 0xff before another of 0x80 and above. No UTF-8 text holds a 0xff, so no password of the HTTP "
                "contract can meet it. Saltern computes $2a$ as $2b$, as OpenBSD and all others do: a mismatch."
            ),
            "RefusedByReference": "A setting that Openwall's crypt() refuses, joined with the output of a whole hash.",
            "SignExtensionBug": "$2x$ marks hashes made with the bug of CVE-2011-2483: refused as unsupported.",
            "Truncated": "Longer than 72 bytes: bcrypt reads 72.",
        },
        [
            group("Openwall crypt_blowfish, wrapper.c, table `tests` (public domain)", "1.3", openwall),
            group(
                "passlib, passlib/tests/test_handlers_bcrypt.py, with its sources",
                passlib_version(),
                collected,
            ),
            group("Wrong passwords for hashes of the groups above", "1", near),
        ],
    )


def php_crypt(password, stored):
    code = "echo crypt(hex2bin($argv[1]), $argv[2]);"
    return subprocess.run(
        ["php", "-r", code, "--", password.hex(), stored[:29]], check=True, capture_output=True, text=True
    ).stdout


def passlib_bcrypt(password, stored):
    prefix, cost, rest = stored[1:].split("$")
    made = passlib.hash.bcrypt.using(
        salt=rest[:22], rounds=int(cost), ident=prefix, truncate_error=False, relaxed=True
    ).hash(password)
    return made


# --- Argon2 ----------

# phc-winner-argon2, src/test.c: version, t, log2 m, p, password, salt, encoded.
ARGON2_TEST_C = [
    ("i", 16, "password", "$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ"),
    ("i", 16, "password", "$argon2i$m=1048576,t=2,p=1$c29tZXNhbHQ$lpDsVdKNPtMlYvLnPqYrArAYdXZDoq5ueVKEWd6BBuk"),
    ("i", 16, "password", "$argon2i$m=262144,t=2,p=1$c29tZXNhbHQ$Pmiaqj0op3zyvHKlGsUxZnYXURgvHuKS4/Z3p9pMJGc"),
    ("i", 16, "password", "$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY"),
    ("i", 16, "password", "$argon2i$m=256,t=2,p=2$c29tZXNhbHQ$tsEVYKap1h6scGt5ovl9aLRGOqOth+AMB+KwHpDFZPs"),
    ("i", 16, "password", "$argon2i$m=65536,t=1,p=1$c29tZXNhbHQ$gWMFUrjzsfSM2xmSxMZ4ZD1JCytetP9sSzQ4tWIXJLI"),
    ("i", 16, "password", "$argon2i$m=65536,t=4,p=1$c29tZXNhbHQ$8hLwFhXm6110c03D70Ct4tUdBSRo2MaUQKOh8sHChHs"),
    ("i", 16, "differentpassword", "$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$6ckCB0tnVFMaOgvlGeW69ASzDOabPwGsO/ISKZYBCaM"),
    ("i", 16, "password", "$argon2i$m=65536,t=2,p=1$ZGlmZnNhbHQ$eaEDuQ/orvhXDLMfyLIiWXeJFvgza3vaw4kladTxxJc"),
    ("i", 19, "password", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA"),
    ("i", 19, "password", "$argon2i$v=19$m=1048576,t=2,p=1$c29tZXNhbHQ$0Vh6ygkiw7XWqD7asxvuPE667zQu1hJ6VdGbI1GtH0E"),
    ("i", 19, "password", "$argon2i$v=19$m=262144,t=2,p=1$c29tZXNhbHQ$KW266AuAfNzqrUSudBtQbxTbCVkmexg7EY+bJCKbx8s"),
    ("i", 19, "password", "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8"),
    ("i", 19, "password", "$argon2i$v=19$m=256,t=2,p=2$c29tZXNhbHQ$T/XOJ2mh1/TIpJHfCdQan76Q5esCFVoT5MAeIM1Oq2E"),
    ("i", 19, "password", "$argon2i$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$0WgHXE2YXhPr6uVgz4uUw7XYoWxRkWtvSsLaOsEbvs8"),
    ("i", 19, "password", "$argon2i$v=19$m=65536,t=4,p=1$c29tZXNhbHQ$qqlT1YrzcGzj3xrv1KZKhOMdf1QXUjHxKFJZ+IF0zls"),
    ("i", 19, "differentpassword", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$FK6NoBr+qHAMI1jc73xTWNkCEoK9iGY6RWL1n7dNIu4"),
    ("i", 19, "password", "$argon2i$v=19$m=65536,t=2,p=1$ZGlmZnNhbHQ$sDV8zPvvkfOGCw26RHsjSMvv7K2vmQq/6cxAcmxSEnE"),
    ("id", 19, "password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
    ("id", 19, "password", "$argon2id$v=19$m=262144,t=2,p=1$c29tZXNhbHQ$eP4eyR+zqlZX1y5xCFTkw9m5GYx0L5YWwvCFvtlbLow"),
    ("id", 19, "password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
    ("id", 19, "password", "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
    ("id", 19, "password", "$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$9qWtwbpyPd3vm1rB1GThgPzZ3/ydHL92zKL+15XZypg"),
    ("id", 19, "password", "$argon2id$v=19$m=65536,t=4,p=1$c29tZXNhbHQ$kCXUjmjvc5XMqQedpMTsOv+zyJEf5PhtGiUghW9jFyw"),
    ("id", 19, "differentpassword", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94"),
    ("id", 19, "password", "$argon2id$v=19$m=65536,t=2,p=1$ZGlmZnNhbHQ$vfMrBczELrFdWP0ZsfhWsRPaHppYdP3MVEMIVlqoFBw"),
]

# The error states of src/test.c: the answer of the reference, and of Saltern.
ARGON2_TEST_C_ERRORS = [
    (
        "v=16, a $ is missing before the salt",
        "$argon2i$m=65536,t=2,p=1c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ",
        "invalid_hash",
    ),
    (
        "v=16, a $ is missing before the output",
        "$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ",
        "invalid_hash",
    ),
    ("v=16, no salt", "$argon2i$m=65536,t=2,p=1$$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ", "invalid_hash"),
    (
        "v=16, the password is passwore",
        "$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$b2G3seW+uPzerwQQC+/E1K50CLLO7YXy0JRcaTuswRo",
        "mismatch",
    ),
    (
        "v=19, a $ is missing before the salt",
        "$argon2i$v=19$m=65536,t=2,p=1c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
        "invalid_hash",
    ),
    (
        "v=19, a $ is missing before the output",
        "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQwWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
        "invalid_hash",
    ),
    ("v=19, no salt", "$argon2i$v=19$m=65536,t=2,p=1$$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ", "invalid_hash"),
    (
        "v=19, the password is passwore",
        "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$8iIuixkI73Js3G1uMbezQXD0b8LG4SXGsOwoQkdAQIM",
        "mismatch",
    ),
]

# The shipped ceiling on m in KiB (functions/policy/policies.json).
ARGON2_MEMORY_CEILING_KIB = 262144

# The reference library makes the cases that test.c lacks: argon2d, an explicit v=16, p up to 16,
# and the shortest and longest lengths.
ARGON2_MADE = [
    ("d", 16, 256, 2, 1, b"somesalt", 32),
    ("d", 19, 256, 2, 1, b"somesalt", 32),
    ("d", 19, 256, 3, 4, b"somesalt", 32),
    ("i", 16, 256, 3, 4, b"somesalt", 32),
    ("i", 19, 8, 1, 1, b"somesalt", 32),
    ("id", 16, 256, 2, 1, b"somesalt", 32),
    ("id", 19, 8, 1, 1, b"somesalt", 4),
    ("id", 19, 9, 1, 1, b"somesalt", 64),
    ("id", 19, 128, 1, 16, b"somesalt", 65),
    ("id", 19, 1024, 1, 3, b"0123456789abcdef", 32),
    ("id", 19, 64, 3, 1, b"s" * 48, 128),
]
TYPES = {"d": argon2.low_level.Type.D, "i": argon2.low_level.Type.I, "id": argon2.low_level.Type.ID}


def argon2_():
    published = []
    for variant, version, password, stored in ARGON2_TEST_C:
        fields = stored.split("$")
        m, t, p = (int(cost.split("=")[1]) for cost in fields[-3].split(","))
        over = m > ARGON2_MEMORY_CEILING_KIB
        output = argon2.low_level.hash_secret_raw(
            password.encode(), unpadded(fields[-2]), t, m, p, 32, TYPES[variant], version
        )
        if output != unpadded(fields[-1]):
            raise SystemExit(f"the reference library does not make {stored}")
        flags = (["OverCeiling"] if over else []) + (["NoVersion"] if version == 16 else [])
        result = "cost_out_of_bounds" if over else "match"
        comment = f"argon2{variant} v={version} m={m} t={t} p={p} {password} {unpadded(fields[-2]).decode()}"
        published.append(verify(comment, password.encode(), stored, result, flags))
    for comment, stored, result in ARGON2_TEST_C_ERRORS:
        flags = ["NoVersion"] if comment.startswith("v=16") else []
        published.append(verify(comment, b"password", stored, result, flags))
    made = []
    for variant, version, m, t, p, salt, length in ARGON2_MADE:
        stored = argon2.low_level.hash_secret(b"saltern", salt, t, m, p, length, TYPES[variant], version).decode()
        comment = f"argon2{variant} v={version} m={m} t={t} p={p}, salt {len(salt)} bytes, output {length}"
        made.append(verify(comment, b"saltern", stored, "match", []))
        made.append(verify(comment + ", wrong password", b"Saltern", stored, "mismatch", []))
    vector_file.write(
        "argon2",
        "Argon2 as PHC strings: the reference implementation's own tests, and what they leave out.",
        GENERATOR,
        {
            "NoVersion": "No `v=` field, as software before April 2016 printed it: version 16.",
            "OverCeiling": "1 GiB of memory, which the shipped ceilings refuse; test.c runs it with TEST_LARGE_RAM only.",
        },
        [
            group("phc-winner-argon2, src/test.c (CC0 1.0 or Apache 2.0)", "20171227 and later", published),
            group("Reference library (libargon2) through argon2-cffi", version_of("argon2-cffi-bindings"), made),
        ],
    )


# --- PBKDF2 ----------

LONG_PASSWORD, LONG_SALT = b"passwordPASSWORDpassword", b"saltSALTsaltSALTsaltSALTsaltSALTsalt"

RFC_6070 = [
    (b"password", b"salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
    (b"password", b"salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
    (b"password", b"salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
    (b"password", b"salt", 16777216, "eefe3d61cd4da4e4e9945b3d6ba2158c2634e984"),
    (LONG_PASSWORD, LONG_SALT, 4096, "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"),
    (b"pass\0word", b"sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
]
RFC_7914_11 = [
    (
        b"passwd",
        b"salt",
        1,
        "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
    ),
    (
        b"Password",
        b"NaCl",
        80000,
        "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
        "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
    ),
]
# The inputs of RFC 6070 with the other two hash functions, as CPython publishes them.
CPYTHON = {
    "sha256": [
        (b"password", b"salt", 1, "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"),
        (b"password", b"salt", 2, "ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43"),
        (b"password", b"salt", 4096, "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"),
        (
            LONG_PASSWORD,
            LONG_SALT,
            4096,
            "348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c4e2a1fb8dd53e1c635518c7dac47e9",
        ),
        (b"pass\0word", b"sa\0lt", 4096, "89b69d0516f829893c696226650a8687"),
    ],
    "sha512": [
        (
            b"password",
            b"salt",
            1,
            "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"
            "c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce",
        ),
        (
            b"password",
            b"salt",
            2,
            "e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f0040713f18aefdb866d53c"
            "f76cab2868a39b9f7840edce4fef5a82be67335c77a6068e04112754f27ccf4e",
        ),
        (
            b"password",
            b"salt",
            4096,
            "d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5"
            "143f30602641b3d55cd335988cb36b84376060ecd532e039b742a239434af2d5",
        ),
        (
            LONG_PASSWORD,
            LONG_SALT,
            4096,
            "8c0511f4c6e597c6ac6315d8f0362e225f3c501495ba23b868c005174dc4ee71"
            "115b59f9e60cd9532fa33e0f75aefe30225c583a186cd82bd4daea9724a3d3b8",
        ),
        (b"pass\0word", b"sa\0lt", 4096, "9d9e9c4cd21fe4be24d5b8244c759665"),
    ],
}
PBKDF2_SCHEMES = {"sha1": "pbkdf2", "sha256": "pbkdf2-sha256", "sha512": "pbkdf2-sha512"}

# Lengths around the block of each hash function and around the output. HMAC hashes a key that is
# longer than a block (64 or 128 bytes).
PASSWORD_LENGTHS = [0, 1, 63, 64, 65, 127, 128, 129, 1024]
OUTPUT_LENGTHS = [10, 19, 20, 21, 31, 32, 33, 63, 64, 65, 128]

# The shortest salt that a string may hold (functions/encoded).
MIN_SALT_BYTES = 8


def pbkdf2():
    groups = []
    published = [("sha1", "RFC 6070 §2", "2011", RFC_6070), ("sha256", "RFC 7914 §11", "2016", RFC_7914_11)]
    published += [(prf, "CPython Lib/test/test_hashlib.py, inputs of RFC 6070", "3.11", CPYTHON[prf]) for prf in CPYTHON]
    for prf, name, version, vectors in published:
        raw, strings = [], []
        for password, salt, iterations, output in vectors:
            output = bytes.fromhex(output)
            if hashlib.pbkdf2_hmac(prf, password, salt, iterations, len(output)) != output:
                raise SystemExit(f"OpenSSL does not make {output.hex()}")
            comment = f"{prf} {text(password)} {text(salt)} c={iterations} dkLen={len(output)}"
            if len(salt) < MIN_SALT_BYTES:
                raw.append(
                    {
                        "comment": comment,
                        "prf": prf,
                        "password": password,
                        "salt": salt,
                        "iterations": iterations,
                        "dkLen": len(output),
                        "output": output,
                        "result": "match",
                        "flags": ["ShortSalt"] + (["Slow"] if iterations > 1_000_000 else []),
                    }
                )
            else:
                stored = pbkdf2_phc(prf, iterations, salt, output)
                strings.append(verify(comment, password, stored, "match", ["PutIntoPhc"]))
        if raw:
            groups.append({"type": "pbkdf2_raw", "source": {"name": f"{name} ({prf}, raw)", "version": version}, "tests": raw})
        if strings:
            groups.append(group(f"{name} ({prf})", version, strings))
    edges = []
    for prf in PBKDF2_SCHEMES:
        salt = b"0123456789abcdef"
        for length in PASSWORD_LENGTHS:
            password = bytes(ord("a") + i % 26 for i in range(length))
            stored = pbkdf2_phc(prf, 2, salt, hashlib.pbkdf2_hmac(prf, password, salt, 2, 32))
            edges.append(verify(f"{prf}, password of {length} bytes", password, stored, "match", ["PutIntoPhc"]))
        for length in OUTPUT_LENGTHS:
            stored = pbkdf2_phc(prf, 3, salt, hashlib.pbkdf2_hmac(prf, b"saltern", salt, 3, length))
            edges.append(verify(f"{prf}, output of {length} bytes", b"saltern", stored, "match", ["PutIntoPhc"]))
        stored = pbkdf2_phc(prf, 1, salt, hashlib.pbkdf2_hmac(prf, b"saltern", salt, 1, 32))
        edges.append(verify(f"{prf}, one iteration", b"saltern", stored, "match", ["PutIntoPhc"]))
        edges.append(verify(f"{prf}, wrong password", b"Saltern", stored, "mismatch", ["PutIntoPhc"]))
    groups.append(group("OpenSSL through Python's hashlib", hashlib_version(), edges))
    vector_file.write(
        "pbkdf2",
        "PBKDF2: published vectors and the edges of blocks.",
        GENERATOR,
        {
            "PutIntoPhc": "The source gives bytes; the generator put them into a PHC string.",
            "ShortSalt": "The salt has fewer than 8 bytes, which no accepted string may: for the kernel alone.",
            "Slow": "16,777,216 iterations: seconds on the scalar code of one core.",
        },
        groups,
    )


def pbkdf2_phc(prf, iterations, salt, output):
    return f"${PBKDF2_SCHEMES[prf]}$i={iterations},l={len(output)}${b64(salt)}${b64(output)}"


# --- scrypt ----------

RFC_7914_12 = [
    (
        b"",
        b"",
        4,
        1,
        1,
        "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
    ),
    (
        b"password",
        b"NaCl",
        10,
        8,
        16,
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622"
        "eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
    ),
    (
        b"pleaseletmein",
        b"SodiumChloride",
        14,
        8,
        1,
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
        "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
    ),
    (
        b"pleaseletmein",
        b"SodiumChloride",
        20,
        8,
        1,
        "2101cb9b6a511aaeaddbbe09cf70f881ec568d574a2ffd4dabe5ee9820adaa47"
        "8e56fd8f4ba5d09ffa1c6d927c40f4c337304049e8a952fbcbf45c6fa77a41a4",
    ),
]
# The shipped ceiling on 128·N·r in bytes (functions/policy/policies.json).
SCRYPT_MEMORY_CEILING = 134217728
SCRYPT_MADE = [(1, 1, 1, 10), (1, 8, 1, 32), (4, 1, 16, 33), (10, 8, 1, 32), (4, 64, 1, 64), (15, 1, 1, 65), (7, 3, 5, 128)]


def scrypt():
    raw, strings = [], []
    for password, salt, log_n, r, p, output in RFC_7914_12:
        output = bytes.fromhex(output)
        if openssl_scrypt(password, salt, log_n, r, p, len(output)) != output:
            raise SystemExit(f"OpenSSL does not make {output.hex()}")
        comment = f"{text(password)} {text(salt)} N=2^{log_n} r={r} p={p}"
        if len(salt) < MIN_SALT_BYTES:
            costs = {"logN": log_n, "r": r, "p": p, "dkLen": len(output)}
            test = {"comment": comment, "password": password, "salt": salt, **costs, "output": output}
            raw.append({**test, "result": "match", "flags": ["ShortSalt"]})
        else:
            over = 128 * r << log_n > SCRYPT_MEMORY_CEILING
            stored = scrypt_phc(log_n, r, p, salt, output)
            result, flags = ("cost_out_of_bounds", ["OverCeiling"]) if over else ("match", [])
            strings.append(verify(comment, password, stored, result, ["PutIntoPhc", *flags]))
    made = []
    salt = b"0123456789abcdef"
    for log_n, r, p, length in SCRYPT_MADE:
        stored = scrypt_phc(log_n, r, p, salt, openssl_scrypt(b"saltern", salt, log_n, r, p, length))
        comment = f"N=2^{log_n} r={r} p={p}, output {length} bytes"
        made.append(verify(comment, b"saltern", stored, "match", ["PutIntoPhc"]))
        made.append(verify(comment + ", wrong password", b"Saltern", stored, "mismatch", ["PutIntoPhc"]))
    vector_file.write(
        "scrypt",
        "scrypt: published vectors, and parameters that they leave out.",
        GENERATOR,
        {
            "OverCeiling": "1 GiB of memory, which the shipped ceilings refuse.",
            "PutIntoPhc": "The source gives bytes; the generator put them into a PHC string.",
            "ShortSalt": "The salt has fewer than 8 bytes, which no accepted string may: for the kernel alone.",
        },
        [
            {"type": "scrypt_raw", "source": {"name": "RFC 7914 §12 (raw)", "version": "2016"}, "tests": raw},
            group("RFC 7914 §12", "2016", strings),
            group("OpenSSL through Python's hashlib", hashlib_version(), made),
        ],
    )


def openssl_scrypt(password, salt, log_n, r, p, length):
    # OpenSSL needs a little more memory than the algorithm, and rejects more than this bound.
    memory = 128 * r * ((1 << log_n) + p + 2) + (1 << 20)
    return hashlib.scrypt(password, salt=salt, n=1 << log_n, r=r, p=p, maxmem=memory, dklen=length)


def scrypt_phc(log_n, r, p, salt, output):
    return f"$scrypt$ln={log_n},r={r},p={p}${b64(salt)}${b64(output)}"


# --- shared by the four ----------


def group(name, version, tests):
    return {"type": "verify", "source": {"name": name, "version": version}, "tests": tests}


def verify(comment, password, stored, result, flags):
    return {"comment": comment, "password": password, "hash": stored, "result": result, "flags": flags}


def b64(data):
    return base64.b64encode(data).decode().rstrip("=")


def unpadded(encoded):
    return base64.b64decode(encoded + "=" * (-len(encoded) % 4))


def text(data):
    return data.decode().replace("\0", "\\0") or "(empty)"


def is_utf8(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def passlib_version():
    return version_of("passlib")


def hashlib_version():
    import ssl

    return ssl.OPENSSL_VERSION


def version_of(package):
    import importlib.metadata

    return f"{package} {importlib.metadata.version(package)}"


if __name__ == "__main__":
    bcrypt()
    argon2_()
    pbkdf2()
    scrypt()
