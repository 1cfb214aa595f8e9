"""products.json: hashes that WordPress, phpBB, Drupal, Firebase, Keycloak and GRUB store.

The makers are PHP files of WordPress and Drupal (sources.py fetches them), GRUB's program,
Keycloak's classes, and a package of Node for Firebase's scrypt. Python computes each hash again.
"""

import base64
import hashlib
import hmac
import importlib.metadata
import json
import warnings

warnings.filterwarnings("ignore")

import argon2.low_level
import bcrypt
import passlib.hash as ph

import family
import products_hostile
import sources
import vector_file
from crypt_hashes import little_endian, ITOA64
from family import PASSWORD, PASSWORDS, WRONG, ascii_of, test


def main():
    groups = [*wordpress(), *phpass(), *drupal(), *grub(), *firebase(), *keycloak()]
    for group in groups:
        for case in group["tests"]:
            if case["result"] != "cost_out_of_bounds" and matches(group, case) != (case["result"] == "match"):
                raise SystemExit(f"computed again, it is another: {case}")
    groups += products_hostile.groups()
    for hostile in products_hostile.keycloak_groups():
        groups.append({**hostile, "type": "keycloak"})
    vector_file.write(
        "products",
        "Hashes of WordPress, phpBB, Drupal, GRUB, Firebase and Keycloak, and what must be refused.",
        "generators/products.py",
        family.notes(
            groups,
            OlderJson="The JSON of Keycloak before 7, which has no additionalParameters, or with the members in another order.",
            UrlAlphabet="Base64 with - and _ for + and /, as the Firebase Admin SDK writes it.",
            Trimmed="WordPress takes spaces from the ends of a new password, and in wp_authenticate of one that it checks.",
        ),
        groups,
    )


def wordpress():
    for name in ("wp-includes/pluggable.php", "wp-includes/class-phpass.php"):
        sources.have(name)
    run = lambda cost, passwords=None: family.run_json(["php", "wordpress.php", cost], passwords)
    version = "WordPress 6.8.3 under " + family.run(["php", "-r", "echo 'PHP ', PHP_VERSION;"]).decode()
    cheap = run("4")
    groups = [
        family.made("wordpress", "WordPress wp_hash_password", version, cheap["wordpress"]),
        family.made("phpass", "WordPress PasswordHash, 2^13", version, cheap["phpass"], ["DefaultCost"]),
        family.made("phpass", "WordPress PasswordHash, least cost", version, cheap["phpass, least cost"]),
    ]
    stored = run("", [PASSWORD])["wordpress"][0]
    tests = [
        test("default cost", PASSWORD, stored, flags=["DefaultCost"]),
        test("default cost, wrong password", WRONG, stored, "mismatch", ["DefaultCost"]),
    ]
    passwords = [b"", ascii_of(71), ascii_of(72), ascii_of(73), ascii_of(128), ascii_of(129), ascii_of(1024)]
    for password, stored in zip(passwords, run("4", [p for p in passwords])["wordpress"], strict=True):
        flags = ["LongPassword"] if len(password) >= 72 else []
        tests.append(test(f"password of {len(password)} bytes", password.strip(), stored, flags=flags))
    tests.append(test("one byte less than 1,024", ascii_of(1023), stored, "mismatch", ["LongPassword"]))
    spaced, nul = run("4", [b" saltern ", b"salt\0ern"])["wordpress"]
    tests += [
        test("made with spaces at its ends", b"saltern", spaced, flags=["Trimmed"]),
        test("spaces at its ends, as it was made", b" saltern ", spaced, flags=["Trimmed"]),
        test("a NUL in the password", b"salt\0ern", nul, flags=["Nul"]),
        test("a NUL in the password, what stands before it", b"salt", nul, "mismatch", ["Nul"]),
        test("the HMAC instead of the password", wordpress_key(PASSWORD), tests[0]["hash"], "mismatch"),
    ]
    return [*groups, family.group("wordpress", "WordPress wp_hash_password, single cases", version, tests)]


