"""Checks lists of dependencies against the JSON schemas of CycloneDX, which the package brings.

    python packaging/sboms/check.py FILE...

requirements.txt has the packages.
"""

import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    wrong = [problem for file in files for problem in problems(file)]
    print("\n".join([*wrong, f"sboms: {len(files)} lists checked, {len(wrong)} problems"]))
    sys.exit(1 if wrong or not files else 0)


def problems(file):
    bom = json.loads(file.read_text())
    validator = JsonStrictValidator(SchemaVersion.from_version(bom["specVersion"]))
    found = validator.validate_str(json.dumps(bom), all_errors=True) or []
    for error in found:
        yield f"{file.name}: {error.data.json_path}: {error.data.message}"
    # A schema that admits anything would find nothing.
    del bom["components"][0]["name"]
    if validator.validate_str(json.dumps(bom)) is None:
        yield f"{file.name}: a component without a name is not found"


if __name__ == "__main__":
    main()
