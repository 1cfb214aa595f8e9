"""The hostile half of crypt.json: hashes of the password `saltern`, each with one fault."""

import passlib.hash as ph

import family
import libxcrypt
from family import PASSWORD, with_last
from hostile import spellings

ITOA64 = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
INVALID, UNSUPPORTED, OVER = "invalid_hash", "unsupported_hash", "cost_out_of_bounds"


def groups():
    crypt = lambda setting: libxcrypt.crypt(PASSWORD, setting)
    return [
        family.hostile("sha512-crypt", sha_crypt("$6$", crypt("$6$rounds=1000$saltsalt"), crypt("$6$saltsalt"), 0b111100)),
        family.hostile("sha256-crypt", sha_crypt("$5$", crypt("$5$rounds=1000$saltsalt"), crypt("$5$saltsalt"), 0b110000)),
        family.hostile("md5-crypt", md5_crypt("$1$", crypt("$1$saltsalt"))),
        family.hostile("apr1", md5_crypt("$apr1$", ph.apr_md5_crypt.using(salt="saltsalt").hash(PASSWORD))),
        family.hostile("sha1-crypt", sha1_crypt(crypt("$sha1$10$saltsalt"))),
        family.hostile("sun-md5", sun_md5(crypt("$md5,rounds=1$saltsalt$"))),
        family.hostile("des-crypt", des_crypt(crypt("sa"))),
        family.hostile("bsdi-crypt", bsdi_crypt(crypt("_3...salt"))),
        family.hostile("scrypt-7", scrypt_7(crypt("$7$26..../....saltsalt"))),
        family.hostile("yescrypt", yescrypt(crypt("$y$j75$saltsalt"))),
    ]