def phpass():
    version = f"passlib {importlib.metadata.version('passlib')}"
    groups = []
    for ident in "PH":
        cheap = ph.phpass.using(rounds=7, ident=ident)
        hashes = [cheap.hash(password) for _, password in PASSWORDS]
        groups.append(family.made("phpass", f"passlib phpass, ${ident}$", version, hashes))
    tests = [test("passlib's default cost, 2^19", PASSWORD, ph.phpass.hash(PASSWORD), flags=["DefaultCost"])]
    for rounds in (8, 11, 13, 15):
        tests.append(test(f"2^{rounds}", PASSWORD, ph.phpass.using(rounds=rounds, ident="H").hash(PASSWORD)))
    for length in (0, 39, 40, 47, 48, 55, 56, 64, 128, 1024):
        password = ascii_of(length)
        stored = ph.phpass.using(rounds=7).hash(password)
        tests.append(test(f"password of {length} bytes", password, stored, flags=["LongPassword"]))
    tests.append(test("one byte less than 1,024", ascii_of(1023), tests[-1]["hash"], "mismatch", ["LongPassword"]))
    return [*groups, family.group("phpass", "passlib phpass, single cases", version, tests)]


def drupal():
    sources.have("password.inc")
    run = lambda log2, passwords=None: family.run_json(["php", "drupal.php", str(log2)], passwords)
    version = "Drupal 7.9-dev under " + family.run(["php", "-r", "echo 'PHP ', PHP_VERSION;"]).decode()
    groups = [
        family.made("drupal7", "Drupal user_hash_password, least cost", version, run(7)),
        family.made("drupal7", "Drupal user_hash_password", version, run(0), ["DefaultCost"]),
    ]
    tests = [test(f"2^{log2}", PASSWORD, run(log2, [PASSWORD])[0]) for log2 in (8, 10, 14, 16)]
    # Since 7.34, Drupal rejects more than 512 bytes.
    passwords = [ascii_of(length) for length in (0, 47, 48, 63, 64, 65, 111, 112, 128, 512)]
    for password, stored in zip(passwords, run(7, passwords), strict=True):
        tests.append(test(f"password of {len(password)} bytes", password, stored, flags=["LongPassword"]))
    tests.append(test("one byte less than 512", ascii_of(511), stored, "mismatch", ["LongPassword"]))
    nul = run(7, [b"salt\0ern"])[0]
    tests.append(test("a NUL in the password", b"salt\0ern", nul, flags=["Nul"]))
    tests.append(test("a NUL in the password, what stands before it", b"salt", nul, "mismatch", ["Nul"]))
    groups.append(family.group("drupal7", "Drupal user_hash_password, single cases", version, tests))
    return [*groups, drupal_updated(run, version)]


def drupal_updated(run, version):
    """Digests of Drupal 6 after user_update_7000: a `U`, and the hash of an MD5 in hex at 2^11."""
    texts = [hashlib.md5(password).hexdigest().encode() for _, password in PASSWORDS]
    hashes = ["U" + stored for stored in run(11, texts)]
    made = family.made("drupal7-updated", "Drupal user_update_7000", version, hashes)
    digest = hashlib.md5(PASSWORD).hexdigest()
    # Drupal 6 with the module phpass has the other form. user_check_password reads it too.
    portable = "U" + ph.phpass.using(rounds=7).hash(digest)
    made["tests"] += [
        test("portable hash", PASSWORD, portable),
        test("portable hash, the digest given", digest.encode(), portable, "mismatch"),
    ]
    return made


def grub():
    version = family.debian("grub-common")
    groups = [
        family.made("grub-pbkdf2-sha512", "grub-mkpasswd-pbkdf2 -c 10", version, [mkpasswd(p, "-c", "10") for _, p in PASSWORDS]),
        family.made("grub-pbkdf2-sha512", "grub-mkpasswd-pbkdf2", version, [mkpasswd(p) for _, p in PASSWORDS], ["DefaultCost"]),
    ]
    tests = [test(f"salt of {n} bytes", PASSWORD, mkpasswd(PASSWORD, "-c", "10", "-s", str(n)), flags=["SaltLength"]) for n in (8, 16, 32, 128)]
    tests += [test(f"output of {n} bytes", PASSWORD, mkpasswd(PASSWORD, "-c", "10", "-l", str(n))) for n in (16, 32, 63, 65, 128)]
    tests.append(test("1 iteration", PASSWORD, mkpasswd(PASSWORD, "-c", "1")))
    groups.append(family.group("grub-pbkdf2-sha512", "grub-mkpasswd-pbkdf2, single cases", version, tests))
    hashes = [ph.grub_pbkdf2_sha512.using(rounds=10).hash(password) for _, password in PASSWORDS]
    version = f"passlib {importlib.metadata.version('passlib')}"
    return [*groups, family.made("grub-pbkdf2-sha512", "passlib grub_pbkdf2_sha512", version, hashes)]


def mkpasswd(password, *options):
    printed = family.run(["grub-mkpasswd-pbkdf2", *options], (password + b"\n") * 2).decode()
    return printed.strip().rpartition(" ")[2]


