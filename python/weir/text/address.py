"""The grammar of addresses with ports, which is the same in all options and settings."""

from __future__ import annotations

import ipaddress

from weir.text.digits import whole_number


def split_port(text: str) -> tuple[str, int] | None:
    """Splits ``HOST:PORT``, in which an IPv6 address has brackets, as in ``[::1]:9559``.

    Returns:
        The host without brackets, which may be empty, and the port from 0 to 65535; ``None`` if the
        text has another form.
    """
    host, colon, port = text.rpartition(":")
    number = whole_number(port, most=65535)
    if not colon or number is None:
        return None
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
        return (host, number) if _is_ipv6(host) else None
    return None if set(host) & set(":[]") else (host, number)


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False
