"""Commands on disks that are full or read-only, and with a home that cannot be written."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from command import NET, WEIR

PING = ["ping", str(NET / "topology.json"), "h1", "h2", "-c", "1", "--p4", str(NET / "router.p4")]


def on_disk(folder: Path, options: str, script: str) -> str:
    """Runs a script in a small file system of its own, mounted at a folder."""
    mount = f"mount -t tmpfs -o size=64k x {shlex.quote(str(folder))} && cd {shlex.quote(str(folder))}"
    readable = "mount -o remount,ro . && " if options == "ro" else ""
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f"{mount} && {readable}{script}"]
    try:
        subprocess.run([*words[:-1], mount], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system has no mount namespaces for users")
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return ended.stdout


@pytest.mark.parametrize("words", ["lab copy delay y", "lab new y", "example copy nat y", "lab new a/b/y"])
@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_gets_no_half_folder(tmp_path: Path, words: str, there: bool):
    folder = words.split()[-1]
    fill = "head -c 60k /dev/zero > full"
    script = (
        f"{fill}; {'mkdir -p ' + folder if there else 'true'}; '{WEIR}' {words}; echo code $?; find . | sort"
    )
    out = on_disk(tmp_path, "", script)
    assert f"error: {folder}: cannot be written: no space left on the device\n" in out, out
    rest = (
        [str(Path(folder).parents[n]) for n in range(len(Path(folder).parts) - 1)] + [folder] if there else []
    )
    assert out.partition("code 1\n")[2].split() == [
        ".",
        *sorted({f"./{name}" for name in [*rest, "full"]}),
    ], out


def test_a_read_only_disk_is_named(tmp_path: Path):
    out = on_disk(tmp_path, "ro", f"{shlex.join([str(WEIR), *PING])} --csv a.csv")
    assert "error: a.csv: cannot be written: the file system is read-only" in out


@pytest.mark.parametrize("home", ["/proc/nothing", "/dev/null"])
def test_plots_need_no_home(tmp_path: Path, home: str):
    env = {name: text for name, text in os.environ.items() if not name.startswith(("XDG_", "MPL"))}
    completed = subprocess.run(
        [WEIR, *PING, "--plot", "a.svg"],
        cwd=tmp_path,
        env={**env, "HOME": home, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    # The temporary folder is removed.
    assert [file.name for file in tmp_path.iterdir()] == ["a.svg"]