# The project and the user that Google publishes with its scrypt program.
PUBLISHED = {
    "signerKey": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
    "saltSeparator": "Bw==",
    "rounds": 8,
    "memCost": 14,
}
PUBLISHED_USER = (
    b"user1password",
    "42xEC+ixf3L2lw==",
    "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
)


def firebase():
    cheap = {**PUBLISHED, "signerKey": b64(family.drawn("signer", 64)), "memCost": 4, "rounds": 2}
    groups = []
    for name, project, flags in (("cheap project", cheap, []), ("project with the defaults", PUBLISHED, ["DefaultCost"])):
        users = [(password, b64(family.drawn(f"{name} {kind}", 10))) for kind, password in PASSWORDS]
        version, hashes = firebase_hashes(project, users)
        tests = [
            user(kind, password, salt, stored, flags=flags)
            for (kind, _), (password, salt), stored in zip(PASSWORDS, users, hashes, strict=True)
        ]
        tests.append(user("wrong password", WRONG, users[0][1], hashes[0], "mismatch", flags))
        groups.append(firebase_group(f"Node package firebase-scrypt, {name}", version, project, tests))
    users = [(ascii_of(length), b64(family.drawn(f"firebase {length}", 10))) for length in (64, 65, 1024)]
    users += [(PASSWORD, b64(family.drawn(f"firebase salt {length}", length))) for length in (1, 8, 16, 32)]
    version, hashes = firebase_hashes(cheap, users)
    tests = [
        user(f"password of {len(p)} bytes, salt of {len(base64.b64decode(s))}", p, s, stored)
        for (p, s), stored in zip(users, hashes, strict=True)
    ]
    # listUsers() of the Admin SDK differs from `firebase auth:export` by the alphabet of URLs.
    url = lambda text: text.replace("+", "-").replace("/", "_")
    tests += [
        user(f"{case['comment']}, from listUsers()", case["password"], url(case["salt"]), url(case["passwordHash"]), flags=["UrlAlphabet"])
        for case in tests
    ]
    groups.append(firebase_group("Node package firebase-scrypt, single cases", version, cheap, tests))
    password, salt, stored = PUBLISHED_USER
    tests = [user("user1", password, salt, stored), user("wrong password", WRONG, salt, stored, "mismatch")]
    return [*groups, firebase_group("Google's scrypt, README", "firebase/scrypt", PUBLISHED, tests)]


def firebase_hashes(project, users):
    asked = {"project": project, "users": [{"password": p.hex(), "salt": s} for p, s in users]}
    said = json.loads(family.run(["node", "firebase.mjs"], json.dumps(asked).encode()))
    return said["version"], said["hashes"]


def user(comment, password, salt, stored, result="match", flags=()):
    return {"comment": comment, "password": password, "salt": salt, "passwordHash": stored, "result": result, "flags": list(flags)}


def firebase_group(name, version, project, tests):
    group = family.group("firebase-scrypt", name, version, tests)
    return {**{k: v for k, v in group.items() if k != "tests"}, "type": "firebase", "project": project, "tests": tests}


def keycloak():
    """Rows of the table `credential` of Keycloak, or of an exported realm: two JSON texts each."""
    # 1,300,000 iterations for each of four blocks.
    over = "pbkdf2, default cost"
    singles = [ascii_of(length) for length in (1, 64, 65, 1024)] + [b"salt\0ern"]
    made = family.java("Keycloak.java", [password for _, password in PASSWORDS] + singles)
    groups = []
    for kind, credentials in made.items():
        scheme = "keycloak-argon2" if kind.startswith("argon2") else "keycloak-pbkdf2"
        flags = ["DefaultCost"] if "default" in kind or "64 bytes" in kind else []
        tests = [
            credential(name, password, stored, "cost_out_of_bounds" if kind == over else "match", ["Cost"] if kind == over else flags)
            for (name, password), stored in zip(PASSWORDS, credentials[: len(PASSWORDS)], strict=True)
        ]
        if kind != over:
            tests.append(credential("wrong password", WRONG, credentials[0], "mismatch", flags))
        groups.append(keycloak_group(scheme, f"Keycloak {kind}", tests))
        if kind not in ("pbkdf2-sha256", "argon2"):
            continue
        tests = [
            credential(f"password of {len(password)} bytes", password, stored, flags=["LongPassword"])
            for password, stored in zip(singles[:-1], credentials[len(PASSWORDS) :], strict=False)
        ]
        tests.append(credential("a NUL in the password", singles[-1], credentials[-1], flags=["Nul"]))
        tests.append(credential("a NUL in the password, what stands before it", b"salt", credentials[-1], "mismatch", ["Nul"]))
        if kind == "pbkdf2-sha256":
            tests += older_json(credentials[0])
        groups.append(keycloak_group(scheme, f"Keycloak {kind}, single cases", tests))
    return groups


