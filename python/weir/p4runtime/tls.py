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
        authority: the certificate of the authority that must have signed the server's certificate.
        certificate: the client's own certificate, if the server requires one.
        key: the private key of that certificate.
        server_name: the name in the server's certificate, if it is not the host of the address.
    """

    authority: str | Path
    certificate: str | Path | None = None
    key: str | Path | None = None
    server_name: str | None = None

    def row(self) -> tuple[bytes, tuple[bytes, bytes] | None, str | None]:
        """Reads the files, and returns their contents.

        Warns:
            WeirWarning: all users may read the key.

        Raises:
            FileError: a file cannot be read, or all users may write the key.
        """
        identity = None
        if self.certificate is not None and self.key is not None:
            identity = (_read_pem(self.certificate), _key(self.key))
        return _read_pem(self.authority), identity, self.server_name


@dataclass(frozen=True)
class ServerTls:
    """The certificates of a server: files in PEM.

    Attributes:
        certificate: the server's certificate, and any intermediate certificates.
        key: the private key of that certificate.
        client_authority: the authority that must have signed clients' certificates; ``None``
            accepts clients without one.
    """

    certificate: str | Path
    key: str | Path
    client_authority: str | Path | None = None

    def row(self) -> tuple[bytes, bytes, bytes | None]:
        """Reads the files, and returns their contents.

        Warns:
            WeirWarning: all users may read the key.

        Raises:
            FileError: a file cannot be read, or all users may write the key.
        """
        authority = None if self.client_authority is None else _read_pem(self.client_authority)
        return _read_pem(self.certificate), _key(self.key), authority


def _key(path: str | Path) -> bytes:
    key = _read_pem(path)
    check_secret(path, "private key")
    return key


def _read_pem(path: str | Path) -> bytes:
    return read_text(path).encode()
