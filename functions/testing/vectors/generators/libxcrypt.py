"""The system's libxcrypt: crypt(3) and its settings."""

import ctypes

import family

_library = ctypes.CDLL("libcrypt.so.1")
_library.crypt.restype = _library.crypt_gensalt.restype = ctypes.c_char_p
_library.crypt.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
_library.crypt_gensalt.argtypes = [ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_int]

VERSION = family.debian("libcrypt1")


def crypt(password, setting):
    if b"\0" in password:
        raise SystemExit("C's strings end at a NUL")
    stored = _library.crypt(password, setting.encode())
    if stored is None or stored.startswith(b"*"):
        raise SystemExit(f"libxcrypt refuses {setting}")
    return stored.decode()


def gensalt(prefix, cost=0, random=None):
    """Returns a setting that the library makes; cost 0 is its default."""
    random = family.drawn(f"{prefix} {cost}", 32) if random is None else random
    setting = _library.crypt_gensalt(prefix.encode(), cost, random, len(random))
    if setting is None:
        raise SystemExit(f"libxcrypt makes no setting for {prefix} at cost {cost}")
    return setting.decode()
