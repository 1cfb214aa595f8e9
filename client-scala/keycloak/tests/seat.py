"""Shows what the provider promises, with real distributions of Keycloak.

usage: seat.py VERSION …
"""

import csv
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.request
import zipfile

import keycloak
from keycloak import answer, until

# The rows of realm.json, which Keycloak 26.7.4 wrote itself. The password of each is this and the name.
PASSWORD = "correct horse "
USERS = ["argon2d-1.3", "argon2i-1.0", "argon2id-default", "pbkdf2", "pbkdf2-sha256", "pbkdf2-sha512"]
# Users with these rows in turn. Keycloak refuses a login of a user as long as it still counts the last
# one, so each of them pauses while the others log in.
CROWD = {f"crowd-{number}": USERS[number % len(USERS)] for number in range(60)}
# With these, all logins of the check together are more than a thousand before the jar is removed.
LOGINS_IN_AN_OUTAGE = 1_000
# A guess on this row is more expensive than on the current policy's, so Saltern keeps the row.
KEPT = "argon2i-1.0"
# For the FIPS mode, which has PBKDF2 alone.
OF_FIPS = "of-fips"
# Saltern's ceilings admit no such row, so Keycloak's own provider is asked.
REFUSED_ROW = "seventeen-lanes"
# Neither side can read this one.
UNREADABLE_ROW = "without-memory"
CURRENT = {"memory": ["7168"], "parallelism": ["1"], "type": ["id"], "version": ["1.3"], "hashLength": ["32"]}

# The status of a wrong password: 401 in 26.0, and 400 in 26.7.
REFUSED = {400, 401}

passed, failed = 0, 0


