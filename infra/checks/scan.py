"""checkov over every root: no finding without a reason beside it, and no reason for what is not found."""

import json
import re
import subprocess

# A fault that goes with the scan: where it is not found, nothing is.
FAULT_FILE = "fault/main.tf"
FAULT = 'resource "aws_lambda_function_url" "public" {\n  function_name      = "everybody"\n  authorization_type = "NONE"\n}\n'
FAULT_CHECK = "CKV_AWS_258"

SKIP = re.compile(r"checkov:skip=([A-Z0-9_]+)(?::(.*))?")

# A reason is a sentence, not a mark.
SHORTEST_REASON = 20


def problems(checkov, copy):
    """Of the configurations under a directory, which this may write to."""
    fault = copy / FAULT_FILE
    fault.parent.mkdir()
    fault.write_text(FAULT)
    command = [checkov, "--directory", copy, "--framework", "terraform", "--skip-download", "--output", "json"]
    ended = subprocess.run(command, capture_output=True, text=True)
    fault.unlink()
    fault.parent.rmdir()
    try:
        report = json.loads(ended.stdout)
    except json.JSONDecodeError:
        return [f"checkov said nothing that can be read: {ended.stdout[-500:]}{ended.stderr[-500:]}"]
    return list(of_report(report, written_skips(copy)))


def of_report(report, skips):
    results = report["results"]
    failed = [(found["check_id"], found["file_path"].lstrip("/"), found["check_name"], found["resource"]) for found in results["failed_checks"]]
    if not any(check == FAULT_CHECK and file == FAULT_FILE for check, file, *_ in failed):
        yield f"checkov does not find what {FAULT_FILE} seeds"
    for check, file, name, resource in failed:
        if file != FAULT_FILE:
            yield f"{file}: {resource}: {check}: {name}. Mend it, or say beside it why not: #checkov:skip={check}:reason"
    for error in results["parsing_errors"]:
        yield f"checkov cannot read {error}"
    used = {(found["check_id"], found["file_path"].lstrip("/")) for found in results["skipped_checks"]}
    for check, file, reason in skips:
        if len((reason or "").strip()) < SHORTEST_REASON:
            yield f"{file}: {check} is skipped without a reason"
        if (check, file) not in used:
            yield f"{file}: {check} is skipped and not found: take the line out"


def written_skips(copy):
    for file in sorted(copy.rglob("*.tf")):
        for check, reason in SKIP.findall(file.read_text()):
            yield check, str(file.relative_to(copy)), reason
