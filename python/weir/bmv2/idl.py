"""Loads the description of the services, ``bmv2.thrift``, as Python types."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from weir.errors import MissingExtraError


@cache
def services() -> Any:
    """Loads the types that ``bmv2.thrift`` describes.

    Raises:
        MissingExtraError: the library thriftpy2 is not installed.
    """
    try:
        import thriftpy2
    except ModuleNotFoundError:
        raise MissingExtraError("Thrift services", "thriftpy2", "bmv2") from None
    return thriftpy2.load(str(Path(__file__).with_name("bmv2.thrift")), module_name="weir_bmv2_thrift")
