"""Moves tables of PostgreSQL and MariaDB by the pipes of MIGRATION.md.

For each database it starts a server in a temporary folder, without a network port. Then:

- the shell blocks of the guide's section run as they stand, on a table with 1,000 users;
- passwords in clear come in from a second column;
- a table with one row for each kind of stored value comes in: every row verifies by `saltern serve`
  in the end, or `saltern migrate-plan` names the reason;
- 1,000,000 rows are planned, converted and sealed within the bounds below.
"""

import contextlib
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import kinds

ROWS = 1_000_000
MOST_SECONDS = 300
MOST_KIB = 100 * 1024
SERVER_STARTS_WITHIN_SECONDS = 60


def main(saltern, guide):
    guide = pathlib.Path(guide).read_text(encoding="utf-8")
    for database in (Postgres, MariaDb):
        with database.started(pathlib.Path(saltern).resolve()) as running:
            guide_runs(running, guide)
            a_second_column_in_clear_comes_in(running, guide)
            every_kind_comes_in(running)
            a_million_rows_move(running)
    print("all passed")


class Database:
    """A server, and the commands of the guide for it."""

    def __init__(self, folder, environment, saltern):
        # The clients of the guide must not depend on the locale.
        self.folder, self.environment, self.saltern = folder, {**environment, "LC_ALL": "C"}, saltern
        # The guide's pipes call `saltern`. A program of this name measures the memory of each call.
        self.memory = folder / "memory"
        tools = folder / "tools"
        tools.mkdir()
        wrapper = tools / "saltern"
        wrapper.write_text(WRAPPER.format(python=sys.executable, saltern=saltern, memory=self.memory))
        wrapper.chmod(0o755)
        self.environment["PATH"] = f"{tools}:{os.environ['PATH']}"

    def shell(self, script, code=0, options=("-euo", "pipefail")):
        """Runs a script, and returns its standard output."""
        ended = subprocess.run(
            ["bash", *options, "-c", script], env=self.environment, capture_output=True, encoding="utf-8"
        )
        if ended.returncode != code:
            raise SystemExit(f"{self.name}: code {ended.returncode} of\n{script}\n{ended.stderr}")
        return ended.stdout + ended.stderr

    def changes(self, script, rows):
        """Runs a script that prints how many rows it has changed."""
        said = self.shell(script)
        if not re.search(self.changed % rows, said):
            raise SystemExit(f"{self.name}: not {rows} rows changed by\n{script}\n{said}")

    def most_kib(self):
        """The most memory of a call of `saltern` since the last question."""
        most = max(int(line) for line in self.memory.read_text().split())
        self.memory.unlink()
        return most


WRAPPER = """#!{python}
import os, resource, sys
child = os.fork()
if child == 0:
    os.execv("{saltern}", ["saltern", *sys.argv[1:]])
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
with open("{memory}", "a") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=file)
sys.exit(status)
"""


