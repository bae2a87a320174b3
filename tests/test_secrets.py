"""Weir refuses private keys that all users may write, and warns if all users may read them."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import weir
from access_points import init, weir as access_point
from weir.errors import WeirWarning
from weir.p4runtime.tls import ClientTls, ServerTls


@pytest.mark.parametrize(
    ("mode", "refused", "warned"),
    [
        (0o600, False, False),
        (0o640, False, False),
        (0o660, False, False),
        (0o644, False, True),
        (0o602, True, False),
        (0o666, True, False),
    ],
)
def test_permissions_of_keys(mode: int, refused: bool, warned: bool, tmp_path: Path) -> None:
    for name in ("ca", "certificate", "key"):
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(0o644)
    (tmp_path / "key").chmod(mode)
    files = [tmp_path / name for name in ("certificate", "key", "ca")]
    for tls in (ServerTls(*files), ClientTls(files[2], files[0], files[1])):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if refused:
                with pytest.raises(
                    weir.FileError, match="key: all users may write this private key: chmod 600"
                ):
                    tls.row()
            else:
                assert b"key" in str(tls.row()).encode()
        texts = [str(one.message) for one in caught if issubclass(one.category, WeirWarning)]
        assert texts == (
            [f"{tmp_path / 'key'}: all users may read this private key: chmod 600 {tmp_path / 'key'}"]
            if warned
            else []
        )


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    (tmp_path / "certificate").write_text("")
    with pytest.raises(weir.FileError, match="key: no such file"):
        ServerTls(tmp_path / "certificate", tmp_path / "key").row()


def test_settings_with_a_passphrase(tmp_path: Path) -> None:
    init(tmp_path / "ap")
    settings = tmp_path / "ap" / "ap.toml"
    assert settings.stat().st_mode & 0o777 == 0o600
    assert "may read" not in access_point("write", str(settings.parent))
    settings.chmod(0o644)
    warned = access_point("write", str(settings.parent))
    assert f"{settings}: all users may read this passphrase: chmod 600 {settings}" in warned
    settings.chmod(0o602)
    refused = access_point("write", str(settings.parent))
    assert f"all users may write this passphrase: chmod 600 {settings}" in refused
    words = tmp_path / "words"
    words.write_text("one two three\n")
    words.chmod(0o666)
    assert "all users may write this passphrase" in init(tmp_path / "two", "--passphrase-file", str(words))
    assert not (tmp_path / "two").exists()
