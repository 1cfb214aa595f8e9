"""The files of other projects that the generators run and do not hold: fetched once into `.sources`, told by digest."""

import hashlib
import pathlib
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parent / ".sources"
FILES = {
    # WordPress 6.8.3.
    "wp-includes/pluggable.php": (
        "https://raw.githubusercontent.com/pantheon-systems/WordPress/a476c19dbe69230eb43826d9edd11051ecd7c448/wp-includes/pluggable.php",
        "580d98f37d5b844a9d9ac92a69d0d86bb680570444e03bafc9c2ecda26dd9a96",
    ),
    "wp-includes/class-phpass.php": (
        "https://raw.githubusercontent.com/pantheon-systems/WordPress/a476c19dbe69230eb43826d9edd11051ecd7c448/wp-includes/class-phpass.php",
        "eac68d6268d6704c8ca3195a731a6cc476e6dbfc6a604adb784886e3a0b10221",
    ),
    # Drupal 7.9-dev; the algorithm is that of 7.0 to 7.103.
    "password.inc": (
        "https://raw.githubusercontent.com/mattpclark/drupal7_base/0782f90deac78f3f324e29dfff107c6f16811570/includes/password.inc",
        "c3fc2fef03822dfe9981bab502a37893f8865ff529ad34cf9be9a17e86add510",
    ),
    # The last Werkzeug that hashed by HMAC alone.
    "Werkzeug-2.2.3-py3-none-any.whl": (
        "https://files.pythonhosted.org/packages/f6/f8/9da63c1617ae2a1dec2fbf6412f3a0cfe9d4ce029eccbda6e1e4258ca45f/Werkzeug-2.2.3-py3-none-any.whl",
        "56433961bc1f12533306c624f3be5e744389ac61d722175d543e1751285da612",
    ),
    # What .NET Core 3.1 wants for its hash functions.
    "libssl1.1.deb": (
        "https://deb.debian.org/debian/pool/main/o/openssl/libssl1.1_1.1.1w-0+deb11u1_amd64.deb",
        "aadf8b4b197335645b230c2839b4517aa444fd2e8f434e5438c48a18857988f7",
    ),
}


def have(name):
    """The path of a file, fetched if it is not there."""
    path = FOLDER / name
    url, digest = FILES[name]
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(urllib.request.urlopen(url).read())
    if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        raise SystemExit(f"{path} is not the file that was run; delete it, or find out what changed at {url}")
    return path
