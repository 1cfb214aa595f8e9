"""The kinds of stored values, and what becomes of each.

The strings of known software are from the test vectors, which that software made. Python's hashlib
makes the values of sites by their formulas, and libxcrypt made those of bcrypt.
"""

import base64
import collections
import hashlib
import hmac
import json
import pathlib
import re

CLI = pathlib.Path(__file__).resolve().parents[1]
VECTORS = CLI.parents[1] / "testing/vectors/data"
PASSWORD = "saltern"
SALT = "8Jq4xZ0p"

# `convert`: the arguments of `saltern convert`. `told`: the reason of `migrate-plan` why the value
# cannot come as it is.
Kind = collections.namedtuple("Kind", ["name", "value", "salt", "password", "convert", "told"])

# 64 times `0f`, and `site pepper`.
KEYS = {
    "current": "a",
    "keys": [{"id": "a", "key": "A" * 43 + "="}],
    "site_keys": [
        {"id": "devise", "key": base64.b64encode(b"0f" * 64).decode()},
        {"id": "old-site", "key": base64.b64encode(b"site pepper").decode()},
    ],
}

# The example of github.com/firebase/scrypt.
FIREBASE_PROJECT = """hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
"""


def all_kinds():
    return [*of_software(), *of_sites(), *of_the_commands(), *not_coming()]


def salted(number, letters="", function="sha256"):
    """A hash and a salt of a site: of SHA-256, the digest of salt and password."""
    salt = f"{letters}salt-{number:08}"
    return digest(function, f"{salt}password {number}"), salt


def of_software():
    """One string of each program in the vectors."""
    kinds = []
    for topic in ("foreign", "crypt", "frameworks", "ldap", "products", "deviations"):
        for group in json.loads((VECTORS / f"{topic}.json").read_text(encoding="utf-8"))["testGroups"]:
            if group["type"] != "verify" or re.search("single cases|random", group["source"]["name"]):
                continue
            for test in group["tests"]:
                password = bytes.fromhex(test["password"])
                if test["result"] == "match" and password.isascii() and b"\0" not in password and password:
                    name = group["source"]["name"]
                    kinds.append(Kind(name, test["hash"], None, password.decode(), None, None))
                    break
    return kinds


def digest(function, data):
    return hashlib.new(function, data if isinstance(data, bytes) else data.encode()).hexdigest()


