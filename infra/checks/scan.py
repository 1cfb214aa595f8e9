"""Runs checkov: no finding may lack a reason in the file, and no reason may lack a finding."""

import json
import re
import subprocess

# Faults that the scan must find. They show that the scan works.
FAULT_FILE = "fault/main.tf"
FAULT = """resource "aws_lambda_function_url" "public" {
  #checkov:skip=CKV_AWS_45
  function_name      = "public"
  authorization_type = "NONE"
}
"""
FAULT_SAYS = ("CKV_AWS_258", "CKV_AWS_45 is skipped without a reason", "CKV_AWS_45 is skipped but not found")

SKIP = re.compile(r"checkov:skip=([A-Z0-9_]+)(?::(.*))?")

# The length of the shortest reason. A reason must be a sentence.
SHORTEST_REASON = 20


def problems(checkov, copy, environment):
    """Returns the problems of all configurations in a directory. Writes a faulty file there."""
    fault = copy / FAULT_FILE
    fault.parent.mkdir()
    fault.write_text(FAULT)
    skips = list(written_skips(copy))
    command = [checkov, "--directory", copy, "--framework", "terraform", "--skip-download", "--output", "json"]
    # The only modules with for_each are copies of the capacity formula, which has no resource.
    environment = environment | {"CHECKOV_ENABLE_MODULES_FOREACH_HANDLING": "False"}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment)
    fault.unlink()
    fault.parent.rmdir()
    try:
        report = json.loads(ended.stdout)
    except json.JSONDecodeError:
        return [f"checkov printed no JSON: {ended.stdout[-500:]}{ended.stderr[-500:]}"]
    return list(of_report(report, skips))


def of_report(report, skips):
    said = list(complaints(report["results"], skips))
    for fault in FAULT_SAYS:
        if not any(file == FAULT_FILE and fault in text for file, text in said):
            yield f"checkov did not report the fault in {FAULT_FILE}: {fault}"
    yield from (f"{file}: {text}" for file, text in said if file != FAULT_FILE)


def complaints(results, skips):
    for found in results["failed_checks"]:
        check = found["check_id"]
        text = f"{found['resource']}: {check}: {found['check_name']}. Fix it, or add the reason to the resource: #checkov:skip={check}:reason"
        yield found["file_path"].lstrip("/"), text
    for error in results["parsing_errors"]:
        yield str(error), "checkov cannot read the file: run terraform validate"
    used = {(found["check_id"], found["file_path"].lstrip("/")) for found in results["skipped_checks"]}
    for check, file, reason in skips:
        if len(reason.strip()) < SHORTEST_REASON:
            yield file, f"{check} is skipped without a reason: write a sentence after the second colon"
        if (check, file) not in used:
            yield file, f"{check} is skipped but not found: remove the line"


def written_skips(copy):
    for file in sorted(copy.rglob("*.tf")):
        for check, reason in SKIP.findall(file.read_text()):
            yield check, str(file.relative_to(copy)), reason
