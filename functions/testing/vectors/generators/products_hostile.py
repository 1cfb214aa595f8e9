"""The hostile half of products.json: hashes of the password `saltern`, each with one fault."""

import base64
import hashlib
import hmac
import json

import bcrypt
import passlib.hash as ph

import family
from crypt_hashes import ITOA64, little_endian
from family import PASSWORD, with_last
from hostile import spellings

INVALID, UNSUPPORTED, OVER = "invalid_hash", "unsupported_hash", "cost_out_of_bounds"


def groups():
    return [
        family.hostile("wordpress", wordpress()),
        family.hostile("phpass", phpass()),
        family.hostile("drupal7", drupal()),
        family.hostile("grub-pbkdf2-sha512", grub()),
        family.hostile("firebase-scrypt", firebase()),
    ]


def wordpress():
    key = base64.b64encode(hmac.digest(b"wp-sha384", PASSWORD, "sha384"))
    inner = bcrypt.hashpw(key, b"$2b$04$abcdefghijklmnopqrstuu").decode().replace("$2b$", "$2y$")
    stored = "$wp" + inner
    return [
        ("prefix alone", "$wp$", INVALID, "Structure"),
        ("prefix without its last dollar sign", "$wp", UNSUPPORTED, "Scheme"),
        ("prefix in upper case", "$WP" + inner, UNSUPPORTED, "Scheme"),
        ("prefix twice", "$wp" + stored, INVALID, "Structure"),
        ("two dollar signs", "$wp$" + inner, INVALID, "Structure"),
        ("another scheme within", "$wp$P$7jDDBwU9JmRV8XVketfBOgBGLKIJBy1", INVALID, "Structure"),
        ("Argon2 within, which WordPress does not prefix", "$wp$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$" + "A" * 43, INVALID, "Structure"),
        ("prefix 2x", stored.replace("2y", "2x"), UNSUPPORTED, "Scheme"),
        ("cost +4", stored.replace("$04$", "$+4$"), INVALID, "Number"),
        ("cost 4", stored.replace("$04$", "$4$"), INVALID, "Number"),
        ("cost 3", stored.replace("$04$", "$03$"), INVALID, "Range"),
        ("one character short", stored[:-1], INVALID, "Length"),
        ("one character more", stored + "a", INVALID, "Length"),
        ("trailing newline", stored + "\n", INVALID, "Length"),
        ("trailing NUL", stored + "\0", INVALID, "Length"),
        ("plus in the salt", stored[:12] + "+" + stored[13:], INVALID, "Base64"),
        ("non-ASCII in the output, as many bytes", stored[:-2] + "ä", INVALID, "Base64"),
        ("cost 16", stored.replace("$04$", "$16$"), OVER, "Cost"),
        ("cost 31", stored.replace("$04$", "$31$"), OVER, "Cost"),
        ("MD5 of WordPress before 2.5", hashlib.md5(PASSWORD).hexdigest(), UNSUPPORTED, "Scheme"),
        ("a fast hash of WordPress 6.8, $generic$", "$generic$" + "A" * 40, UNSUPPORTED, "Scheme"),
    ]


