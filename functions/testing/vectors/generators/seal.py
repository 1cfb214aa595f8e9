"""seal.json: sealed hashes, and strings that only look like them.

No other software prints `$saltern-seal$…`. The strings are made here after the HTTP contract, with
AES-256-GCM of Python's cryptography, which is OpenSSL's.
"""

import base64
import hashlib
import hmac
import importlib.metadata

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import vector_file
from family import drawn

SOURCE = "Python's cryptography"
VERSION = importlib.metadata.version("cryptography")

BCRYPT = "$2b$06$abcdefghijklmnopqrstuuUcTdZHO0FfsK6Gv2zBO0gGwYuxBmLtG"
LONGEST_ID = "k" * 32
KEYS = {"2025": drawn("2025", 32), "2026a": bytes(range(32)), LONGEST_ID: drawn("longest", 32)}
WITH_CONTEXT = {"2026a"}
CONTEXT = "user-7"

# The contract's vector: its nonce, its string and its key check value.
NONCE = bytes(range(0xA0, 0xAC))
KNOWN = (
    "$saltern-seal$v=1,k=2026a$oKGio6Slpqeoqaqr$wioeCXX9Jt4ABuO2YR2otxrHNX382DId7n1S8wr+FlW2LA+wn2Q1ThSqQ747AMG2d3wBPzulYjwsEn8ZWN8rE+07P8iMyWKu0qwmmA"
)
CHECK_VALUE = "b66a944a"

NOTES = {
    "Base64": "Not the canonical unpadded Base64 of any bytes.",
    "Context": "The context decides: it is part of the associated data if the key wants one.",
    "Damaged": "The string parses, and its tag is wrong.",
    "Key": "The id is in its form, and no key of the document has it.",
    "Known": "The vector of the HTTP contract.",
    "Length": "At or beyond a bound of the id, the context, the text or the whole string.",
    "Opens": "The seal opens and gives the text.",
    "Structure": "A field is missing, added, in another place or in another spelling.",
    "Text": "The seal opens, and its text cannot be a stored hash.",
}


def main():
    if sealed(BCRYPT, nonce=NONCE) != KNOWN:
        raise SystemExit("the contract's vector is made differently")
    if check_value(KEYS["2026a"]) != CHECK_VALUE:
        raise SystemExit("the contract's key check value is made differently")
    document = {
        "current": "2026a",
        "keys": [
            {"id": id, "key": base64.b64encode(key).decode(), **({"context": True} if id in WITH_CONTEXT else {})}
            for id, key in KEYS.items()
        ],
    }
    group = {
        "type": "seal",
        "source": {"name": SOURCE, "version": VERSION},
        "keys": document,
        "checkValues": {id: check_value(key) for id, key in KEYS.items()},
        "tests": [*opening(), *broken(), *malformed()],
    }
    vector_file.write(
        "seal",
        "Stored hashes that are sealed under a key, and strings that only look like them.",
        "generators/seal.py",
        NOTES,
        [group],
    )


def sealed(text, id="2026a", context=CONTEXT, nonce=None, key=None, head=None):
    """The sealed string of a text. The nonce is the same in every run."""
    text = text if isinstance(text, bytes) else text.encode()
    head = f"$saltern-seal$v=1,k={id}$" if head is None else head
    nonce = drawn(f"{id} {context} {text.hex()}", 12) if nonce is None else nonce
    associated = head.encode() + (context.encode() if id in WITH_CONTEXT else b"")
    body = AESGCM(KEYS[id] if key is None else key).encrypt(nonce, text, associated)
    return f"{head}{b64(nonce)}${b64(body)}"


def b64(data):
    return base64.b64encode(data).decode().rstrip("=")


def check_value(key):
    return hmac.new(key, b"saltern-seal key check v1", hashlib.sha256).hexdigest()[:8]


def opening():
    longest = "x" * 1024
    yield opens("the contract's vector", KNOWN, BCRYPT, flags=["Known"])
    yield opens("a key without contexts", sealed(BCRYPT, "2025"), BCRYPT, None)
    yield opens("a key without contexts ignores one", sealed(BCRYPT, "2025"), BCRYPT, "user-8", ["Context"])
    yield opens("the longest string", sealed(longest, LONGEST_ID), longest, None, ["Length"])
    yield opens("the longest text with a context", sealed(longest), longest, flags=["Length"])
    for length in (1, 15, 16, 17, 31, 32, 33):
        text = longest[:length]
        yield opens(f"a text of {length} bytes", sealed(text), text)
    for name, context in {"one byte": "7", "256 bytes": "c" * 256, "256 bytes of UTF-8": "é" * 128, "a dollar": "a$b"}.items():
        yield opens(f"a context of {name}", sealed(BCRYPT, context=context), BCRYPT, context, ["Context"])
    yield opens("a text in UTF-8", sealed("{bcrypt}é"), "{bcrypt}é")


