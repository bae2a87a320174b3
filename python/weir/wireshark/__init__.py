"""Dissectors in Lua that show the labs' own headers in Wireshark and tshark.

``docs/how-to/captures.md`` says how to install them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent
"""The folder of the ``.lua`` files, one for each header."""
