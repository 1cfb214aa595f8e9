"""checkov over every root: no finding without a reason beside it, and no reason for what is not found."""

import json
import re
import subprocess

# Faults that go with the scan. Where one of them is not found, nothing is.
FAULT_FILE = "fault/main.tf"
FAULT = """resource "aws_lambda_function_url" "public" {
  #checkov:skip=CKV_AWS_45
  function_name      = "everybody"
  authorization_type = "NONE"
}
"""
FAULT_SAYS = ("CKV_AWS_258", "CKV_AWS_45 is skipped without a reason", "CKV_AWS_45 is skipped and not found")

SKIP = re.compile(r"checkov:skip=([A-Z0-9_]+)(?::(.*))?")

# A reason is a sentence, not a mark.
SHORTEST_REASON = 20


def problems(checkov, copy):
    """Of the configurations under a directory, which this may write to."""
    fault = copy / FAULT_FILE
    fault.parent.mkdir()
    fault.write_text(FAULT)
    skips = list(written_skips(copy))
    command = [checkov, "--directory", copy, "--framework", "terraform", "--skip-download", "--output", "json"]
    ended = subprocess.run(command, capture_output=True, text=True)
    fault.unlink()
    fault.parent.rmdir()
    try:
        report = json.loads(ended.stdout)
    except json.JSONDecodeError:
        return [f"checkov said nothing that can be read: {ended.stdout[-500:]}{ended.stderr[-500:]}"]
    return list(of_report(report, skips))


def of_report(report, skips):
    said = list(complaints(report["results"], skips))
    for fault in FAULT_SAYS:
        if not any(file == FAULT_FILE and fault in text for file, text in said):
            yield f"{FAULT_FILE} was put there to be found, and nobody says {fault}"
    yield from (f"{file}: {text}" for file, text in said if file != FAULT_FILE)


def complaints(results, skips):
    for found in results["failed_checks"]:
        check = found["check_id"]
        text = f"{found['resource']}: {check}: {found['check_name']}. Mend it, or say beside it why not: #checkov:skip={check}:reason"
        yield found["file_path"].lstrip("/"), text
    for error in results["parsing_errors"]:
        yield str(error), "checkov cannot read it"
    used = {(found["check_id"], found["file_path"].lstrip("/")) for found in results["skipped_checks"]}
    for check, file, reason in skips:
        if len(reason.strip()) < SHORTEST_REASON:
            yield file, f"{check} is skipped without a reason"
        if (check, file) not in used:
            yield file, f"{check} is skipped and not found: take the line out"


def written_skips(copy):
    for file in sorted(copy.rglob("*.tf")):
        for check, reason in SKIP.findall(file.read_text()):
            yield check, str(file.relative_to(copy)), reason
