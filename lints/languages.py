"""The languages of the tree: where a file's comments are."""

import re

DOUBLE = r'"(?:\\.|[^"\\])*"'
SINGLE = r"'(?:\\.|[^'\\])*'"
CHARACTER = r"'(?:\\[^']*.|[^'\\\n])'"
SLASHES = r"(?P<comment>//[^\n]*|/\*.*?\*/)"
HASH = r"(?P<comment>(?<!\S)#[^\n]*)"

# For each language the text that is skipped and, named `comment`, the text that is read.
LANGUAGES = {
    "rust": rf'{SLASHES}|\bb?r(?P<hashes>#*)".*?"(?P=hashes)|{DOUBLE}|{CHARACTER}',
    "scala": rf'{SLASHES}|""".*?"""|{DOUBLE}|{CHARACTER}',
    "typescript": rf"{SLASHES}|`(?:\\.|[^`\\])*`|{DOUBLE}|{SINGLE}",
    "terraform": rf"(?P<comment>(?<!\S)#[^\n]*|(?<!\S)//[^\n]*|/\*.*?\*/)|<<-?(?P<end>\w+)\n.*?^\s*(?P=end)$|{DOUBLE}",
    "python": rf'(?P<comment>(?<!\S)#[^\n]*|^[ \t]*""".*?""")|""".*?"""|{DOUBLE}|{SINGLE}',
    "shell": rf"{HASH}|<<-?'?(?P<end>\w+)'?[^\n]*\n.*?^\s*(?P=end)$|\\.|{DOUBLE}|'[^']*'",
    "toml": rf"{HASH}|{DOUBLE}|'[^'\n]*'",
    "make": HASH,
}
PATTERNS = {name: re.compile(pattern, re.DOTALL | re.MULTILINE) for name, pattern in LANGUAGES.items()}

ENDINGS = {
    ".md": "markdown",
    ".rs": "rust",
    ".scala": "scala",
    ".sbt": "scala",
    ".java": "scala",
    ".ts": "typescript",
    ".js": "typescript",
    ".tf": "terraform",
    ".hcl": "terraform",
    ".py": "python",
    ".toml": "toml",
    ".sh": "shell",
}


def of(path):
    """The language of a file, by its ending or its first line; None for data and for others."""
    if path.name == "Makefile":
        return "make"
    if path.suffix or not path.is_file():
        return ENDINGS.get(path.suffix)
    opening = path.open("rb").readline()
    if not opening.startswith(b"#!"):
        return None
    return "python" if b"python" in opening else "shell"