def of_sites():
    p, s = PASSWORD, SALT
    double = hashlib.sha1(hashlib.sha1(p.encode()).digest()).hexdigest()
    random = "00112233445566778899aabbccddeeff"
    bcrypt = "$2b$05$abcdefghijklmnopqrstuu"
    pbkdf2 = lambda function, salt, count, length: hashlib.pbkdf2_hmac(function, p.encode(), salt, count, length)
    scrypt = lambda r: hashlib.scrypt(p.encode(), salt=random.encode(), n=16384, r=r, p=1, dklen=64, maxmem=1 << 28)
    kinds = [(f"{function} alone", digest(function, p), None, function) for function in ("md5", "sha1", "sha256", "sha384", "sha512")]
    for function in ("md5", "sha1", "sha256", "sha512"):
        kinds += [
            (f"{function}, salt first, salt:hash", f"{s}:{digest(function, s + p)}", None, f"{function}-salt-password"),
            (f"{function}, salt last, hash:salt", f"{digest(function, p + s)}:{s}", None, f"{function}-password-salt --order hash-salt"),
            (f"{function}, salt of a column", digest(function, s + p), s, f"{function}-salt-password"),
            (f"{function}, salt on both sides", digest(function, s + p + s), s, f"{function}-salt-password-salt"),
        ]
    kinds += [
        ("upper-case digits", digest("md5", p).upper(), None, "md5"),
        ("Base64 of a digest", base64.b64encode(hashlib.sha256(p.encode()).digest()).decode(), None, "sha256"),
        ("hexadecimal of SQL", "0x" + digest("sha1", p), None, "sha1"),
        ("HMAC under the salt", hmac.new(s.encode(), p.encode(), "sha256").hexdigest(), s, "hmac-sha256"),
        ("Django before 1.4", f"sha1${s}${digest('sha1', s + p)}", None, "sha1-salt-password --separator '$'"),
        ("hexadecimal behind a label of LDAP", "{MD5}" + digest("md5", p), None, "md5"),
        ("md5(salt + md5(password))", digest("md5", s + digest("md5", p)), s, "md5-salt-md5"),
        ("restful_authentication of Rails", digest("sha1", f"--{s}--{p}--"), s, "restful-authentication"),
        ("bcrypt of SHA-256 in hexadecimal", bcrypt + "qZrBTTsPWDEKQRxxwBHHHi2MyWuYc9e", None, "sha256-hex"),
        ("vBulletin", digest("md5", digest("md5", p) + "x{!"), "x{!", "vbulletin"),
        ("Invision Power Board", digest("md5", digest("md5", "Q7sfp") + digest("md5", p)), "Q7sfp", "ipb"),
        ("MySQL", "*" + double.upper(), None, None),
        ("MySQL in lower case", "*" + double, None, "mysql"),
        ("MySQL without its star", double, None, "mysql"),
        ("Node, pbkdf2, salt:hash", f"{random}:{pbkdf2('sha512', random.encode(), 1000, 64).hex()}", None, "pbkdf2-sha512 --iterations 1000"),
        (
            "Node, pbkdf2, hash.salt of bytes",
            f"{pbkdf2('sha256', bytes.fromhex(random), 2048, 32).hex()}.{random}",
            None,
            "pbkdf2-sha256 --iterations 2048 --order hash-salt --separator . --salt-encoding hex",
        ),
        ("PBKDF2 with a short salt", pbkdf2("sha512", b"pepper", 1000, 64).hex(), "pepper", "pbkdf2-sha512 --iterations 1000"),
        ("Node, scrypt, salt:hash", f"{random}:{scrypt(8).hex()}", None, "scrypt"),
        ("Node, scrypt, hash.salt", f"{scrypt(16).hex()}.{random}", None, "scrypt --scrypt-r 16 --order hash-salt --separator ."),
        ("bcrypt of MD5", bcrypt + "kwmtBCisHk0zb6Hu53ELq3z.q5OLjDi", None, "md5-hex"),
        ("bcrypt of SHA-1", bcrypt + "InNpHIr0WYubOKDvnJbavEIGOikos7K", None, "sha1-hex"),
        ("bcrypt of SHA-256", bcrypt + "IPw1vKYubnHxZsvjzu4O.JhFAPCKpiG", None, "sha256-base64"),
        ("Devise's pepper", bcrypt + "aKFq2U5QrrWnXWSkm1DUfeFC6ZXrKZC", None, "pepper-append --site-key devise"),
        ("a pepper before", bcrypt + ".iHh6ThHRN8WRfUlqv2TCvvhNRNI6FK", None, "pepper-prepend --site-key old-site"),
    ]
    made = [Kind(name, value, salt, p, source and f"--from {source}", None) for name, value, salt, source in kinds]
    firebase = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
    project = "--from firebase --firebase-project $HOME/firebase-project"
    return [*made, Kind("Firebase", firebase, "42xEC+ixf3L2lw==", "user1password", project, None), keycloak()]


def keycloak():
    salt = b"somesaltsomesalt"
    value = hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), salt, 27500, 64)
    secret = {"value": base64.b64encode(value).decode(), "salt": base64.b64encode(salt).decode(), "additionalParameters": {}}
    data = {"hashIterations": 27500, "algorithm": "pbkdf2-sha256", "additionalParameters": {}}
    return Kind("Keycloak", json.dumps(secret), json.dumps(data), PASSWORD, "--from keycloak", None)


