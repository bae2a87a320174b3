"""What bash offers for a line that begins with ``weir``, and how the line looks then."""

import subprocess
from pathlib import Path

import pytest

from command import WEIR


def offered(typed: str, cwd: Path) -> tuple[list[str], list[str]]:
    """Returns what bash offers at the end of a line, and the options that completion sets.

    The words are split as readline does it, at the characters of ``COMP_WORDBREAKS``.
    """
    script = r"""
        compopt() { printf 'option %s\n' "$2"; }
        eval "$("$1" completion bash)"
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
    done = subprocess.run(
        ["bash", "-c", script, "bash", WEIR, typed],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
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
    ],
)
def test_bash_is_offered_what_completes_a_line(
    typed: str, words: list[str], options: list[str], tmp_path: Path
):
    assert offered(typed, tmp_path) == (words, options)


def test_all_words_of_a_prefix(tmp_path: Path):
    words, _ = offered("run --p", tmp_path)
    assert {"--p4", "--pcap", "--profile"} <= set(words)


def test_completion_runs_no_code_of_a_folder(tmp_path: Path):
    lab = tmp_path / "own"
    lab.mkdir()
    (lab / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    assert offered("lab run own --only ", tmp_path)[0] == []
    assert not (tmp_path / "ran").exists()