def broken():
    for name, context in {"another row": "user-8", "more": "user-70", "less": "user-", "upper case": "User-7"}.items():
        yield refused(f"the context is {name}", KNOWN, "seal_broken", "Context", context)
    yield refused("no context", KNOWN, "invalid_request", "Context", None)
    yield refused("a context where the seal has none", sealed(BCRYPT, context=""), "seal_broken", "Context")
    yield refused("the id of another key", KNOWN.replace("2026a", "2025"), "seal_broken", "Damaged")
    yield refused("another key's bytes", sealed(BCRYPT, key=KEYS["2025"]), "seal_broken", "Damaged")
    head, _, body = KNOWN.rpartition("$")
    raw = base64.b64decode(body + "==")
    changed = {
        "the first byte": bytes([raw[0] ^ 1]) + raw[1:],
        "the last byte of the text": raw[:-17] + bytes([raw[-17] ^ 1]) + raw[-16:],
        "the first byte of the tag": raw[:-16] + bytes([raw[-16] ^ 0x80]) + raw[-15:],
        "the last byte of the tag": raw[:-1] + bytes([raw[-1] ^ 1]),
        "one byte less": raw[:-1],
        "one byte more": raw + b"\0",
    }
    for name, bytes_ in changed.items():
        yield refused(f"changed: {name}", f"{head}${b64(bytes_)}", "seal_broken", "Damaged")
    yield refused("another nonce", KNOWN.replace(b64(NONCE), b64(bytes(12))), "seal_broken", "Damaged")
    yield refused("an unknown key", KNOWN.replace("2026a", "2024"), "key_unavailable", "Key")
    yield refused("an unknown key of 32 bytes", KNOWN.replace("2026a", "z" * 32), "key_unavailable", "Key", None)
    yield refused("a sealed text", sealed(KNOWN), "invalid_hash", "Text")
    yield refused("a text that begins as a seal", sealed("$saltern-seal$"), "invalid_hash", "Text")
    yield refused("a text that is not UTF-8", sealed(b"\xff" + BCRYPT.encode()), "invalid_hash", "Text")


def malformed():
    mark, params, nonce, body = "$saltern-seal$", "v=1,k=2026a", b64(NONCE), KNOWN.rpartition("$")[2]

    def put(params=params, nonce=nonce, body=body):
        return f"{mark}{params}${nonce}${body}"

    yield refused("version 2", put(params="v=2,k=2026a"), "unsupported_hash", "Structure")
    yield refused("version 19", put(params="v=19,k=2026a"), "unsupported_hash", "Structure")
    for written in (
        "v=01,k=2026a", "v=+1,k=2026a", "v=0,k=2026a", "v=,k=2026a", "V=1,k=2026a", "k=2026a", "v=1", "", "k=2026a,v=1",
        "v=1,K=2026a", "v=1, k=2026a", "v=1,k=2026a,", "v=1,k=2026a,x=1", "v=1,k=2026a ", "v=1,x=1,k=2026a", "v=1,k=",
        "v=1,k=2026A", "v=1,k=2026_a", "v=1,k=2026.a", "v=1,k=2026é", "v=1;k=2026a", "v=1,k=2026a,k=2026a",
    ):  # fmt: skip
        yield refused(f"parameters `{written}`", put(params=written), "invalid_hash", "Structure")
    yield refused("an id of 33 bytes", put(params="v=1,k=" + "k" * 33), "invalid_hash", "Length")
    yield refused("the mark alone", mark, "invalid_hash", "Structure")
    yield refused("no nonce", f"{mark}{params}${body}", "invalid_hash", "Structure")
    yield refused("no ciphertext", f"{mark}{params}${nonce}", "invalid_hash", "Structure")
    yield refused("an empty ciphertext", put(body=""), "invalid_hash", "Structure")
    yield refused("a field more", put() + "$", "invalid_hash", "Structure")
    yield refused("a newline at the end", put() + "\n", "invalid_hash", "Base64")
    yield refused("a space at the end", put() + " ", "invalid_hash", "Base64")
    yield refused("a NUL at the end", put() + "\0", "invalid_hash", "Base64")
    yield refused("padding", put(body=body + "=="), "invalid_hash", "Base64")
    yield refused("the alphabet for URLs", put(body=body.replace("+", "-")), "invalid_hash", "Base64")
    yield refused("a bit of no byte in the ciphertext", put(body=with_bit(body)), "invalid_hash", "Base64")
    yield refused("a character that completes no byte", put(body=body + "AAA"), "invalid_hash", "Base64")
    yield refused("a nonce of 11 bytes", put(nonce=b64(NONCE[:11])), "invalid_hash", "Length")
    yield refused("a nonce of 13 bytes", put(nonce=b64(NONCE + b"\0")), "invalid_hash", "Length")
    yield refused("an empty nonce", put(nonce=""), "invalid_hash", "Length")
    yield refused("a tag and no text", sealed(""), "invalid_hash", "Length")
    yield refused("15 bytes", put(body=b64(bytes(15))), "invalid_hash", "Length")
    yield refused("a text of 1,025 bytes", sealed("x" * 1025), "invalid_hash", "Length")
    yield refused("1,458 bytes", sealed("x" * 1025, LONGEST_ID), "invalid_hash", "Length", None)
    yield refused("the mark in upper case", put().replace("saltern-seal", "SALTERN-SEAL"), "unsupported_hash", "Structure")
    yield refused("a space before the mark", " " + put(), "unsupported_hash", "Structure")
    yield refused("no seal", BCRYPT, "unsupported_hash", "Structure")


def with_bit(text):
    """Sets the lowest bit of the last character, which belongs to no byte."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    index = alphabet.index(text[-1])
    if index & 1:
        raise SystemExit("the last character has the bit set already")
    return text[:-1] + alphabet[index | 1]


def opens(comment, stored, text, context=CONTEXT, flags=()):
    return {"comment": comment, "hash": stored, "context": context, "text": text, "result": "opens", "flags": list(flags) or ["Opens"]}


def refused(comment, stored, code, flag, context=CONTEXT):
    return {"comment": comment, "hash": stored, "context": context, "result": code, "flags": [flag]}


if __name__ == "__main__":
    main()
