"""Numbers that people type."""

import pytest

from weir.cli import main
from weir.text.digits import whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("007", 7), ("65535", 65535), ("0" * 9000 + "5", 5), ("65536", None), ("9" * 5000, None)]
    + [(text, None) for text in ("", "-1", "+1", " 1", "1 ", "1.5", "1e3", "x", "²", "٣")],
)
def test_whole_numbers(text: str, number: int | None):
    assert whole_number(text, most=65535) == number
    assert whole_number(text, 1, 65535) == (number or None)


@pytest.mark.parametrize("digits", ["9" * 5000, "²", "18446744073709551616"])
@pytest.mark.parametrize(
    "line",
    [
        ["telemetry", "listen", "--udp", "127.0.0.1:%"],
        ["top", "%", "--once"],
        ["top", "127.0.0.1:%", "--once"],
        ["bench", "pipeline", "no.p4", "--ports", "%"],
    ],
)
def test_digits_that_are_no_number_are_reported(
    line: list[str], digits: str, capfd: pytest.CaptureFixture[str]
):
    assert main([word.replace("%", digits) for word in line]) in (1, 2)
    assert "internal error" not in capfd.readouterr().err
