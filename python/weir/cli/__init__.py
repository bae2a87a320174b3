"""The command ``weir``."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code.

    The code is 0 for success, 1 for an error or a failure, 2 for wrong usage, 130 for an
    interruption.

    Args:
        args: the command line without the program's name; by default the process's own.
    """
    try:
        from weir.system.repeated_interrupts import RepeatedInterrupts

        with RepeatedInterrupts():
            _open_streams()
            from weir.system.output import escape_missing_characters
            from weir.text.visible import visible_output

            escape_missing_characters(sys.stdout)
            with visible_output(sys.stdout, sys.stderr):
                return _run(args)
    except BaseException as e:
        # The interrupt came during imports, or while an error was being written.
        if not _follows_interrupt(e):
            raise
        sys.stderr.write("error: interrupted\n")
        return 130
    finally:
        if args is None:
            _end_at_next_interrupt()


def _end_at_next_interrupt() -> None:
    """Makes Ctrl-C end the process without a traceback while Python waits for its threads."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _open_streams() -> None:
    """Opens ``/dev/null`` for standard streams that are closed.

    Otherwise the next opened file would become a standard stream.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    import os

    null = os.open(os.devnull, os.O_RDWR)
    while null < 3:
        null = os.dup(null)
    os.close(null)
    sys.stdin = sys.stdin or open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115


def _run(args: Sequence[str] | None) -> int:
    from weir.system.output import write_out

    out, err = sys.stdout, sys.stderr  # click replaces them when their readers have left.
    code = _run_command(args)
    # Write the output now, so that a full disk or a closed pipe is reported here instead of when
    # Python exits.
    if failed := write_out(out):
        code = max(code, _report_system_error(failed))
    write_out(err)
    return code


def _run_command(args: Sequence[str] | None) -> int:
    import os
    from contextlib import suppress

    import click

    from weir.cli.app import app
    from weir.cli.text import error
    from weir.errors import WeirError
    from weir.files.textfile import check_words

    try:
        check_words(sys.argv[1:] if args is None else args)
        code = app.main(args=None if args is None else list(args), prog_name="weir", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except WeirError as e:
        error(str(e))
        _write_document(args, str(e))
        return 1
    except click.UsageError as e:
        with suppress(OSError):  # Nobody reads standard error.
            e.show()
        return e.exit_code
    except click.ClickException as e:
        error(e.format_message())
        _write_document(args, e.format_message())
        return 1
    except (KeyboardInterrupt, click.Abort):
        error("interrupted")
        return 130
    except OSError as e:
        code = _report_system_error(e)
        if not isinstance(e, BrokenPipeError):
            _write_document(args, _system_error_text(e))
        return code
    except BaseException as e:
        if _follows_interrupt(e):
            error("interrupted")
            return 130
        if isinstance(e, SystemExit) and isinstance(e.code, int):
            # click and rich end the process when the reader of their output has left.
            return e.code
        # A panic in the core is a BaseException. Any other exception is a bug; only developers need
        # the traceback.
        if isinstance(e, SystemExit | GeneratorExit) or os.environ.get("WEIR_DEBUG"):
            raise
        text = (
            f"internal error: {type(e).__name__}: {e} (a bug in Weir, please report it; WEIR_DEBUG=1 "
            "shows where)"
        )
        error(text)
        _write_document(args, text)
        return 1


def _write_document(args: Sequence[str] | None, message: str) -> None:
    """Writes the JSON document of a command that could not do its work, if the command line has
    ``--json``."""
    import json
    from contextlib import suppress

    import click

    words = sys.argv[1:] if args is None else list(args)
    if "--json" in words[: words.index("--") if "--" in words else None]:
        document = {"version": 1, "error": click.unstyle(message)}
        with suppress(OSError):  # The failure may be that standard output cannot be written.
            click.echo(json.dumps(document, ensure_ascii=False))


def _report_system_error(failed: OSError) -> int:
    """Reports a system error, unless the error is that the reader of the output has closed the
    pipe; returns the exit code."""
    from weir.cli.text import error
    from weir.system.output import write_out

    # If standard output is at fault, it fails again here, but not after the report.
    write_out(sys.stdout)
    if not isinstance(failed, BrokenPipeError):
        error(_system_error_text(failed))
    return 1


def _system_error_text(failed: OSError) -> str:
    place = f"{failed.filename}: " if failed.filename else ""
    return f"{place}{failed.strerror or failed}"


def _follows_interrupt(error: BaseException | None) -> bool:
    """Returns whether an error is a consequence of Ctrl-C.

    Python and libraries sometimes replace KeyboardInterrupt by another exception, for example while
    a class is created.
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


if __name__ == "__main__":
    sys.exit(main())