def portable(stored, least, most, prefix):
    """Faults of phpass's form: one character of cost, eight of salt, the output."""
    cost = lambda character: stored[:3] + character + stored[4:]
    return [
        ("prefix alone", prefix, INVALID, "Length"),
        ("prefix without its last dollar sign", prefix[:-1], UNSUPPORTED, "Scheme"),
        ("prefix in lower case", prefix.lower() + stored[3:], UNSUPPORTED, "Scheme"),
        ("no output", stored[:12], INVALID, "Length"),
        ("salt one character short", stored[:11], INVALID, "Length"),
        ("one character short", stored[:-1], INVALID, "Length"),
        ("one character more", stored + ".", INVALID, "Length"),
        ("trailing newline", stored + "\n", INVALID, "Length"),
        ("newline for the last character", stored[:-1] + "\n", INVALID, "Base64"),
        ("trailing NUL", stored + "\0", INVALID, "Length"),
        ("trailing dollar sign", stored + "$", INVALID, "Length"),
        ("dollar sign between salt and output", stored[:12] + "$" + stored[12:], INVALID, "Length"),
        ("dollar sign in the salt", stored[:6] + "$" + stored[7:], INVALID, "Base64"),
        ("colon in the salt", stored[:6] + ":" + stored[7:], INVALID, "Base64"),
        ("plus in the output", stored[:16] + "+" + stored[17:], INVALID, "Base64"),
        ("space in the output", stored[:16] + " " + stored[17:], INVALID, "Base64"),
        ("non-ASCII for cost and salt, as many bytes", stored[:3] + "ä" + stored[5:], INVALID, "Base64"),
        ("non-ASCII in the output, as many bytes", stored[:-2] + "ä", INVALID, "Base64"),
        ("plus for the cost", cost("+"), INVALID, "Base64"),
        ("space for the cost", cost(" "), INVALID, "Base64"),
        ("2^0", cost("."), INVALID, "Range"),
        (f"2^{least - 1}, one under the least", cost(ITOA64[least - 1]), INVALID, "Range"),
        (f"2^{most + 1}, one over the most", cost(ITOA64[most + 1]), INVALID, "Range"),
        ("2^63", cost("z"), INVALID, "Range"),
        (f"2^{most}", cost(ITOA64[most]), OVER, "Cost"),
        ("2^25", cost(ITOA64[25]), OVER, "Cost"),
    ]


def phpass():
    stored = ph.phpass.using(rounds=7, salt="saltsalt").hash(PASSWORD)
    assert stored.startswith("$P$5saltsalt")
    spare = [
        (f"output with the bit {bit:b} set beyond its bytes", with_last(stored, ITOA64, bit), INVALID, "Base64")
        for bit in (4, 8, 16, 32)
    ]
    return [
        *portable(stored, 7, 30, "$P$"),
        *spare,
        ("prefix Q", stored.replace("$P$", "$Q$"), UNSUPPORTED, "Scheme"),
    ]


def drupal():
    made = hashlib.sha512(b"saltsalt" + PASSWORD).digest()
    for _ in range(1 << 7):
        made = hashlib.sha512(made + PASSWORD).digest()
    stored = ("$S$5saltsalt" + little_endian(made))[:55]
    return [
        *portable(stored, 7, 30, "$S$"),
        ("all 86 characters of the output", "$S$5saltsalt" + little_endian(made), INVALID, "Length"),
        ("the mark of an account that came from Drupal 6 twice", "UU" + stored, UNSUPPORTED, "Scheme"),
        ("the mark in lower case", "u" + stored, UNSUPPORTED, "Scheme"),
    ]