class Postgres(Database):
    name = "PostgreSQL"
    section = "### PostgreSQL"
    exact = ""
    changed = r"\bUPDATE %d\b"
    options = "--delimiter ',' --column 2 --header"

    @classmethod
    @contextlib.contextmanager
    def started(cls, saltern):
        programs = program("initdb", "/usr/lib/postgresql/*/bin").parent
        with server_folder() as (folder, user):
            data = folder / "data"
            as_user([programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8"], user)
            start = [programs / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
            with running(start, user):
                environment = {"PGHOST": str(folder), "PGUSER": "postgres", "HOME": str(folder)}
                database = cls(folder, environment, saltern)
                wait_for(lambda: database.shell("psql -c 'SELECT 1' postgres"))
                database.shell("createdb shop")
                yield database

    def run(self, statement):
        return self.shell(f"psql -q -v ON_ERROR_STOP=1 shop <<'END'\n{statement};\nEND")

    def client_of(self, statement):
        return f"psql shop <<'END'\n{statement};\nEND"

    def load(self, table, rows):
        """Loads rows, of which None is NULL."""
        field = lambda text: "" if text is None else '"' + str(text).replace('"', '""') + '"'
        path = self.folder / "rows"
        path.write_text("".join(",".join(map(field, row)) + "\n" for row in rows), encoding="utf-8")
        self.shell(f"""psql shop -c "\\copy {table} FROM '{path}' WITH (FORMAT csv)" """)

    def rows(self, query):
        fields, table = query.split(" FROM ", 1)
        select = f"SELECT json_agg(json_build_array({fields})) FROM {table}"
        return json.loads(self.shell(f"psql -q -A -t shop <<'END'\n{select};\nEND"))

    def read(self, fields, where="true"):
        query = f"SELECT {fields} FROM users WHERE {where} ORDER BY id"
        return f'psql shop -c "\\copy ({query}) TO STDOUT WITH (FORMAT csv, HEADER)"'

    write = 'psql shop -c "\\copy moved FROM STDIN WITH (FORMAT csv, HEADER)"'
    swap = (
        "UPDATE users SET password_hash = moved.password_hash FROM moved WHERE users.id = moved.id"
        " AND users.password_hash = moved.old_hash AND moved.password_hash <> moved.old_hash"
    )


class MariaDb(Database):
    name = "MariaDB"
    section = "### MariaDB and MySQL"
    client = "mariadb --default-character-set=utf8mb4"
    exact = "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    changed = r"\b%d rows? affected"
    options = "--delimiter '\\t' --column 2 --header"

    @classmethod
    @contextlib.contextmanager
    def started(cls, saltern):
        install, server = program("mariadb-install-db"), program("mariadbd", "/usr/sbin")
        with server_folder() as (folder, user):
            data, socket = folder / "data", folder / "socket"
            as_user([install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal"], user)
            start = [server, "--no-defaults", f"--datadir={data}", f"--socket={socket}", "--skip-networking"]
            start += ["--local-infile=1", f"--pid-file={folder}/pid", "--innodb-flush-log-at-trx-commit=2"]
            start += ["--character-set-server=utf8mb4"]
            with running(start, user):
                client = f"[client]\nsocket={socket}\nuser=root\n"
                (folder / ".my.cnf").write_text(client)
                database = cls(folder, {"HOME": str(folder)}, saltern)
                wait_for(lambda: database.shell("mariadb -e 'SELECT 1'"))
                database.shell("mariadb -e 'CREATE DATABASE shop'")
                yield database

    def run(self, statement):
        return self.shell(self.client_of(statement))

    def client_of(self, statement):
        return f"{self.client} -vv shop <<'END'\n{statement};\nEND"

    def load(self, table, rows):
        escape = lambda text: str(text).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
        field = lambda text: "\\N" if text is None else escape(text)
        path = self.folder / "rows"
        path.write_text("".join("\t".join(map(field, row)) + "\n" for row in rows), encoding="utf-8")
        self.run(f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE {table}")

    def rows(self, query):
        fields, table = query.split(" FROM ", 1)
        printed = self.shell(f"{self.client} --batch --raw -N shop <<'END'\nSELECT JSON_ARRAY({fields}) FROM {table};\nEND")
        return [json.loads(line) for line in printed.splitlines()]

    def read(self, fields, where="true"):
        return f'{self.client} --batch --quick shop -e "SELECT {fields} FROM users WHERE {where} ORDER BY id"'

    write = (
        f"{client} --local-infile --init-command='SET net_read_timeout = 86400' shop -e "
        "\"LOAD DATA LOCAL INFILE '/dev/stdin' INTO TABLE moved CHARACTER SET utf8mb4 IGNORE 1 LINES\""
    )
    swap = (
        "UPDATE users JOIN moved USING (id) SET users.password_hash = moved.password_hash"
        " WHERE users.password_hash = moved.old_hash AND moved.password_hash <> moved.old_hash"
    )


# Salts outside ASCII, by the numbers of their rows.
LETTERS = {1: "иван", 2: "é", 3: "max🎸"}


def guide_runs(database, guide):
    """The blocks of the guide convert the rows of one kind, and undo it in the end."""
    _, section = guide.split(database.section + "\n")
    section = re.split(r"\n##+ ", section)[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.S)
    if len(blocks) != 7:
        raise SystemExit(f"{database.name}: the guide has {len(blocks)} blocks, not 7")
    # The startup file of an operator prints lines of its own, unless the guide's variables are set.
    (database.folder / ".psqlrc").write_text("\\timing on\n")
    given = " ".join(re.findall(r"`export (.*?)`", section))
    database.environment |= dict(pair.split("=") for pair in given.split())
    database.run("CREATE TABLE users (id bigint PRIMARY KEY, password_hash varchar(64), salt text)")
    ids = [-8, *range(1, 1000)]
    salted = [(number, *kinds.salted(number, LETTERS.get(number, ""))) for number in ids]
    others = [(1001, None, None), (1002, "", ""), (1003, "!", ""), (1004, "hunter2, \"x\"\t\\y", "s")]
    database.load("users", salted + others)
    state = lambda: sorted(database.rows("id, password_hash, salt FROM users"))
    before = state()
    look, rehearse, prepare, trim, convert, swap, undo = blocks
    said = database.shell(look)
    if "1,004 rows: 0 hashes" not in said or "1,000  bare_digest:64: 64 hexadecimal digits" not in said:
        raise SystemExit(f"{database.name}: the look: {said}")
    said = database.shell(rehearse)
    is_counted = "1,004 rows: 1,000 changed, 4 left as wanted, 0 skipped" in said
    if not is_counted or state() != before:
        raise SystemExit(f"{database.name}: the rehearsal: {said}")
    database.shell(prepare)
    said = database.shell(convert)
    # A script that calls the loops learns that they failed, also in a shell without options.
    database.environment["moved"] = "no_such_table"
    for loop in (swap, undo):
        database.shell(loop, code=1, options=())
    database.environment["moved"] = "moved_1"
    # A user sets a new password between the export and the swap.
    database.run("UPDATE users SET password_hash = 'set meanwhile' WHERE id = 7")
    database.changes(swap, 999)
    after = {id: hash for id, hash, _ in state()}
    changed = [id for id, hash, _ in before if after[id] != hash]
    converted = all(after[id].startswith("$sha256$pf=") for id in changed if id != 7)
    if changed != ids or after[7] != "set meanwhile" or not converted:
        raise SystemExit(f"{database.name}: the swap changed {len(changed)} rows")
    for id in LETTERS:
        verify = f"printf '%s\\n' '{after[id]}' 'password {id}' | saltern verify --accept-weak all -"
        database.shell(verify)
    database.changes(undo, 999)
    undone = [row for row in state() if row[0] != 7]
    if undone != [row for row in before if row[0] != 7]:
        raise SystemExit(f"{database.name}: the undoing left other rows than before")
    # The same by the statement that the run has printed.
    database.changes(swap, 999)
    database.changes(database.client_of(printed(said)), 999)
    if [row for row in state() if row[0] != 7] != undone:
        raise SystemExit(f"{database.name}: the printed statement left other rows: {said}")
    a_second_kind_has_its_own_run(database, look, trim, convert, swap, state)
    for table in ("users_before", "moved_1", "moved_2", "users"):
        database.run(f"DROP TABLE {table}")
    print(f"{database.name}: the guide's pipes convert, swap and undo 1,000 rows", flush=True)


def printed(said):
    """The statement that takes a run back."""
    return re.search(r"take the change back, .*:\n(.*?);", said, re.S)[1]


def a_second_kind_has_its_own_run(database, look, trim, convert, swap, state):
    """Whoever forgets to name its table changes nothing, and its statement takes back no other run."""
    for number, padded in ((2001, "{} "), (2002, "\t{}\r")):
        digest, salt = kinds.salted(number, function="md5")
        database.load("users", [(number, padded.format(digest), salt)])
    said = database.shell(look)
    if "2  padded: " not in said:
        raise SystemExit(f"{database.name}: the look at padded hashes: {said}")
    database.changes(trim, 2)
    database.changes(swap, 999)
    before = state()
    for old, new in (("sha256", "md5"), ("digest:64", "digest:32"), ("--unverified 1000", "--unverified 2")):
        convert = convert.replace(old, new)
    # As in the shell of an operator, which has no options.
    if "changed" in database.shell(convert, code=1, options=()):
        raise SystemExit(f"{database.name}: a second run into the table of the first goes on")
    said = database.shell(convert.replace("moved_1", "moved_2"))
    database.environment["moved"] = "moved_2"
    database.changes(swap, 2)
    database.changes(database.client_of(printed(said)), 2)
    if state() != before:
        raise SystemExit(f"{database.name}: the second run's statement left other rows: {said}")


def a_second_column_in_clear_comes_in(database, guide):
    """Passwords become hashes, come back, and are removed where a hash has taken their place."""
    _, section = guide.split("### Passwords in clear in a second column\n")
    statements = re.search(r"```sql\n(.*?)```", section, re.S)[1].split(";")[:3]
    swap, undo, remove = map(database.client_of, statements)
    [where] = re.findall(r"`WHERE (.*)`, and put", section)
    passwords = {1: "max🎸", 2: "пароль", 3: "behind an empty text"}
    skipped, changed, hashed = "Sommer2024Bos", "changed meanwhile", "$2b$05$abcdefghijklmnopqrstuukwmtBCisHk0zb6Hu53ELq3z.q5OLjDi"
    rows = [[id, "" if id == 3 else None, password] for id, password in passwords.items()]
    others = [[4, None, skipped], [5, None, "before"], [6, hashed, "superseded"], [7, None, None]]
    database.run("CREATE TABLE users (id bigint PRIMARY KEY, password_hash text, legacy_password text)")
    database.load("users", rows + others)
    state = lambda: sorted(database.rows("id, password_hash, legacy_password FROM users"))
    columns = "id bigint PRIMARY KEY, password_hash text, old_hash text"
    database.run(f"CREATE TABLE moved ({columns}) {database.exact}")
    clear = f"saltern hash-clear {database.options} --unverified 4 --allow-skipped --keep-old"
    database.shell(f"{database.read('id, legacy_password', where)} | {clear} | {database.write}")
    database.run("ALTER TABLE moved RENAME TO moved_1")
    database.run(f"UPDATE users SET legacy_password = '{changed}' WHERE id = 5")
    others[1][2] = changed
    database.changes(swap, 3)
    after = state()
    for id, hash, password in after[:3]:
        database.shell(f"printf '%s\\n' '{hash}' '{passwords[id]}' | saltern verify -")
    database.changes(undo, 3)
    undone = [[id, None, password] for id, _, password in rows] + others
    if after[3:] != others or state() != undone:
        raise SystemExit(f"{database.name}: the second column: {after}, undone to {state()}")
    database.changes(swap, 3)
    database.changes(remove, 3)
    removed = [[id, hash, None] for id, hash, _ in after[:3]] + others
    if state() != removed:
        raise SystemExit(f"{database.name}: the second column was removed as in {state()}")
    database.run("DROP TABLE moved_1")
    database.run("DROP TABLE users")
    print(f"{database.name}: passwords in clear come in from a second column", flush=True)


def every_kind_comes_in(database):
    """One row for each kind, converted where its row says how, verifies in the end."""
    rows = kinds.all_kinds()
    database.run("CREATE TABLE users (id bigint PRIMARY KEY, password_hash text, salt text)")
    database.load("users", [(number, kind.value, kind.salt) for number, kind in enumerate(rows)])
    keys = database.folder / "keys.json"
    keys.write_text(json.dumps(kinds.KEYS))
    keys.chmod(0o600)
    project = database.folder / "firebase-project"
    project.write_text(kinds.FIREBASE_PROJECT)
    project.chmod(0o600)
    for number, kind in enumerate(rows):
        if kind.convert:
            move(database, f"saltern convert {kind.convert} --shape-like . --unverified 1", f"id = {number}", kind.salt is not None)
    stored = dict(database.rows("id, password_hash FROM users"))
    with serving(database.saltern, database.folder, keys) as verify:
        for number, kind in enumerate(rows):
            if not kind.told:
                for password, matches in ((kind.password, True), ("x" + kind.password, False)):
                    answer = verify(password, stored[number])
                    if answer.get("match") is not matches:
                        raise SystemExit(f"{database.name}: {kind.name}: {stored[number]}: {answer}")
    for number, kind in enumerate(rows):
        if kind.told:
            pipe = f"{database.read('id, password_hash', f'id = {number}')} | saltern migrate-plan {database.options} --json"
            said = database.shell(f"({pipe}) || [ $? = 65 ]")
            reasons = [row["reason"] for row in json.loads(said.split("\n")[0])["not_verified"]]
            if reasons != [kind.told]:
                raise SystemExit(f"{database.name}: {kind.name}: {reasons}")
    told = sum(1 for kind in rows if kind.told)
    database.run("DROP TABLE users")
    print(f"{database.name}: {len(rows)} kinds, {len(rows) - told} of them verify, {told} are told why not", flush=True)


def move(database, command, where, with_salt):
    """Runs one pipe, and swaps its result in."""
    fields = "id, password_hash, salt" if with_salt else "id, password_hash"
    extra = ", salt text" if with_salt else ""
    column = " --salt-column 3" if with_salt else ""
    columns = f"id bigint PRIMARY KEY, password_hash text{extra}, old_hash text"
    database.run(f"CREATE TABLE moved ({columns}) {database.exact}")
    database.shell(f"{database.read(fields, where)} | {command}{column} {database.options} --keep-old | {database.write}")
    database.run(database.swap)
    database.run("DROP TABLE moved")


def a_million_rows_move(database):
    rows = ((number, *kinds.salted(number)) for number in range(ROWS))
    database.run("CREATE TABLE users (id bigint PRIMARY KEY, password_hash text, salt text)")
    database.load("users", rows)
    keys = database.folder / "keys.json"
    database.memory.unlink()
    start = time.monotonic()
    pipe = f"{database.read('id, password_hash')} | saltern migrate-plan {database.options}"
    planned = database.shell(pipe)
    if f"{ROWS:,} rows: 0 hashes" not in planned:
        raise SystemExit(f"{database.name}: {planned}")
    took = [time.monotonic() - start]
    move(database, f"saltern convert --from sha256-salt-password --shape bare_digest:64 --unverified {ROWS}", "true", True)
    took.append(time.monotonic() - start - sum(took))
    move(database, f"saltern seal --seal-keys {keys}", "true", False)
    took.append(time.monotonic() - start - sum(took))
    sealed = "SELECT count(*) AS sealed FROM users WHERE password_hash LIKE '$saltern-seal$%'"
    count = database.rows(f"sealed FROM ({sealed}) AS counted")
    most = database.most_kib()
    print(
        f"{database.name}: {ROWS:,} rows planned in {took[0]:.0f} s, converted in {took[1]:.0f} s, sealed in {took[2]:.0f} s,"
        f" {sum(took):.0f} s in all; saltern held at most {most / 1024:.0f} MiB",
        flush=True,
    )
    if count != [[ROWS]] or sum(took) > MOST_SECONDS or most > MOST_KIB:
        raise SystemExit(f"{database.name}: {count} rows are sealed; the bounds are {MOST_SECONDS} s and {MOST_KIB} KiB")


@contextlib.contextmanager
def serving(saltern, folder, keys):
    """Starts the server, and yields a function that verifies."""
    arguments = ["serve", "--listen", "127.0.0.1:0", "--insecure", "--accept-weak", "all", "--seal-keys", keys]
    arguments += ["--firebase-project", folder / "firebase-project"]
    process = subprocess.Popen([saltern, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        address = None
        while address is None:
            line = process.stdout.readline()
            if not line:
                raise SystemExit("saltern serve ended")
            found = re.search(r"127\.0\.0\.1:[1-9][0-9]*", line)
            address = found and found.group()

        def verify(password, hash):
            body = json.dumps({"password": password, "hash": hash}).encode()
            headers = {"content-type": "application/json", "saltern-deadline-ms": "60000"}
            request = urllib.request.Request(f"http://{address}/verify", body, headers)
            try:
                return json.load(urllib.request.urlopen(request))
            except urllib.error.HTTPError as error:
                return json.load(error)

        yield verify
    finally:
        process.kill()
        process.wait()


def program(name, places=""):
    def found():
        return shutil.which(name) or next(iter(sorted(glob.glob(f"{places}/{name}"), reverse=True)), None)

    if found() is None:
        subprocess.run(["functions/xtask/debian", "postgresql", "mariadb-server"], check=True)
    return pathlib.Path(found()).resolve()


@contextlib.contextmanager
def server_folder():
    """A folder for a server, and the user that it runs as: no server runs as root."""
    user = "nobody" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory() as folder:
        if user:
            shutil.chown(folder, user)
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder), user


def as_user(command, user):
    ended = subprocess.run([str(part) for part in command], user=user, capture_output=True, text=True, cwd="/")
    if ended.returncode:
        raise SystemExit(f"{command[0]}: {ended.stdout}{ended.stderr}")


@contextlib.contextmanager
def running(command, user):
    server = subprocess.Popen(
        [str(part) for part in command], user=user, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        server.terminate()
        server.wait()


def wait_for(works):
    end = time.monotonic() + SERVER_STARTS_WITHIN_SECONDS
    while True:
        try:
            return works()
        except SystemExit:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
