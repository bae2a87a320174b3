"""The words that shells offer for a line that begins with ``weir``, and the completed line."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

import needed
from command import WEIR, weir

PATH = os.environ | {"PATH": f"{WEIR.parent}:{os.environ['PATH']}"}
"""The environment of a shell that finds the command."""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the output of ``weir completion`` for each shell."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in ("bash", "fish", "zsh"):
        code, script, complaints = weir("completion", shell)
        assert (code, complaints) == (0, "")
        (folder / shell).write_text(script, encoding="utf-8")
    return folder


def offered(typed: str, scripts: Path, cwd: Path) -> tuple[list[str], list[str]]:
    """Returns what bash offers at the end of a line, and the options that completion sets.

    The words are split as readline does it, at the characters of ``COMP_WORDBREAKS``.
    """
    script = r"""
        compopt() { printf 'option %s\n' "$2"; }
        eval "$(< "$3")"
        COMP_LINE="weir $2" COMP_POINT=${#COMP_LINE} COMP_WORDS=(weir) rest=$2
        while [[ $rest ]]; do
            if [[ $rest =~ ^[[:space:]]+ ]]; then rest=${rest#"${BASH_REMATCH[0]}"}; continue; fi
            [[ $rest =~ ^[:=]+ ]] || [[ $rest =~ ^[^:=[:space:]]+ ]]
            COMP_WORDS+=("${BASH_REMATCH[0]}")
            rest=${rest#"${BASH_REMATCH[0]}"}
        done
        [[ $2 == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _weir_completion "$1"
        printf 'word %s\n' "${COMPREPLY[@]}"
    """
    ended = subprocess.run(
        ["bash", "-c", script, "bash", WEIR, typed, scripts / "bash"],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    lines = [line.partition(" ") for line in ended.stdout.splitlines()]
    return [text for kind, _, text in lines if kind == "word" and text], [
        text for kind, _, text in lines if kind == "option"
    ]


@pytest.mark.parametrize(
    ("typed", "words", "options"),
    [
        ("che", ["check"], []),
        ("lab r", ["run"], []),
        ("lab run d", ["delay"], []),
        ("check x", [], ["default"]),
        ("run --shape du", ["dumbbell:"], ["nospace"]),
        ("draw --shape=fa", ["fat_tree:"], ["nospace"]),
        ("draw --shape fat_tree", ["fat_tree:"], ["nospace"]),
        ("ping --shape dumbbell:2 h", ["h1", "h2", "h3", "h4"], []),
        ("ping --shape=dumbbell:2 h", ["h1", "h2", "h3", "h4"], []),
        ("iperf dumbbell:2 h1 h", ["h1", "h2", "h3", "h4"], []),
        ("ping --shape dumbbell:", [], []),
        ("lab run delay --only rt", ["rtt"], []),
        ("lab run delay --only=rt", ["rtt"], []),
        ("lab run delay --only rtt,rt", ["rtt,rtt"], []),
        ("lab run nosuch --only r", [], []),
        ("switch --exec", ["--executor"], []),
        ("switch --executor n", ["native"], []),
        ("switch --gso=f", ["force"], []),
        ("switch x", [], ["default"]),
        ("switch router.p4 -i 1@eth0 --entries x", [], ["default"]),
        ("link eth1 eth2 --del", ["--delay"], []),
    ],
)
def test_bash_is_offered_what_completes_a_line(
    typed: str, words: list[str], options: list[str], scripts: Path, tmp_path: Path
):
    assert offered(typed, scripts, tmp_path) == (words, options)


def test_all_words_of_a_prefix(scripts: Path, tmp_path: Path):
    words, _ = offered("run --p", scripts, tmp_path)
    assert {"--p4", "--pcap", "--profile"} <= set(words)


def test_completion_runs_no_code_of_a_folder(scripts: Path, tmp_path: Path):
    lab = tmp_path / "own"
    lab.mkdir()
    (lab / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    assert offered("lab run own --only ", scripts, tmp_path)[0] == []
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("che", ["check\tCheck P4 programs."]),
        ("lab run d", ["delay"]),
        ("check x", ["xa.p4"]),
        ("run --shape du", ["dumbbell:"]),
        ("draw --shape=fa", ["--shape=fat_tree:"]),
        ("ping --shape dumbbell:2 h", ["h1", "h2", "h3", "h4"]),
        ("ping --shape=dumbbell:2 h", ["h1", "h2", "h3", "h4"]),
        ("lab run delay --only rt", ["rtt"]),
        ("lab run delay --only=rt", ["--only=rtt"]),
        ("lab run nosuch --only r", []),
        ("switch --executor n", ["native"]),
        ("switch x", ["xa.p4"]),
    ],
)
def test_fish_is_offered_the_same(typed: str, words: list[str], scripts: Path, tmp_path: Path):
    needed.need("fish")
    (tmp_path / "xa.p4").touch()
    ended = subprocess.run(
        ["fish", "--no-config", "-c", f"source {scripts / 'fish'}; complete -C 'weir {typed}'"],
        cwd=tmp_path,
        env=PATH | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == words


ZSH = """
autoload -Uz compinit && compinit -u -d {folder}/dump
eval "$(< {scripts}/zsh)"
PS1= PS2= RPS1= ZLE_RPROMPT_INDENT=0
unsetopt zle_bracketed_paste
LISTMAX=1000
shown() {{ print -r -- "<<$BUFFER>>" }}
zle -N shown && bindkey '^X' shown
zstyle ':completion:*' insert-tab false
print ready
"""
"""Keys of zsh: tab completes, Ctrl-X shows the line."""


def zsh_line(typed: str, scripts: Path, folder: Path) -> str:
    """Returns the line that zsh shows after a tab."""
    (folder / ".zshrc").write_text(ZSH.format(folder=folder, scripts=scripts))
    ours, far_end = pty.openpty()
    shell = subprocess.Popen(
        ["zsh", "-i"],
        cwd=folder,
        env=PATH | {"ZDOTDIR": str(folder), "HOME": str(folder), "TERM": "dumb", "COLUMNS": "200"},
        stdin=far_end,
        stdout=far_end,
        stderr=far_end,
        start_new_session=True,
    )
    os.close(far_end)
    seen = b""

    def read_until(pattern: str) -> str:
        nonlocal seen
        deadline = time.monotonic() + 60
        while not (match := re.search(pattern.encode(), seen)):
            assert select.select([ours], [], [], max(0, deadline - time.monotonic()))[0], seen
            seen += os.read(ours, 65536)
        return match.group(match.re.groups).decode()

    try:
        read_until("(ready)\r\n")
        os.write(ours, f"weir {typed}\t\x18".encode())
        return read_until("<<(.*?)>>")
    finally:
        shell.kill()
        shell.wait(20)
        os.close(ours)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("che", "check "),
        ("lab run d", "lab run delay "),
        ("check x", "check xa.p4 "),
        ("run --shape du", "run --shape dumbbell:"),
        ("draw --shape=fa", "draw --shape=fat_tree:"),
        ("ping --shape dumbbell:2 h\t", "ping --shape dumbbell:2 h1"),
        ("ping --shape=dumbbell:2 h\t", "ping --shape=dumbbell:2 h1"),
        ("lab run delay --only rt", "lab run delay --only rtt "),
        ("lab run delay --only=rt", "lab run delay --only=rtt "),
        ("lab run nosuch --only r", "lab run nosuch --only r"),
        ("switch --exec", "switch --executor "),
        ("switch x", "switch xa.p4 "),
    ],
)
def test_zsh_completes_the_line(typed: str, line: str, scripts: Path, tmp_path: Path):
    needed.need("zsh")
    (tmp_path / "xa.p4").touch()
    assert zsh_line(typed, scripts, tmp_path) == f"weir {line}"
