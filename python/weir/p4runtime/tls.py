"""Certificates for P4Runtime."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from weir.files.secret import check_secret
from weir.files.textfile import read_text


@dataclass(frozen=True)
class ClientTls:
    """The certificates of a client: files in PEM.

    Attributes:
        authority: the authority whose signature under the server's certificate is trusted.
        certificate: the client's own certificate, if the server wants one.
        key: its private key.
        server_name: the name in the server's certificate, if it is not the host of the address.
    """

    authority: str | Path
    certificate: str | Path | None = None
    key: str | Path | None = None
    server_name: str | None = None

    def row(self) -> tuple[bytes, tuple[bytes, bytes] | None, str | None]:
        """The contents of the files.

        Warns:
            WeirWarning: all users may read the key.

        Raises:
            FileError: a file cannot be read, or all users may write the key.
        """
        own = None
        if self.certificate is not None and self.key is not None:
            own = (_pem(self.certificate), _key(self.key))
        return _pem(self.authority), own, self.server_name


@dataclass(frozen=True)
class ServerTls:
    """The certificates of a server: files in PEM.

    Attributes:
        certificate: the server's certificate, and any intermediate certificates.
        key: its private key.
        client_authority: if given, clients need a certificate signed by this authority.
    """

    certificate: str | Path
    key: str | Path
    client_authority: str | Path | None = None

    def row(self) -> tuple[bytes, bytes, bytes | None]:
        """The contents of the files.

        Warns:
            WeirWarning: all users may read the key.

        Raises:
            FileError: a file cannot be read, or all users may write the key.
        """
        authority = None if self.client_authority is None else _pem(self.client_authority)
        return _pem(self.certificate), _key(self.key), authority


def _key(path: str | Path) -> bytes:
    found = _pem(path)
    check_secret(path, "private key")
    return found


def _pem(path: str | Path) -> bytes:
    return read_text(path).encode()
