"""``weir link`` between interfaces of the kernel, in network namespaces of their own."""

import subprocess
import sys

import pytest


def test_a_link_delays_loses_duplicates_and_reorders(play):
    assert play("link.py") == "done\n"


def test_a_discipline_keeps_the_queue_of_a_link_short_and_marks(play):
    assert play("queueing.py") == "done\n"


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ([], 1, "expected two interfaces"),
        (["a", "b", "--delay", "5"], 1, 'did you mean "5ms"?'),
        (["a", "b", "--rate", "1Mbit", "--qdisc", "fq_codle"], 1, 'did you mean "fq_codel"?'),
        (["a", "b", "--qdisc", "fq_codel"], 1, "without a rate no frame waits"),
        (["a", "b", "--losss", "1%"], 2, "--loss"),
        (["no-such-one", "b"], 1, 'there is no interface "no-such-one"; '),
        (["lo", "lo"], 1, "a link has two ends, and both are lo"),
        (["lo", "lo@nowhere"], 1, "there is no network namespace /run/netns/nowhere; `ip netns` lists"),
    ],
)
def test_mistakes_are_explained(namespaces: list[str], arguments: list[str], code: int, expected: str):
    command = [*namespaces, sys.executable, "-m", "weir", "link", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert expected in ended.stderr, ended.stderr
