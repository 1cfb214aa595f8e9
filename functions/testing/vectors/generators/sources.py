"""Files of other projects that the generators run, fetched once into `.sources`."""

import hashlib
import pathlib
import subprocess
import sys
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parent / ".sources"


def repository(owner_and_name, commit, path):
    def fetch(target):
        url = f"https://raw.githubusercontent.com/{owner_and_name}/{commit}/{path}"
        target.write_bytes(urllib.request.urlopen(url).read())

    return fetch


def python_package(name, version):
    def fetch(target):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*pip, "--dest", target.parent, f"{name}=={version}"], check=True)

    return fetch


def debian_package(name, version):
    """Needs a release of Debian among apt's sources that has this version."""

    def fetch(target):
        subprocess.run(["apt-get", "download", f"{name}={version}"], cwd=target.parent, check=True)
        next(target.parent.glob(f"{name}_*.deb")).rename(target)

    return fetch


# For each file where it comes from and its SHA-256.
FILES = {
    # WordPress 6.8.3.
    "wp-includes/pluggable.php": (
        repository("pantheon-systems/WordPress", "a476c19dbe69230eb43826d9edd11051ecd7c448", "wp-includes/pluggable.php"),
        "580d98f37d5b844a9d9ac92a69d0d86bb680570444e03bafc9c2ecda26dd9a96",
    ),
    "wp-includes/class-phpass.php": (
        repository("pantheon-systems/WordPress", "a476c19dbe69230eb43826d9edd11051ecd7c448", "wp-includes/class-phpass.php"),
        "eac68d6268d6704c8ca3195a731a6cc476e6dbfc6a604adb784886e3a0b10221",
    ),
    # Drupal 7.9-dev; the algorithm is that of 7.0 to 7.103.
    "password.inc": (
        repository("mattpclark/drupal7_base", "0782f90deac78f3f324e29dfff107c6f16811570", "includes/password.inc"),
        "c3fc2fef03822dfe9981bab502a37893f8865ff529ad34cf9be9a17e86add510",
    ),
    # The last Werkzeug that hashed by HMAC alone.
    "Werkzeug-2.2.3-py3-none-any.whl": (
        python_package("Werkzeug", "2.2.3"),
        "56433961bc1f12533306c624f3be5e744389ac61d722175d543e1751285da612",
    ),
    # .NET Core 3.1 needs this library for its hash functions.
    "libssl1.1.deb": (
        debian_package("libssl1.1", "1.1.1w-0+deb11u1"),
        "aadf8b4b197335645b230c2839b4517aa444fd2e8f434e5438c48a18857988f7",
    ),
}


def have(name):
    """The path of a file, fetched if it is not there."""
    path = FOLDER / name
    fetch, digest = FILES[name]
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fetch(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        raise SystemExit(f"{path} has another digest than the file that the generators ran: delete it to fetch it again")
    return path