def main(versions):
    for version in versions:
        # Both releases of Java that Keycloak runs on.
        java = 21 if version == keycloak.NEWEST else 17
        home = keycloak.jdk(java)
        if not home:
            print(f"NOT RUN: Keycloak {version} on JDK {java}; set JAVA_HOME_{java}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            plays(keycloak.Keycloak(version, pathlib.Path(folder), home), keycloak.Saltern(pathlib.Path(folder) / "saltern.log"))
    print(f"{passed} passed, {failed} failed")
    return failed > 0


def plays(server, saltern):
    realm = json.loads(keycloak.REALM.read_text())
    rows = {user["username"]: user.get("credentials") for user in realm["users"]}
    for name, old, new in ((REFUSED_ROW, '"parallelism":["1"]', '"parallelism":["17"]'), (UNREADABLE_ROW, '"memory":["7168"],', "")):
        changed = [{**row, "credentialData": row["credentialData"].replace(old, new)} for row in rows["argon2id-default"]]
        assert changed != rows["argon2id-default"]
        realm["users"].append({**person(name), "credentials": changed})
    for name, like in [*CROWD.items(), (OF_FIPS, "pbkdf2-sha512")]:
        realm["users"].append({**person(name), "credentials": rows[like]})
    server.write_realm(realm)
    shutil.copy(keycloak.JAR, server.jar)
    shows(server, kc_build_takes_the_jar, server)
    shows(server, a_start_without_the_address_says_what_to_set, server)
    saltern.start()
    try:
        policies = server.option("policies", keycloak.POLICIES)
        with server.started(server.option("url", saltern.url), policies):
            for check in (
                rows_of_keycloak_are_verified_in_one_call,
                rows_are_upgraded_in_keycloaks_form,
                an_unknown_user_costs_one_hash,
                an_account_without_a_password_costs_one_hash,
                a_row_that_nobody_reads_is_a_wrong_password,
                the_history_refuses_an_old_password,
                an_upgrade_never_undoes_a_change_of_the_password,
                the_form_takes_a_password,
                a_browser_logs_in,
                nobody_notices_that_the_service_dies,
            ):
                shows(server, check, server, saltern)
        saltern.kill()
        saltern.seals()
        saltern.start()
        token = server.option("token-file", saltern.token_file)
        with server.started(server.option("url", saltern.url), policies, token, server.option("fallback", "never"), server.option("deadline-ms", 2000)):
            shows(server, a_server_with_keys_seals_the_rows, server, saltern)
            shows(server, an_overload_is_503_and_no_failure, server, saltern)
            shows(server, an_outage_without_fallback_is_503_and_no_failure, server, saltern)
        with server.started(server.option("url", saltern.url), policies, token, server.option("hash-unsealed", "false"), server.option("keycloak-verifies", "false")):
            shows(server, a_row_that_saltern_refuses_is_refused, server)
            shows(server, an_outage_of_a_server_with_keys_shows_no_names, server, saltern)
    finally:
        saltern.kill()
    shows(server, sealed_rows_are_turned_back, server, saltern)
    server.jar.unlink()
    with server.started():
        shows(server, everybody_logs_in_without_the_jar, server)
    plain = keycloak.Saltern(saltern.log)
    plain.start()
    try:
        shutil.copy(keycloak.JAR, server.jar)
        if server.version == keycloak.NEWEST:
            shows(server, the_fips_mode_stays_as_it_is, server, plain)
        shows(server, an_outage_without_new_hashes_shows_no_names, server, plain)
        shows(server, a_missing_class_is_503_and_no_failure, server, plain)
    finally:
        plain.kill()


def shows(server, check, *arguments):
    global passed, failed
    name = f"Keycloak {server.version}: {check.__name__.replace('_', ' ')}"
    try:
        detail = check(*arguments)
        passed += 1
        print(f"ok      {name}{f' ({detail})' if detail else ''}", flush=True)
    except NotRun as reason:
        print(f"NOT RUN: {name}; {reason}", flush=True)
    except Exception:
        failed += 1
        print(f"FAILED  {name}\n{traceback.format_exc()}{server.log.read_text()[-3000:]}", flush=True)


class NotRun(Exception):
    """A check that this machine cannot run, with the reason."""


def kc_build_takes_the_jar(server):
    assert server.kc("build", "--db=dev-file").wait() == 0, server.log.read_text()[-2000:]
    version = subprocess.run([f"{server.java_home}/bin/java", "-version"], capture_output=True, text=True, check=True).stderr
    return version.splitlines()[0]


def a_start_without_the_address_says_what_to_set(server):
    assert server.kc("start-dev", "--http-host=127.0.0.1", f"--http-port={keycloak.free_port()}").wait() != 0
    assert "set spi-credential--saltern--url" in server.log.read_text()


def counted(saltern, action):
    """Returns what the action called at the service."""
    before = saltern.calls()
    action()
    return {call: count - before.get(call, 0) for call, count in saltern.calls().items() if count > before.get(call, 0)}


def counted_in_time(saltern, action):
    """Counts again where the client gave up a call, as it does after three seconds on a busy machine, or then made none."""
    calls = {}

    def has_answers():
        calls.clear()
        calls.update(counted(saltern, action))
        return calls and not any(outcome == "gone" for _, outcome in calls)

    until(has_answers, calls)
    return calls


def is_in(server, user, password):
    status, body, _ = server.login(user, password)
    assert status == 200 and "access_token" in body, (user, status, body)


def is_refused(server, user, password):
    status, body, _ = server.login(user, password)
    assert status in REFUSED and body["error"] == "invalid_grant", (user, status, body)


def rows_of_keycloak_are_verified_in_one_call(server, saltern):
    for user in USERS:
        calls = counted_in_time(saltern, lambda user=user: is_refused(server, user, "wrong"))
        assert calls == {("verify", "mismatch"): 1}, (user, calls)
    # Not at once: Keycloak refuses a login while another one of the same user is still ending.
    for user in USERS:
        calls = counted_in_time(saltern, lambda user=user: is_in(server, user, PASSWORD + user))
        assert calls == {("verify", "match"): 1}, (user, calls)


def rows_are_upgraded_in_keycloaks_form(server, saltern):
    # The client asks for at most five new hashes a second.
    for user in USERS:
        until(lambda user=user: is_in(server, user, PASSWORD + user) or user == KEPT or is_current(server, user), f"the row of {user} is not replaced")
    assert not is_current(server, KEPT)
    # A new user's row is of the same form.
    calls = counted(saltern, lambda: create(server, "made-by-saltern"))
    # The other call is the administrator's login.
    assert calls == {("hash", "hashed"): 1, ("verify", "match"): 1}, calls
    assert is_current(server, "made-by-saltern")
    is_in(server, "made-by-saltern", PASSWORD + "made-by-saltern")


def is_current(server, user):
    row = server.row(user)
    return row["algorithm"] == "argon2" and row["hashIterations"] == 5 and row["additionalParameters"] == CURRENT


def person(name):
    return {"username": name, "enabled": True, "firstName": "A", "lastName": "B", "email": f"{name}@example.org"}


def create(server, name, **credential):
    credential = {"type": "password", **(credential or {"value": PASSWORD + name})}
    status, body = server.admin("POST", "/users", {**person(name), "credentials": [credential]})
    assert status == 201, (status, body)


def an_unknown_user_costs_one_hash(server, saltern):
    calls = counted_in_time(saltern, lambda: is_refused(server, "nobody", "wrong"))
    assert calls == {("hash", "hashed"): 1}, calls
    calls = counted_in_time(saltern, lambda: server.form()("nobody", "wrong"))
    assert calls == {("hash", "hashed"): 1}, calls


def an_account_without_a_password_costs_one_hash(server, saltern):
    calls = counted_in_time(saltern, lambda: is_refused(server, "without-password", "wrong"))
    assert calls == {("verify", "mismatch"): 1}, calls


def a_row_that_nobody_reads_is_a_wrong_password(server, saltern):
    is_refused(server, UNREADABLE_ROW, PASSWORD + UNREADABLE_ROW)


def the_history_refuses_an_old_password(server, saltern):
    create(server, "history")
    server.admin("PUT", "", {"realm": "event", "passwordPolicy": "passwordHistory(3)"})
    assert reset(server, "history", "a second password")[0] == 204
    for old in ("a second password", PASSWORD + "history"):
        status, body = reset(server, "history", old)
        assert status == 400 and "istory" in json.dumps(body), (status, body)
    assert reset(server, "history", PASSWORD + "history third")[0] == 204
    server.admin("PUT", "", {"realm": "event", "passwordPolicy": ""})
    is_in(server, "history", PASSWORD + "history third")


def reset(server, user, password):
    return server.admin("PUT", f"/users/{server.id(user)}/reset-password", {"type": "password", "temporary": False, "value": password})


def an_upgrade_never_undoes_a_change_of_the_password(server, saltern):
    """The old password logs in, with an upgrade, while the password is changed."""
    rows = {user["username"]: user for user in json.loads(keycloak.REALM.read_text())["users"]}
    old = rows["pbkdf2-sha512"]["credentials"][0]
    for number in range(8):
        name = f"race-{number}"
        create(server, name, secretData=old["secretData"], credentialData=old["credentialData"])
        login = threading.Thread(target=server.login, args=(name, PASSWORD + "pbkdf2-sha512"))
        login.start()
        time.sleep(number * 0.01)
        assert reset(server, name, "a new password")[0] == 204
        login.join()
        is_in(server, name, "a new password")
        is_refused(server, name, PASSWORD + "pbkdf2-sha512")


def the_form_takes_a_password(server, saltern):
    status, headers, _ = server.form()(USERS[0], PASSWORD + USERS[0])
    assert status == 302 and "code=" in headers["location"], (status, headers["location"])
    status, _, page = server.form()(USERS[0], "wrong")
    assert status == 200 and "Invalid username or password" in page, status


def a_browser_logs_in(server, saltern):
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if not program:
        raise NotRun("there is no Chromium: install chromium-headless-shell")
    user = USERS[1]
    with keycloak.browser(program) as run:

        def value(script):
            return run("Runtime.evaluate", expression=script)["result"].get("value")

        run("Page.navigate", url=server.form_url())
        until(lambda: value("document.getElementById('kc-login') != null && document.readyState == 'complete'"), "no form")
        value(f"document.getElementById('username').value = {json.dumps(user)}")
        value(f"document.getElementById('password').value = {json.dumps(PASSWORD + user)}")
        value("document.getElementById('kc-login').click()")
        until(lambda: "code=" in value("location.href"), "the browser did not come back with a code")


def nobody_notices_that_the_service_dies(server, saltern):
    """Logins go on while the service is killed and started. Each has the answer that it should have."""
    wrong, done, local, repeated = [], [], [], []
    # The outage begins and ends among the logins, not by a time.
    left = iter(range(LOGINS_IN_AN_OUTAGE))
    lock = threading.Lock()
    killed, revived = threading.Event(), threading.Event()

    def log_in(users, password):
        for user in itertools.cycle(users):
            with lock:
                number = next(left, None)
            if number is None:
                return
            if number == LOGINS_IN_AN_OUTAGE // 3:
                saltern.kill()
                killed.set()
            if number == LOGINS_IN_AN_OUTAGE * 2 // 3:
                saltern.start()
                revived.set()
            got = []

            # A busy machine may refuse a login, and then it is repeated.
            def is_answered(user=user, got=got):
                try:
                    got[:] = server.login(user, password or PASSWORD + CROWD[user])
                except OSError as lost:
                    got[:] = 0, str(lost), None
                repeated.extend(got[:1] if got[0] == 503 else [])
                return got[0] != 503

            until(is_answered, got)
            status, body, _ = got
            if killed.is_set() and not revived.is_set():
                local.append(number)
            done.append(number)
            if status not in (REFUSED if password else {200}):
                wrong.append((user, password, status, body))

    crowd = list(CROWD)
    tasks = [(crowd[0:20], None), (crowd[20:40], None), (crowd[40:60], None), (["made-by-saltern"], "wrong")]
    threads = [threading.Thread(target=log_in, args=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, (len(wrong), wrong[:5])
    assert len(done) == LOGINS_IN_AN_OUTAGE and len(local) > LOGINS_IN_AN_OUTAGE // 4, (len(done), len(local))
    counts = {user: server.failures(user) for user in crowd}
    assert sum(counts.values()) == 0, counts
    until(lambda: ("verify", "match") in counted(saltern, lambda: is_in(server, USERS[0], PASSWORD + USERS[0])), "Saltern is not asked again")
    return f"{len(done)} logins, {len(local)} of them without the service, {len(repeated)} repeated after a 503, 0 wrong"


class Flood:
    """Keeps the service busy, as other callers would."""

    def __init__(self, saltern):
        operations = [{"op": "verify", "password": "x", "hash": None}] * 64
        body = json.dumps({"operations": operations}).encode()
        headers = {"content-type": "application/json", "saltern-deadline-ms": "20000", **saltern.authorization}
        self.request = urllib.request.Request(f"{saltern.url}/batch", body, headers)
        self.ends = threading.Event()
        self.threads = [threading.Thread(target=self.send) for _ in range(16)]

    def send(self):
        while not self.ends.is_set():
            answer(self.request)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def is_busy(server, user, password):
    """By the direct grant and by the form: 503 with the time to wait, and no word about the password."""
    status, body, headers = server.login(user, password)
    assert status == 503 and body["error"] == "temporarily_unavailable" and int(headers["retry-after"]) >= 1, (status, body, headers.items())
    status, headers, page = server.form()(user, password)
    assert status == 503 and "try again" in page and int(headers["retry-after"]) >= 1, (status, page[-500:])


def none_is_counted(server, before):
    """A login that got through may have cleared the count."""
    after = {user: server.failures(user) for user in USERS}
    assert all(after[user] <= before[user] for user in USERS), (before, after)


def an_overload_is_503_and_no_failure(server, saltern):
    before = {user: server.failures(user) for user in USERS}
    seen = {}
    with Flood(saltern):
        # Among the flood some logins get through, and then they are right.
        def each_is_refused_thrice():
            for user in USERS:
                for way, status in (("grant", server.login(user, PASSWORD + user)[0]), ("form", server.form()(user, PASSWORD + user)[0])):
                    assert status in (503, 200 if way == "grant" else 302), (user, way, status)
                    seen[user, way] = seen.get((user, way), 0) + (status == 503)
            return all(count > 2 for count in seen.values())

        until(each_is_refused_thrice, seen)
    until(lambda: server.login(USERS[0], PASSWORD + USERS[0])[0] == 200, "the service does not recover")
    none_is_counted(server, before)
    return f"{sum(seen.values())} refused"


def a_server_with_keys_seals_the_rows(server, saltern):
    create(server, "sealed")
    for user in ("sealed", "argon2id-default"):
        until(lambda user=user: logged_in_as_sealed(server, user), f"the row of {user} is not sealed")
        is_refused(server, user, "wrong")


def logged_in_as_sealed(server, user):
    is_in(server, user, PASSWORD + user)
    return server.row(user)["algorithm"] == "saltern"


def a_row_that_saltern_refuses_is_refused(server):
    status, _, _ = server.login(REFUSED_ROW, PASSWORD + "argon2id-default")
    assert status == 500 and "cannot be verified" in server.log.read_text(), status


def an_outage_of_a_server_with_keys_shows_no_names(server, saltern):
    """Keycloak has no seal keys, so it can verify no sealed row. It has not yet seen one."""
    saltern.kill()
    for user in ("nobody", "sealed"):
        is_busy(server, user, "wrong")
    saltern.start()


def sealed_rows_are_turned_back(server, saltern):
    """By the pipe of README.md, on the database of the development mode."""
    libraries = server.home / "lib/lib/main"
    h2 = next(libraries.glob("com.h2database.h2-*.jar"))
    sealed = server.home.parent / "sealed.csv"
    database = ["-url", f"jdbc:h2:file:{server.home}/data/h2/keycloakdb", "-user", keycloak.DATABASE["username"], "-password", keycloak.DATABASE["password"]]
    java = f"{server.java_home}/bin/java"

    def output(command, given=None):
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout

    def sql(text):
        output([java, "-cp", h2, "org.h2.tools.Shell", *database, "-sql", text])

    rows = "SELECT ID, SECRET_DATA FROM CREDENTIAL WHERE CREDENTIAL_DATA LIKE '%\"saltern\"%'"
    sql(f"CALL CSVWRITE('{sealed}', '{rows.replace(chr(39), chr(39) * 2)}', 'writeColumnHeader=false')")
    with open(sealed, encoding="utf-8", newline="") as table:
        lines = [f"{credential}|{json.loads(secret)['value']}\n" for credential, secret in csv.reader(table)]
    assert len(lines) >= 2, lines
    unseal = [keycloak.ROOT / "target/release/saltern", "unseal", "--seal-keys", saltern.seal_keys, "--delimiter", "|", "--column", "2"]
    opened = output(unseal, "".join(lines))
    back = [java, "-cp", f"{keycloak.JAR}:{libraries}/*:{libraries.with_name('boot')}/*", "saltern.keycloak.Unsealed", "credential"]
    # A row that only Saltern reads stops no other one.
    updates = output(back, opened + "0|$2b$12$" + "." * 53 + "\n")
    assert updates.count("UPDATE credential") == len(lines), updates
    sql(updates)
    return f"{len(lines)} rows"


def an_outage_without_fallback_is_503_and_no_failure(server, saltern):
    before = {user: server.failures(user) for user in USERS}
    form = server.form()
    saltern.kill()
    assert form(USERS[0], PASSWORD + USERS[0])[0] == 503
    for user in [*USERS, "nobody", "without-password"]:
        is_busy(server, user, PASSWORD + user)
        is_busy(server, user, "wrong")
    saltern.start()
    until(lambda: server.login(USERS[1], PASSWORD + USERS[1])[0] == 200, "the service does not recover")
    # The same form is sent again, as a browser does.
    assert form(USERS[0], PASSWORD + USERS[0])[0] == 302
    none_is_counted(server, before)


def everybody_logs_in_without_the_jar(server):
    for user, like in [*CROWD.items(), *((user, user) for user in [*USERS, "made-by-saltern", "sealed"])]:
        is_in(server, user, PASSWORD + like)
        # What Keycloak itself would make.
        assert server.row(user)["additionalParameters"] == CURRENT, user
    is_refused(server, "sealed", "wrong")
    is_in(server, "history", PASSWORD + "history third")


def the_fips_mode_stays_as_it_is(server, saltern):
    jars = [pathlib.Path(shutil.copy(keycloak.fetched(*jar), server.jar.parent)) for jar in keycloak.FIPS.items()]
    try:
        with server.started("--features=fips", server.option("url", saltern.url)):
            calls = counted(saltern, lambda: (is_in(server, OF_FIPS, PASSWORD + "pbkdf2-sha512"), is_refused(server, OF_FIPS, "wrong")))
            assert not calls, calls
    finally:
        for jar in jars:
            jar.unlink()


def an_outage_without_new_hashes_shows_no_names(server, saltern):
    """While the documents of both sides differ, Keycloak makes no new hash itself."""
    other = server.home.parent / "other-policies.json"
    other.write_text(keycloak.POLICIES.read_text() + "\n")
    with server.started(server.option("url", saltern.url), server.option("policies", other)):
        is_in(server, USERS[3], PASSWORD + USERS[3])
        until(lambda: "differs from the client's" in server.log.read_text(), "the documents are not compared")
        saltern.kill()
        for user in ("nobody", USERS[3]):
            until(lambda user=user: server.login(user, "wrong")[0] in REFUSED, user)
        saltern.start()


def a_missing_class_is_503_and_no_failure(server, saltern):
    """In the jar, and in Keycloak's own library."""
    leave_out(server.jar, "/bouncycastle/")
    leave_out(next(server.home.glob("lib/lib/main/org.bouncycastle.bcprov-*.jar")), "Argon2BytesGenerator")
    with server.started(server.option("url", saltern.url), server.option("policies", keycloak.POLICIES)):
        is_in(server, USERS[0], PASSWORD + USERS[0])
        for _ in range(2):
            is_busy(server, REFUSED_ROW, "wrong")
        saltern.kill()
        for user in (USERS[0], "nobody"):
            is_busy(server, user, PASSWORD + user)
            is_busy(server, user, "wrong")
        saltern.start()
        until(lambda: server.login(USERS[0], PASSWORD + USERS[0])[0] == 200, "the service does not recover")
        counts = [server.failures(user) for user in (USERS[0], REFUSED_ROW)]
        assert counts == [0, 0], counts
    log = server.log.read_text()
    # The client tells of its jar at the start, and at the first hash.
    assert log.count("the whole jar") == 2 and log.count("unpack its lib directory again") == 1, log[-3000:]


def leave_out(jar, part):
    """Takes the classes out of a jar that have this in their path."""
    whole = jar.rename(jar.with_suffix(".whole"))
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(jar, "w") as target:
        names = source.namelist()
        kept = [name for name in names if part not in name]
        assert len(kept) < len(names), part
        for name in kept:
            target.writestr(name, source.read(name))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
