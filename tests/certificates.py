"""Certificates for tests, made with openssl."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Identity:
    """A certificate and its private key, as files in PEM."""

    certificate: Path
    key: Path


class Authority:
    """An authority, whose files are in a folder of its own.

    Attributes:
        certificate: the authority's certificate, in PEM.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._own = self._make("authority", (), "CA:TRUE")
        self.certificate = self._own.certificate

    def sign(self, name: str, *subjects: str) -> Identity:
        """Makes a certificate that is valid for two days.

        Args:
            name: the name of its files.
            subjects: the entries of its ``subjectAltName``, such as ``DNS:a.example.org``; if there
                are none, the entries of a server at loopback.
        """
        signer = ("-CA", str(self._own.certificate), "-CAkey", str(self._own.key))
        names = ",".join(subjects or ("DNS:localhost", "IP:127.0.0.1"))
        return self._make(name, (*signer, "-addext", f"subjectAltName={names}"), "CA:FALSE")

    def _make(self, name: str, options: tuple[str, ...], constraint: str) -> Identity:
        identity = Identity(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        command = [
            "openssl", "req", "-x509", "-days", "2", "-nodes",
            "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-subj", f"/CN={name}", "-addext", f"basicConstraints=critical,{constraint}", *options,
            "-keyout", str(identity.key), "-out", str(identity.certificate),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
        identity.key.chmod(0o600)
        return identity
