"""Writes one file of vectors: numbers the tests, counts them and lays the JSON out.

A `tcId` is stable: a test keeps its number of the committed file. The source of its group and its
comment identify a test, so a comment is unique within its group.
"""

import json
import pathlib
import re

import jsonschema

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
SCHEMA = "vectors.schema.json"


def write(topic, description, generator, notes, groups):
    """Writes `data/<topic>.json`. A test is a dict without `tcId`; its `bytes` become hex."""
    path = DATA / f"{topic}.json"
    known = _known_ids(path)
    free = max(known.values(), default=0) + 1
    used = set()
    for group in groups:
        for test in group["tests"]:
            key = (group["source"]["name"], test["comment"])
            if key in used:
                raise SystemExit(f"{topic}: two tests are called {key}")
            used.add(key)
            if key not in known:
                known[key] = free
                free += 1
            test["tcId"] = known[key]
            for flag in test["flags"]:
                if flag not in notes:
                    raise SystemExit(f"{topic}: the flag {flag} has no note")
    unused = set(notes) - {flag for g in groups for t in g["tests"] for flag in t["flags"]}
    if unused:
        raise SystemExit(f"{topic}: no test has the flags {sorted(unused)}")
    document = {
        "$schema": SCHEMA,
        "topic": topic,
        "description": description,
        "generator": generator,
        "numberOfTests": sum(len(group["tests"]) for group in groups),
        "notes": notes,
        "testGroups": [{**g, "tests": [_ordered(t) for t in g["tests"]]} for g in groups],
    }
    jsonschema.validate(document, json.loads((DATA / SCHEMA).read_text(encoding="utf-8")))
    path.write_text(_text(document), encoding="utf-8")
    print(f"{path.name}: {document['numberOfTests']} tests")


def _text(document):
    """The document with each test in one line, so that another test is another line."""
    tests = iter(test for group in document["testGroups"] for test in group["tests"])
    outline = [{**group, "tests": [None] * len(group["tests"])} for group in document["testGroups"]]
    text = json.dumps({**document, "testGroups": outline}, indent=2, ensure_ascii=False)
    placed = re.sub("(?<=^        )null", lambda _: json.dumps(next(tests), ensure_ascii=False), text, flags=re.MULTILINE)
    return placed + "\n"


def _known_ids(path):
    if not path.exists():
        return {}
    groups = json.loads(path.read_text(encoding="utf-8"))["testGroups"]
    return {(g["source"]["name"], t["comment"]): t["tcId"] for g in groups for t in g["tests"]}


def _ordered(test):
    first = {name: test[name] for name in ("tcId", "comment")}
    last = {name: test[name] for name in ("result", "flags")}
    middle = {name: value for name, value in test.items() if name not in first and name not in last}
    hexed = {name: value.hex() if isinstance(value, bytes) else value for name, value in middle.items()}
    return {**first, **hexed, **last}