def grub():
    salt = hashlib.sha512(b"salt").digest()
    text = hashlib.pbkdf2_hmac("sha512", PASSWORD, salt, 10).hex().upper()
    made = lambda rounds, salt=salt.hex().upper(), text=text: f"grub.pbkdf2.sha512.{rounds}.{salt}.{text}"
    stored = made(10)
    return [
        *[(f"iterations: {what}", made(number), INVALID, "Number") for what, number in spellings(10)],
        ("prefix alone", "grub.pbkdf2.sha512.", INVALID, "Structure"),
        ("prefix without its last point", "grub.pbkdf2.sha512", UNSUPPORTED, "Scheme"),
        ("prefix in upper case", stored.replace("grub", "GRUB"), UNSUPPORTED, "Scheme"),
        ("another function", stored.replace("sha512", "sha256"), UNSUPPORTED, "Scheme"),
        ("a line of grub.cfg", "password_pbkdf2 root " + stored, UNSUPPORTED, "Scheme"),
        ("no output", stored.rpartition(".")[0], INVALID, "Structure"),
        ("empty output", made(10, text=""), INVALID, "Length"),
        ("empty salt", made(10, salt=""), INVALID, "Length"),
        ("no iterations", stored.replace(".10.", "."), INVALID, "Structure"),
        ("lower-case output", made(10, text=text.lower()), INVALID, "Number"),
        ("lower-case salt", made(10, salt=salt.hex()), INVALID, "Number"),
        ("one lower-case digit", stored[:-1] + "a", INVALID, "Number"),
        ("no digit in the output", stored[:-1] + "G", INVALID, "Number"),
        ("no digit in the salt", made(10, salt="G" + salt.hex().upper()[1:]), INVALID, "Number"),
        ("one digit short", stored[:-1], INVALID, "Length"),
        ("salt one digit short", made(10, salt=salt.hex().upper()[:-1]), INVALID, "Length"),
        ("non-ASCII in the output, as many bytes", stored[:-2] + "ä", INVALID, "Number"),
        ("trailing point", stored + ".", INVALID, "Structure"),
        ("trailing field", stored + ".00", INVALID, "Structure"),
        ("trailing newline", stored + "\n", INVALID, "Number"),
        ("trailing space", stored + " ", INVALID, "Number"),
        ("trailing NUL", stored + "\0", INVALID, "Number"),
        ("dollar signs for points", stored.replace(".", "$"), UNSUPPORTED, "Scheme"),
        ("a dollar sign before the output", f"{stored.rpartition('.')[0]}${text}", UNSUPPORTED, "Scheme"),
        ("iterations=0", made(0), INVALID, "Range"),
        ("one iteration over the ceiling", made(5_000_001), OVER, "Cost"),
        ("iterations times blocks over the ceiling", made(2_500_001, text="00" * 65), OVER, "Cost"),
        ("2^32-1 iterations", made(4_294_967_295), OVER, "Cost"),
    ]


def firebase():
    """Strings without the project's separator and key, which Supabase Auth writes into them."""
    ours = "$fbscrypt$v=1,n=14,r=8,p=1$42xEC+ixf3L2lw==$" + base64.b64encode(bytes(64)).decode()
    with_project = ours.replace("p=1$", "p=1,ss=Bw==,sk=AA==$")
    return [
        ("the project's fields", with_project, UNSUPPORTED, "Scheme"),
        ("the project's fields, and a field too many", with_project + "$c", UNSUPPORTED, "Scheme"),
        ("the project's key alone", ours.replace("p=1$", "p=1,sk=AA==$"), UNSUPPORTED, "Scheme"),
        ("a field too many", ours + "$c", INVALID, "Structure"),
        ("no output", ours.rpartition("$")[0], INVALID, "Structure"),
        ("version 2", ours.replace("v=1", "v=2"), INVALID, "Range"),
    ]


