"""The checks of packaging/kubernetes/check."""

import copy
import pathlib
import re
import sys

import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parent

# A version that clusters still run, and the newest one that has schemas here.
VERSIONS = ["1.33", "1.37"]

MIB = 1024 * 1024

# README.md of functions/server: 16 MiB and 48 KiB for each connection, and 64 MiB of bodies.
CONNECTIONS_MIB = 16 + 4096 * 48 / 1024
BODIES_MIB = 64


def main():
    manifests = {name: yaml.safe_load((ROOT / name).read_text()) for name in resources()}
    for name, manifest in manifests.items():
        for version in VERSIONS:
            kubernetes_validate.validate(manifest, version, strict=True)
    see_that_a_wrong_manifest_fails(manifests["deployment.yaml"])
    by_kind = {manifest["kind"]: manifest for manifest in manifests.values()}
    problems = [problem for check in (labels, restricted, callers, times, memory, secrets, ports) for problem in check(by_kind)]
    for problem in problems:
        print(f"FAILED  {problem}")
    print(f"{len(manifests)} manifests are valid for Kubernetes {' and '.join(VERSIONS)}")
    sys.exit(1 if problems else 0)


def resources():
    """Returns the files of kustomization.yaml: every manifest of this folder."""
    listed = yaml.safe_load((ROOT / "kustomization.yaml").read_text())["resources"]
    there = {path.name for path in ROOT.glob("*.yaml")} - {"kustomization.yaml"}
    if there != set(listed):
        sys.exit(f"kustomization.yaml lists {sorted(listed)}, and the folder has {sorted(there)}")
    return listed


def see_that_a_wrong_manifest_fails(deployment):
    wrong = copy.deepcopy(deployment)
    wrong["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    try:
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)
    except kubernetes_validate.ValidationError:
        return
    sys.exit("kubernetes-validate accepts an unknown field")


def labels(manifests):
    """Every selector names the pods."""
    pods = manifests["Deployment"]["spec"]["template"]["metadata"]["labels"]
    selectors = {
        "Deployment": manifests["Deployment"]["spec"]["selector"]["matchLabels"],
        "NetworkPolicy": manifests["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
        "PodDisruptionBudget": manifests["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        "Service": manifests["Service"]["spec"]["selector"],
    }
    return [f"the selector of {kind} does not name the pods" for kind, selector in selectors.items() if selector != pods]


def restricted(manifests):
    """The Pod Security Standard `restricted`, and a root file system that is read-only."""
    pod = pod_of(manifests)
    container, own = pod["containers"][0], pod["securityContext"]
    allowed_volumes = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
    requirements = {
        "the namespace enforces restricted": manifests["Namespace"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted",
        "one container": len(pod["containers"]) == 1 and not pod.get("initContainers"),
        "runAsNonRoot": own["runAsNonRoot"] is True and own["runAsUser"] > 0,
        "seccompProfile": own["seccompProfile"]["type"] == "RuntimeDefault",
        "allowPrivilegeEscalation": container["securityContext"]["allowPrivilegeEscalation"] is False,
        "capabilities": container["securityContext"]["capabilities"] == {"drop": ["ALL"]},
        "readOnlyRootFilesystem": container["securityContext"]["readOnlyRootFilesystem"] is True,
        "no access to the host": not {"hostNetwork", "hostPID", "hostIPC"} & set(pod),
        "volumes": all(set(volume) - {"name"} <= allowed_volumes for volume in pod["volumes"]),
        "no token of the cluster": pod["automountServiceAccountToken"] is False,
    }
    return [f"restricted: {name}" for name, holds in requirements.items() if not holds]


def callers(manifests):
    """The network policy names a namespace: any tenant can label its own pods."""
    for rule in manifests["NetworkPolicy"]["spec"]["ingress"]:
        for source in rule["from"]:
            if "kubernetes.io/metadata.name" not in source["namespaceSelector"].get("matchLabels", {}):
                yield "the network policy admits pods of any namespace"


def times(manifests):
    """A pod leaves the service before its port closes, and is not ended before its drain is."""
    pod = pod_of(manifests)
    container, settings = pod["containers"][0], settings_of(manifests)
    notice, drain = (int(settings[name]) for name in ("SALTERN_DRAIN_NOTICE_SECONDS", "SALTERN_DRAIN_SECONDS"))
    longest = {name: container[name]["failureThreshold"] * container[name]["periodSeconds"] for name in ("readinessProbe", "livenessProbe")}
    if pod["terminationGracePeriodSeconds"] <= notice + drain:
        yield "terminationGracePeriodSeconds is not longer than notice and drain"
    if longest["readinessProbe"] + container["readinessProbe"]["timeoutSeconds"] >= notice:
        yield "the readiness probe is slower than the notice"
    if container["readinessProbe"]["failureThreshold"] < 2:
        yield "one lost answer takes a pod out of the service"
    if longest["livenessProbe"] <= notice + drain:
        yield "the liveness probe may end a server that drains"


def memory(manifests):
    """Hashes take half of the limit by default; connections and bodies take the rest."""
    resources = pod_of(manifests)["containers"][0]["resources"]
    limit = int(re.fullmatch(r"(\d+)Mi", resources["limits"]["memory"])[1])
    if limit / 2 < CONNECTIONS_MIB + BODIES_MIB + 32:
        yield "connections and bodies may need more than half of the memory"
    if resources["requests"]["memory"] != resources["limits"]["memory"]:
        yield "memory is requested and limited alike, so that no node runs out of it"
    workers = [variable for variable in environment(manifests) if variable["name"] == "SALTERN_WORKERS"]
    if [variable["valueFrom"]["resourceFieldRef"]["resource"] for variable in workers] != ["requests.cpu"]:
        yield "the workers are not the requested cores"
    if not re.fullmatch(r"\d+", resources["requests"]["cpu"]) or "cpu" in resources["limits"]:
        yield "the pod requests whole cores, without a limit"


def secrets(manifests):
    """Each file of a setting is in a mounted secret."""
    mounts = [mount["mountPath"] for mount in pod_of(manifests)["containers"][0]["volumeMounts"]]
    files = [value for value in settings_of(manifests).values() if value.startswith("/")]
    return [f"{file} is in no volume" for file in files if str(pathlib.PurePosixPath(file).parent) not in mounts]


def ports(manifests):
    """All name one port, on which the server listens."""
    named = pod_of(manifests)["containers"][0]["ports"][0]
    if not settings_of(manifests)["SALTERN_LISTEN"].endswith(f":{named['containerPort']}"):
        yield "the server listens on another port"
    if [manifests["Service"]["spec"]["ports"][0]["targetPort"], manifests["NetworkPolicy"]["spec"]["ingress"][0]["ports"][0]["port"]] != [named["name"]] * 2:
        yield "the service or the network policy names another port"


def pod_of(manifests):
    return manifests["Deployment"]["spec"]["template"]["spec"]


def environment(manifests):
    return pod_of(manifests)["containers"][0]["env"]


def settings_of(manifests):
    return {variable["name"]: variable["value"] for variable in environment(manifests) if "value" in variable}


if __name__ == "__main__":
    main()
