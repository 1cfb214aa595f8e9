"""Runs every SQL statement of MIGRATION.md in SQLite, on tables of the systems that it names.

Prints the rows of each SELECT; the test passes them to `saltern migrate-plan`. Exits with a
message if a statement fails, or if compare-and-swap changes the wrong rows.
"""

import re
import sqlite3
import sys

BCRYPT = "$2y$05$cdowWt2zq32WWUGxEiTjPuNKk168hSgk6UP3O2yqaboDWsSrnFs7e"
# The outputs of some hashes belong to no password: the statements only copy text.
ROWS = {
    "users (id, pass, password, password_hash)": [(1, BCRYPT, "{bcrypt}" + BCRYPT, BCRYPT)],
    "wrapped (id, hash, old_hash)": [(1, "$saltern-wrap$new", BCRYPT)],
    "wp_users (user_pass)": [(BCRYPT,)],
    "phpbb_users (user_password)": [(BCRYPT,)],
    "auth_user (password)": [("pbkdf2_sha256$1000$seasalt$" + "A" * 43 + "=",)],
    "AspNetUsers (PasswordHash)": [(BCRYPT,)],
    "credential (user_id, type, credential_data, secret_data)": [
        (
            "u1",
            "password",
            '{"hashIterations":27500,"algorithm":"pbkdf2-sha256","additionalParameters":{}}',
            '{"value":"' + "A" * 86 + '==","salt":"c29tZXNhbHRzb21lc2FsdA==","additionalParameters":{}}',
        ),
        (
            "u2",
            "password",
            '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],'
            '"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
            '{"value":"' + "A" * 43 + '=","salt":"c29tZXNhbHRzb21lc2FsdA==","additionalParameters":{}}',
        ),
        ("u3", "otp", '{"subType":"totp"}', '{"value":"secret"}'),
    ],
}


def main(guide):
    statements = [
        statement.strip()
        for block in re.findall(r"```sql\n(.*?)```", guide, re.S)
        for statement in block.split(";")
        # The check `databases` runs the statements about the table of a run.
        if statement.strip() and "moved_1" not in statement
    ]
    if not statements:
        sys.exit("the guide has no SQL")
    for statement in statements:
        database = tables()
        if statement.startswith("UPDATE"):
            swap(statement)
            continue
        rows = database.execute(statement).fetchall()
        if not rows:
            sys.exit(f"no row: {statement}")
        # A further field is converted, which `tests/commands/convert.rs` tests.
        if len(rows[0]) == 1:
            for (hash,) in rows:
                print(hash)


def swap(statement):
    """Checks that the swap happens only if the old hash is still there."""
    for there, changes in ((BCRYPT, 1), ("set by another login", 0)):
        database = tables()
        database.execute("UPDATE users SET password_hash = ?", (there,))
        given = {"rehashed": "new", "id": 1, "hash_that_was_verified": BCRYPT}
        wanted = {name: value for name, value in given.items() if f":{name}" in statement}
        if database.execute(statement, wanted).rowcount != changes:
            sys.exit(f"it changed another number of rows than {changes}: {statement}")


def tables():
    database = sqlite3.connect(":memory:")
    for table, rows in ROWS.items():
        name = table.split(" ")[0]
        database.execute(f"CREATE TABLE {table}")
        marks = ", ".join("?" * len(rows[0]))
        database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    return database


main(open(sys.argv[1], encoding="utf-8").read())
