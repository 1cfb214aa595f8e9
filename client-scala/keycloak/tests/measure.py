"""Measures logins at rising rates: Keycloak alone, and with Saltern.

Keycloak has the first core, and Saltern and k6 share the second one. The processor time of Keycloak
is that of its process. Prints a table. It takes some half an hour on an idle machine.

usage: client-scala/keycloak/tests/run --measure [RATE …]
The default is 5, 10, 20, 40 and 80 logins a second.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import keycloak

VERSION = "26.0.0"
RATES = [5, 10, 20, 40, 80]
REFRESHES = 10
SECONDS = 20
USERS = 400


def main(*rates):
    realm = json.loads(keycloak.REALM.read_text())
    rows = {user["username"]: user.get("credentials") for user in realm["users"]}
    print("| rows | hashed by | logins a second | answered 200 | CPU of Keycloak per login, ms | median of a login, ms | p99 of a refresh, ms |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for by in ("Keycloak", "Saltern"):
        for row in ("argon2id-default", "pbkdf2-sha512"):
            with tempfile.TemporaryDirectory() as folder:
                measured(pathlib.Path(folder), realm, row, rows[row], by, [int(rate) for rate in rates] or RATES)


def measured(folder, realm, row, credentials, by, rates):
    server = keycloak.Keycloak(VERSION, folder, keycloak.jdk(17))
    server.prefix = ["taskset", "--cpu-list", "0"]
    users = [
        {"username": f"user-{number}", "enabled": True, "firstName": "A", "lastName": "B", "email": f"u{number}@example.org", "credentials": credentials}
        for number in range(USERS)
    ]
    played = {**realm, "users": users, "bruteForceProtected": False}
    options = ["--cache=local"]
    saltern = keycloak.Saltern(folder / "saltern.log")
    if by == "Saltern":
        shutil.copy(keycloak.JAR, server.jar)
        saltern.prefix = ["taskset", "--cpu-list", "1"]
        # The rows stay as they are, so that every rate meets the same ones.
        saltern.options += ["--upgrades", "off"]
        saltern.start()
        options += [server.option("url", saltern.url), server.option("policies", keycloak.POLICIES)]
    else:
        # A match would otherwise be replaced by Keycloak's default, Argon2.
        algorithm = json.loads(credentials[0]["credentialData"])["algorithm"]
        iterations = json.loads(credentials[0]["credentialData"])["hashIterations"]
        played["passwordPolicy"] = f"hashAlgorithm({algorithm})" + (f" and hashIterations({iterations})" if algorithm != "argon2" else "")
    server.write_realm(played)
    try:
        with server.started(*options):
            # The compilers of the JVM have done most of their work after this.
            run(server, folder, row, 8, 60)
            runs = [(rate, *run(server, folder, row, rate, SECONDS)) for rate in rates]
            # The refreshes alone, last because the JVM is then as warm as it gets.
            refreshes, _ = run(server, folder, row, 0, SECONDS)
            for rate, spent, figures in runs:
                answered = figures["logins_answered"]["count"] if "logins_answered" in figures else 0
                cost = 1000 * (spent - refreshes) / max(answered, 1)
                print(
                    f"| {row} | {by} | {rate} | {answered} of {rate * SECONDS} | {cost:.1f} | {figures['login_ms']['p(50)']:.0f} | {figures['refresh_ms']['p(99)']:.0f} |",
                    flush=True,
                )
    finally:
        if saltern.process:
            saltern.kill()


def run(server, folder, row, rate, seconds):
    """Returns the processor time of Keycloak in seconds, and the figures of k6."""
    # Keycloak serves in turn: this login comes after all that an overload has left.
    server.login("user-0", f"correct horse {row}")
    summary = folder / "summary.json"
    environment = {
        **os.environ, "URL": server.url, "RATE": str(rate), "REFRESHES": str(REFRESHES), "RUN_SECONDS": str(seconds), "USERS": str(USERS),
        "PASSWORD": f"correct horse {row}",
    }
    before = processor_seconds(server.process.pid)
    command = ["taskset", "--cpu-list", "1", keycloak.ROOT / "loadtest/k6", "run", "--quiet", f"--summary-export={summary}"]
    subprocess.run([*command, keycloak.ROOT / "client-scala/keycloak/tests/logins.js"], env=environment, check=True, capture_output=True)
    return processor_seconds(server.process.pid) - before, json.loads(summary.read_text())["metrics"]


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main(*sys.argv[1:])