def of_the_commands():
    """Software whose form states everything, from the tests of `saltern convert`."""
    lines = (CLI / "commands/kinds.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" ")[:3] for line in lines if line.startswith(("liferay ", "magento2 ", "mosquitto ", "nextcloud ", "redmine "))]
    return [Kind(source, value, None if salt == "-" else salt, PASSWORD, f"--from {source}", None) for source, value, salt in rows]


def not_coming():
    bcrypt = "$2b$05$abcdefghijklmnopqrstuu"
    hexadecimal = "0123456789abcdef" * 10
    values = [
        ("NULL", None, "no_password"),
        ("an empty text", "", "no_password"),
        ("a locked account", "!", "no_password"),
        ("Django without a password", "!AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd", "no_password"),
        ("a locked hash", "!" + bcrypt + "kwmtBCisHk0zb6Hu53ELq3z.q5OLjDi", "no_password"),
        ("a hash that was cut off", bcrypt + "kwmtBCisHk0z", "invalid_hash"),
        ("$2x$", bcrypt.replace("2b", "2x") + "kwmtBCisHk0zb6Hu53ELq3z.q5OLjDi", "foreign"),
        ("a Spring Security password in clear", "{noop}saltern", "unsupported_hash"),
        ("a password in clear", "hunter2", "no_hash"),
        ("NTLM", "b7265f8cc4f00b58f413076ead262720", "bare_digest"),
        ("SHA3-256", digest("sha3_256", PASSWORD), "bare_digest"),
        ("BLAKE2b", digest("blake2b", PASSWORD), "bare_digest"),
        ("OpenCart", digest("sha1", SALT + digest("sha1", SALT + digest("sha1", PASSWORD))), "bare_digest"),
        ("Gitea", hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), SALT.encode(), 10000, 50).hex(), "may_be_hash"),
        ("ASP.NET Membership", base64.b64encode(hashlib.sha1((SALT + PASSWORD).encode("utf-16-le")).digest()).decode(), "encoded"),
        ("Werkzeug's HMAC of SHA-1", f"sha1${SALT}${hmac.digest(SALT.encode(), PASSWORD.encode(), 'sha1').hex()}", "salt_and_digest"),
        ("Cisco 8", "$8$dsYGNam3K1SIJO$7nv/35M/qr6t.dVc7UY9zrJDWRVqncHub1PE9UlMQFs", "foreign"),
        ("Cisco 9", "$9$nhEmQVczB7dqsO$X.HsgL6x1il0RxkOSSvyQYwucySCt7qFm4v7pqCxkKM", "foreign"),
        ("CouchDB", f"-pbkdf2-{hexadecimal[:40]},{hexadecimal[:32]},10", "foreign"),
        ("Microsoft SQL Server 2012", "0x0200" + hexadecimal[:136], "foreign"),
        ("MySQL's caching_sha2_password", "$A$005$" + "s" * 20 + "x" * 43, "foreign"),
        ("Oracle 11", "S:" + hexadecimal[:60].upper(), "foreign"),
        ("Oracle 12", "T:" + hexadecimal.upper(), "foreign"),
        ("PostgreSQL's md5", "md5" + digest("md5", PASSWORD + "user"), "foreign"),
        ("PostgreSQL's SCRAM", "SCRAM-SHA-256$4096:c2FsdA==$AAAA=:BBBB=", "foreign"),
        ("MongoDB's SCRAM", json.dumps({"SCRAM-SHA-256": {"iterationCount": 15000}}), "foreign"),
        ("a row of Okta or Auth0", json.dumps({"algorithm": "BCRYPT", "workFactor": 10}), "foreign"),
        ("Magento 2, upgraded by itself", hexadecimal[:64] + ":salt:1:2", "foreign"),
        ("a sealed hash", "$saltern-seal$v=1,k=other$" + "A" * 16 + "$" + "A" * 40, "sealed"),
    ]
    return [Kind(name, value, None, None, None, told) for name, value, told in values]