def keycloak_groups():
    """Invalid credentials: each has one member that is missing or that Keycloak would not write."""
    salt = b"0123456789abcdef"
    output = hashlib.pbkdf2_hmac("sha256", PASSWORD, salt, 10, 32)
    b64 = lambda data: base64.b64encode(data).decode()
    right = {"hashIterations": 10, "algorithm": "pbkdf2-sha256", "additionalParameters": {}}
    secret = {"value": b64(output), "salt": b64(salt), "additionalParameters": {}}
    without = lambda members, name: {k: v for k, v in members.items() if k != name}
    over = [
        ("one iteration over the ceiling", {**right, "hashIterations": 5_000_001}, secret, OVER, "Cost"),
        ("2^31-1 iterations", {**right, "hashIterations": 2**31 - 1}, secret, OVER, "Cost"),
    ]
    pbkdf2 = [
        ("an algorithm that is not Keycloak's", {**right, "algorithm": "pbkdf2-sha384"}, secret, UNSUPPORTED, "Scheme"),
        ("algorithm in upper case", {**right, "algorithm": "PBKDF2-SHA256"}, secret, UNSUPPORTED, "Scheme"),
        ("empty algorithm", {**right, "algorithm": ""}, secret, UNSUPPORTED, "Scheme"),
        ("no algorithm", without(right, "algorithm"), secret, INVALID, "Structure"),
        ("no hashIterations", without(right, "hashIterations"), secret, INVALID, "Structure"),
        ("no value", right, without(secret, "value"), INVALID, "Structure"),
        ("no salt", right, without(secret, "salt"), INVALID, "Structure"),
        ("salt of null", right, {**secret, "salt": None}, INVALID, "Structure"),
        ("empty value", right, {**secret, "value": ""}, INVALID, "Length"),
        ("empty salt", right, {**secret, "salt": ""}, INVALID, "Length"),
        ("value without padding", right, {**secret, "value": b64(output).rstrip("=")}, INVALID, "Base64"),
        ("value with an exclamation mark", right, {**secret, "value": "!" + b64(output)[1:]}, INVALID, "Base64"),
        ("salt in the alphabet of URLs", right, {**secret, "salt": "____" + b64(salt)[4:]}, INVALID, "Base64"),
        ("value with a newline", right, {**secret, "value": b64(output) + "\n"}, INVALID, "Base64"),
        ("iterations as a string", {**right, "hashIterations": "10"}, secret, INVALID, "Number"),
        ("iterations as a fraction", {**right, "hashIterations": 10.5}, secret, INVALID, "Number"),
        ("iterations=0", {**right, "hashIterations": 0}, secret, INVALID, "Range"),
        ("iterations=-1", {**right, "hashIterations": -1}, secret, INVALID, "Range"),
        ("2^32+10 iterations", {**right, "hashIterations": 2**32 + 10}, secret, INVALID, "Range"),
    ]
    parameters = {"hashLength": ["32"], "memory": ["64"], "type": ["id"], "version": ["1.3"], "parallelism": ["1"]}
    argon2 = {"hashIterations": 1, "algorithm": "argon2", "additionalParameters": parameters}
    changed = lambda **more: {**argon2, "additionalParameters": {**parameters, **more}}
    argon2s = [
        ("no parameters", {**argon2, "additionalParameters": {}}, secret, INVALID, "Structure"),
        ("no memory", {**argon2, "additionalParameters": without(parameters, "memory")}, secret, INVALID, "Structure"),
        ("memory of two values", changed(memory=["64", "65"]), secret, INVALID, "Structure"),
        ("memory of no value", changed(memory=[]), secret, INVALID, "Structure"),
        ("memory with a leading zero", changed(memory=["064"]), secret, INVALID, "Number"),
        ("memory with a plus", changed(memory=["+64"]), secret, INVALID, "Number"),
        ("memory of 7 KiB", changed(memory=["7"]), secret, INVALID, "Range"),
        ("iterations=0", {**argon2, "hashIterations": 0}, secret, INVALID, "Range"),
        ("a length that is not the value's", changed(hashLength=["31"]), secret, INVALID, "Length"),
        ("an unknown type", changed(type=["ds"]), secret, UNSUPPORTED, "Scheme"),
        ("an unknown version", changed(version=["1.4"]), secret, UNSUPPORTED, "Scheme"),
        ("4 GiB of memory", changed(memory=["4194304"]), secret, OVER, "Cost"),
        ("10^6 iterations", {**argon2, "hashIterations": 1_000_000}, secret, OVER, "Cost"),
        ("17 lanes", changed(memory=["136"], parallelism=["17"]), secret, OVER, "Cost"),
    ]
    groups = []
    for scheme, rows in (("keycloak-pbkdf2", pbkdf2 + over), ("keycloak-argon2", argon2s)):
        tests = []
        for comment, data, kept, code, flag in rows:
            texts = {"credentialData": json.dumps(data, separators=(",", ":")), "secretData": json.dumps(kept, separators=(",", ":"))}
            tests.append({"comment": comment, "password": PASSWORD, **texts, "result": code, "flags": [flag]})
        groups.append(family.group(scheme, f"Saltern: {scheme}", "1", tests))
    for comment, text in (("no JSON", "pbkdf2-sha256"), ("half a JSON", '{"hashIterations":10'), ("an array", "[]"), ("empty", "")):
        texts = {"credentialData": text, "secretData": json.dumps(secret, separators=(",", ":"))}
        groups[0]["tests"].append({"comment": comment, "password": PASSWORD, **texts, "result": INVALID, "flags": ["Structure"]})
    return groups