def output(stored, spare):
    """Faults of the last field. The bits `spare` of its last character belong to no byte."""
    head, _, text = stored.rpartition("$")
    return [
        ("no output", head, INVALID, "Structure"),
        ("empty output", head + "$", INVALID, "Length"),
        ("one character short", stored[:-1], INVALID, "Length"),
        ("one character more", stored + ".", INVALID, "Length"),
        ("half the output", stored[: -len(text) // 2], INVALID, "Length"),
        ("trailing dollar sign", stored + "$", INVALID, "Structure"),
        ("trailing field", stored + "$" + text, INVALID, "Structure"),
        ("trailing newline", stored + "\n", INVALID, "Length"),
        ("trailing carriage return and newline", stored + "\r\n", INVALID, "Length"),
        ("trailing space", stored + " ", INVALID, "Length"),
        ("trailing NUL", stored + "\0", INVALID, "Length"),
        ("the rest of a line of /etc/shadow", stored + ":19000:0:99999:7:::", INVALID, "Length"),
        ("newline for the last character", stored[:-1] + "\n", INVALID, "Base64"),
        ("plus in the output", f"{head}$+{text[1:]}", INVALID, "Base64"),
        ("equals sign at the end", stored[:-1] + "=", INVALID, "Base64"),
        ("space in the output", f"{head}${text[:4]} {text[5:]}", INVALID, "Base64"),
        ("non-ASCII in the output, as many bytes", f"{head}$ä{text[2:]}", INVALID, "Base64"),
        ("full-width digit in the output, as many bytes", f"{head}$１{text[3:]}", INVALID, "Base64"),
        *[
            (f"output with the bit {bit:b} set beyond its bytes", with_last(stored, ITOA64, bit), INVALID, "Base64")
            for bit in (1, 2, 4, 8, 16, 32)
            if bit & spare
        ],
    ]


def salt(stored, text="saltsalt"):
    """Characters that no crypt(3) accepts in a salt.

    They would break a line of /etc/shadow, or they are not printable ASCII.
    """
    wrong = [
        ("colon", ":"),
        ("newline", "\n"),
        ("tab", "\t"),
        ("space", " "),
        ("NUL", "\0"),
        ("DEL", "\x7f"),
        ("exclamation mark", "!"),
        ("asterisk", "*"),
        ("semicolon", ";"),
        ("backslash", "\\"),
        ("non-ASCII", "ä"),
    ]
    return [
        (f"{name} in the salt", stored.replace(text, "s" + character + text[2:], 1), INVALID, "Structure")
        for name, character in wrong
    ]


def rounds(stored, before, number):
    """Each wrong spelling of the number after `before`."""
    assert before + str(number) in stored
    return [
        (f"rounds: {what}", stored.replace(before + str(number), before + text, 1), INVALID, "Number")
        for what, text in spellings(number)
    ]


def sha_crypt(prefix, stored, without, spare):
    text = stored.rpartition("$")[2]
    other = "5" if prefix == "$6$" else "6"
    with_rounds = lambda number: stored.replace("rounds=1000", f"rounds={number}")
    return [
        *output(stored, spare),
        *salt(stored),
        *rounds(stored, "rounds=", 1000),
        ("prefix alone", prefix, INVALID, "Structure"),
        ("prefix without its last dollar sign", prefix[:-1], UNSUPPORTED, "Scheme"),
        ("no dollar sign in front", stored[1:], UNSUPPORTED, "Scheme"),
        ("a space in front", " " + stored, UNSUPPORTED, "Scheme"),
        ("a locked account's exclamation mark in front", "!" + stored, UNSUPPORTED, "Scheme"),
        ("a user's name in front", "root:" + stored, UNSUPPORTED, "Scheme"),
        ("rounds alone", f"{prefix}rounds=1000", INVALID, "Structure"),
        ("output alone", prefix + text, INVALID, "Structure"),
        ("no dollar sign between salt and output", f"{prefix}saltsalt{text}", INVALID, "Structure"),
        ("two dollar signs between salt and output", f"{prefix}saltsalt$${text}", INVALID, "Structure"),
        ("rounds twice", stored.replace("rounds=1000", "rounds=1000$rounds=1000"), INVALID, "Structure"),
        ("rounds after the salt", f"{prefix}saltsalt$rounds=1000${text}", INVALID, "Structure"),
        ("rounds in upper case", stored.replace("rounds", "ROUNDS"), INVALID, "Structure"),
        ("a comma for the dollar sign after the rounds", stored.replace("1000$", "1000,"), INVALID, "Structure"),
        ("salt of 17 characters", without.replace("saltsalt", "1234567890abcdefg"), INVALID, "Length"),
        ("output of the other function", f"${other}${stored[3:]}", INVALID, "Length"),
        ("rounds=1000000000, one over the scheme's own limit", with_rounds(1_000_000_000), INVALID, "Range"),
        ("rounds=4294967295", with_rounds(4_294_967_295), INVALID, "Range"),
        ("rounds one over the ceiling", with_rounds(1_000_001), OVER, "Cost"),
        ("rounds=999999999", with_rounds(999_999_999), OVER, "Cost"),
    ]


def md5_crypt(prefix, stored):
    text = stored.rpartition("$")[2]
    return [
        *output(stored, 0b111100),
        *salt(stored),
        ("prefix alone", prefix, INVALID, "Structure"),
        ("prefix without its last dollar sign", prefix[:-1], UNSUPPORTED, "Scheme"),
        ("output alone", prefix + text, INVALID, "Structure"),
        ("no dollar sign between salt and output", f"{prefix}saltsalt{text}", INVALID, "Structure"),
        ("two dollar signs between salt and output", f"{prefix}saltsalt$${text}", INVALID, "Structure"),
        ("rounds, which the scheme has not", f"{prefix}rounds=1000$saltsalt${text}", INVALID, "Structure"),
        ("salt of 9 characters", stored.replace("saltsalt", "saltsalts"), INVALID, "Length"),
        *([("prefix in upper case", stored.replace("apr1", "APR1"), UNSUPPORTED, "Scheme")] if prefix == "$apr1$" else []),
    ]


def sha1_crypt(stored):
    # The last group of four characters holds the last two of 20 bytes, and the first byte again in
    # front of them.
    filled = stored[:-4] + ITOA64[ITOA64.index(stored[-4]) ^ 0b100] + stored[-3:]
    count = lambda number: stored.replace("$10$", f"${number}$")
    return [
        *output(stored, 0),
        *salt(stored),
        *rounds(stored, "$sha1$", 10),
        ("the byte that fills the last group is not the first", filled, INVALID, "Base64"),
        ("prefix alone", "$sha1$", INVALID, "Structure"),
        ("prefix in upper case", stored.replace("sha1", "SHA1"), UNSUPPORTED, "Scheme"),
        ("no rounds", stored.replace("$10$", "$"), INVALID, "Structure"),
        ("rounds by name", count("rounds=10"), INVALID, "Structure"),
        ("empty salt", stored.replace("saltsalt", ""), INVALID, "Length"),
        ("salt of 100 characters", stored.replace("saltsalt", "a" * 100), INVALID, "Length"),
        ("rounds=4294967295", count(4_294_967_295), OVER, "Cost"),
        ("rounds=1000000000", count(1_000_000_000), OVER, "Cost"),
    ]


def sun_md5(stored):
    text = stored.rpartition("$")[2]
    count = lambda number: stored.replace("rounds=1$", f"rounds={number}$")
    return [
        *[fault for fault in output(stored, 0b111100) if fault[0] != "no output"],
        *salt(stored),
        *[(what, changed, code, flag) for what, changed, code, flag in rounds(stored, "rounds=", 1)],
        ("rounds=0", count(0), INVALID, "Range"),
        ("prefix alone", "$md5$", INVALID, "Structure"),
        ("prefix and comma", "$md5,", INVALID, "Structure"),
        ("prefix without what follows", "$md5", UNSUPPORTED, "Scheme"),
        ("no salt and no output", "$md5,rounds=1$", INVALID, "Structure"),
        ("three dollar signs before the output", f"$md5,rounds=1$saltsalt$$${text}", INVALID, "Structure"),
        ("a semicolon for the comma", stored.replace(",", ";"), UNSUPPORTED, "Scheme"),
        ("rounds without their name", stored.replace("rounds=", ""), INVALID, "Structure"),
        ("rounds twice", stored.replace(",rounds=1", ",rounds=1,rounds=1"), INVALID, "Structure"),
        ("a space after the comma", stored.replace(",", ", "), INVALID, "Structure"),
        ("rounds=1000000000", count(1_000_000_000), OVER, "Cost"),
        ("rounds=4294963199, the most there are", count(4_294_963_199), OVER, "Cost"),
    ]


def des_crypt(stored):
    """Strings without a prefix. A hash of DES has 13 characters of the alphabet."""
    return [
        ("12 characters", stored[:-1], UNSUPPORTED, "Scheme"),
        ("14 characters", stored + ".", UNSUPPORTED, "Scheme"),
        ("2 characters: the salt", stored[:2], UNSUPPORTED, "Scheme"),
        ("24 characters: the output of bigcrypt for 16", stored + stored[2:], UNSUPPORTED, "Scheme"),
        ("trailing newline", stored + "\n", UNSUPPORTED, "Scheme"),
        ("newline for the last character", stored[:-1] + "\n", UNSUPPORTED, "Scheme"),
        ("space in front", " " + stored, UNSUPPORTED, "Scheme"),
        ("trailing NUL", stored + "\0", UNSUPPORTED, "Scheme"),
        ("colon in the salt", ":" + stored[1:], UNSUPPORTED, "Scheme"),
        ("plus in the output", stored[:5] + "+" + stored[6:], UNSUPPORTED, "Scheme"),
        ("non-ASCII in the salt, as many bytes", "ä" + stored[2:], UNSUPPORTED, "Scheme"),
        ("non-ASCII in the output, as many bytes", stored[:-2] + "ä", UNSUPPORTED, "Scheme"),
        ("equals sign at the end", stored[:-1] + "=", UNSUPPORTED, "Scheme"),
        ("output with the bit 1 set beyond its bytes", with_last(stored, ITOA64, 1), INVALID, "Base64"),
        ("output with the bit 10 set beyond its bytes", with_last(stored, ITOA64, 2), INVALID, "Base64"),
        ("a locked account's exclamation mark in front", "!" + stored, UNSUPPORTED, "Scheme"),
        ("a failure of crypt()", "*0", UNSUPPORTED, "Scheme"),
        ("the other failure of crypt()", "*1", UNSUPPORTED, "Scheme"),
        ("an account of /etc/passwd", "x", UNSUPPORTED, "Scheme"),
    ]


def bsdi_crypt(stored):
    return [
        ("underscore alone", "_", INVALID, "Length"),
        ("no output", stored[:9], INVALID, "Length"),
        ("one character short", stored[:-1], INVALID, "Length"),
        ("one character more", stored + ".", INVALID, "Length"),
        ("trailing newline", stored + "\n", INVALID, "Length"),
        ("newline for the last character", stored[:-1] + "\n", INVALID, "Base64"),
        ("trailing NUL", stored + "\0", INVALID, "Length"),
        ("plus in the rounds", "_+" + stored[2:], INVALID, "Base64"),
        ("colon in the salt", stored[:5] + ":" + stored[6:], INVALID, "Base64"),
        ("space in the output", stored[:12] + " " + stored[13:], INVALID, "Base64"),
        ("non-ASCII in the rounds, as many bytes", "_ä" + stored[3:], INVALID, "Base64"),
        ("non-ASCII in the output, as many bytes", stored[:-2] + "ä", INVALID, "Base64"),
        ("output with the bit 1 set beyond its bytes", with_last(stored, ITOA64, 1), INVALID, "Base64"),
        ("output with the bit 10 set beyond its bytes", with_last(stored, ITOA64, 2), INVALID, "Base64"),
        ("0 rounds", "_...." + stored[5:], INVALID, "Range"),
        ("2^24-1 rounds", "_zzzz" + stored[5:], OVER, "Cost"),
    ]


def scrypt_7(stored):
    costs = lambda text: "$7$" + text + stored[14:]
    return [
        *output(stored, 0b110000),
        *salt(stored),
        ("plus in the salt", stored.replace("saltsalt", "s+ltsalt"), INVALID, "Base64"),
        ("prefix alone", "$7$", INVALID, "Structure"),
        ("prefix without its last dollar sign", "$7", UNSUPPORTED, "Scheme"),
        ("costs one character short", "$7$26..../...", INVALID, "Structure"),
        ("a dollar sign among the costs", costs("2$..../...."), INVALID, "Base64"),
        ("plus in N", costs("+6..../...."), INVALID, "Base64"),
        ("plus in r", costs("2+..../...."), INVALID, "Base64"),
        ("plus in p", costs("26....+...."), INVALID, "Base64"),
        ("non-ASCII in r, as many bytes", costs("2ä.../...."), INVALID, "Base64"),
        ("N=1", costs(".6..../...."), INVALID, "Range"),
        ("r=0", costs("2...../...."), INVALID, "Range"),
        ("p=0", costs("26........."), INVALID, "Range"),
        ("r times p is 2^30 - 1 times 2", costs("2zzzzz0...."), INVALID, "Range"),
        ("r and p of 2^30 - 1", costs("2zzzzzzzzzz"), INVALID, "Range"),
        ("N=2^16, r=32: 256 MiB", costs("EU..../...."), OVER, "Cost"),
        ("N=2^17, r=9: 144 MiB", costs("F7..../...."), OVER, "Cost"),
        ("N=2^31, r=8", costs("T6..../...."), OVER, "Cost"),
        ("N=2^63, r=8", costs("z6..../...."), OVER, "Cost"),
        ("N times r times p over, memory not", costs("F6....3...."), OVER, "Cost"),
        ("huge r", costs("/zzzzz/...."), OVER, "Cost"),
    ]


def yescrypt(stored):
    costs = lambda text: f"$y${text}" + stored[6:]
    salted = lambda text: stored.replace("saltsalt", text)
    return [
        *output(stored, 0b110000),
        *salt(stored),
        ("plus in the salt", salted("s+ltsalt"), INVALID, "Base64"),
        ("equals sign in the salt", salted("saltsal="), INVALID, "Base64"),
        ("salt of 4n + 1 characters", salted("salts"), INVALID, "Base64"),
        ("salt with a bit set beyond its bytes", salted("saltsz"), INVALID, "Base64"),
        ("salt of 65 bytes", salted("./" * 43 + "."), INVALID, "Length"),
        ("prefix alone", "$y$", INVALID, "Structure"),
        ("prefix without its last dollar sign", "$y", UNSUPPORTED, "Scheme"),
        ("prefix in upper case", stored.replace("$y$", "$Y$"), UNSUPPORTED, "Scheme"),
        ("gost-yescrypt", stored.replace("$y$", "$gy$"), UNSUPPORTED, "Scheme"),
        ("no costs", "$y$" + stored[6:], INVALID, "Structure"),
        ("flags alone", costs("j"), INVALID, "Structure"),
        ("no r", costs("j7"), INVALID, "Structure"),
        ("plus for N", costs("j+5"), INVALID, "Base64"),
        ("non-ASCII for N and r, as many bytes", costs("jä"), INVALID, "Base64"),
        ("N=2", costs("j.5"), INVALID, "Range"),
        ("cost 9: 256 MiB", costs("jDT"), OVER, "Cost"),
        ("cost 10: 512 MiB", costs("jET"), OVER, "Cost"),
        ("cost 11: 1 GiB", costs("jFT"), OVER, "Cost"),
        ("N=2^31, r=8", costs("jS5"), OVER, "Cost"),
    ]