def older_json(stored):
    data, secret = (json.loads(stored[name]) for name in ("credentialData", "secretData"))
    password = PASSWORDS[0][1]
    without = lambda members: {name: value for name, value in members.items() if name != "additionalParameters"}
    texts = [
        ("no additionalParameters", without(data), without(secret)),
        ("another order", dict(reversed(data.items())), dict(reversed(secret.items()))),
    ]
    made = [
        credential(name, password, {"credentialData": compact(data), "secretData": compact(secret)}, flags=["OlderJson"])
        for name, data, secret in texts
    ]
    spaced = {"credentialData": json.dumps(data), "secretData": json.dumps(secret)}
    return [*made, credential("spaces between the members", password, spaced, flags=["OlderJson"])]


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def credential(comment, password, stored, result="match", flags=()):
    texts = {"credentialData": stored["credentialData"], "secretData": stored["secretData"]}
    return {"comment": comment, "password": password, **texts, "result": result, "flags": list(flags)}


def keycloak_group(scheme, name, tests):
    return {**family.group(scheme, name, "Keycloak 26.5.0", tests), "type": "keycloak"}


def b64(data):
    return base64.b64encode(data).decode()


def wordpress_key(password):
    return base64.b64encode(hmac.digest(b"wp-sha384", password, "sha384"))


def matches(group, case):
    scheme, password = group["scheme"], case["password"]
    if scheme == "firebase-scrypt":
        return firebase_matches(group["project"], password, case["salt"], case["passwordHash"])
    if scheme.startswith("keycloak-"):
        return keycloak_matches(password, json.loads(case["credentialData"]), json.loads(case["secretData"]))
    stored = case["hash"]
    if scheme == "wordpress":
        return bcrypt.checkpw(wordpress_key(password.strip(b" \t\n\r\0\x0b")), stored.removeprefix("$wp").encode())
    if scheme == "grub-pbkdf2-sha512":
        rounds, salt, output = stored.removeprefix("grub.pbkdf2.sha512.").split(".")
        made = hashlib.pbkdf2_hmac("sha512", password, bytes.fromhex(salt), int(rounds), len(output) // 2)
        return made.hex().upper() == output
    if scheme == "drupal7-updated":
        stored, password = stored[1:], hashlib.md5(password).hexdigest().encode()
    function = "sha512" if stored.startswith("$S$") else "md5"
    made = hashlib.new(function, stored[4:12].encode() + password).digest()
    for _ in range(1 << ITOA64.index(stored[3])):
        made = hashlib.new(function, made + password).digest()
    return (stored[:12] + little_endian(made))[:55] == stored


def keycloak_matches(password, data, secret):
    salt, output = base64.b64decode(secret["salt"]), base64.b64decode(secret["value"])
    if data["algorithm"] != "argon2":
        function = {"pbkdf2": "sha1", "pbkdf2-sha256": "sha256", "pbkdf2-sha512": "sha512"}[data["algorithm"]]
        return hashlib.pbkdf2_hmac(function, password, salt, data["hashIterations"], len(output)) == output
    more = {name: value for name, (value,) in data["additionalParameters"].items()}
    kind = {"d": argon2.low_level.Type.D, "i": argon2.low_level.Type.I, "id": argon2.low_level.Type.ID}[more["type"]]
    version = {"1.0": 16, "1.3": 19}[more["version"]]
    costs = data["hashIterations"], int(more["memory"]), int(more["parallelism"]), int(more["hashLength"])
    return argon2.low_level.hash_secret_raw(password, salt, *costs, kind, version) == output


def firebase_matches(project, password, salt, stored):
    decode = lambda text: base64.b64decode(text.replace("-", "+").replace("_", "/"))
    salt = decode(salt) + decode(project["saltSeparator"])
    n, r = 1 << project["memCost"], project["rounds"]
    key = hashlib.scrypt(password, salt=salt, n=n, r=r, p=1, dklen=32, maxmem=1 << 30)
    command = ["openssl", "enc", "-aes-256-ctr", "-nopad", "-K", key.hex(), "-iv", "00" * 16]
    return family.run(command, decode(project["signerKey"])) == decode(stored)


if __name__ == "__main__":
    main()
