"""Calls in Thrift's binary protocol, read as their bytes arrive.

The protocol has no length in front of a call. A call is therefore first read field by field without
interpretation, and decoded when all of its bytes have arrived. The call's size, values and time are
bounded.
"""

from __future__ import annotations

import asyncio
import struct
from typing import Final

LONGEST_CALL: Final = 1 << 20
"""The maximum size of a call that is read, in bytes."""
_MAX_VALUES: Final = 1 << 16
"""The maximum number of values in a call. An empty structure of one byte takes about a hundred
bytes when it is decoded."""
_MAX_DEPTH: Final = 32
_CHUNK_BYTES: Final = 1 << 14
_CALL_TIMEOUT_S: Final = 30.0
_TIMEOUT_PER_BYTE_S: Final = 0.001

_BOOL, _BYTE, _DOUBLE, _I16, _I32, _I64, _STRING, _STRUCT, _MAP, _SET, _LIST = (
    2,
    3,
    4,
    6,
    8,
    10,
    11,
    12,
    13,
    14,
    15,
)
_SIZES: Final = {_BOOL: 1, _BYTE: 1, _DOUBLE: 8, _I16: 2, _I32: 4, _I64: 8}


class NotACallError(Exception):
    """An error about bytes that are not a call, or a call that is too long, too large or too
    slow."""


class CallReader:
    """Reads the calls that a client sends.

    Args:
        reader: the client's bytes.
    """

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._bytes = bytearray()
        self._place = 0
        self._values = 0
        self._patience = _CALL_TIMEOUT_S

    async def next(self) -> bytes | None:
        """Reads the next call; returns ``None`` if the client sends no more.

        Raises:
            NotACallError: the bytes are not a call, or the call is too long, too large or too slow.
        """
        del self._bytes[: self._place]
        self._place, self._values, self._patience = 0, 0, _CALL_TIMEOUT_S
        if not self._bytes:
            self._bytes += await self._reader.read(_CHUNK_BYTES)
            if not self._bytes:
                return None
        (version,) = struct.unpack(">I", await self._take(4))
        if version >> 16 != 0x8001:
            raise NotACallError
        await self._value(_STRING)
        await self._take(4)
        await self._structure(_MAX_DEPTH)
        return bytes(self._bytes[: self._place])

    async def _take(self, size: int) -> bytes:
        """Reads the next ``size`` bytes of the call; returns them if they can be a number (8 bytes
        or fewer), otherwise no bytes."""
        end = self._place + size
        if end > LONGEST_CALL:
            raise NotACallError
        while len(self._bytes) < end:
            await self._read_more()
        taken = bytes(self._bytes[self._place : end]) if size <= 8 else b""
        self._place = end
        return taken

    async def _read_more(self) -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            async with asyncio.timeout(self._patience):
                octets = await self._reader.read(_CHUNK_BYTES)
        except TimeoutError:
            raise NotACallError from None
        if not octets:
            raise NotACallError
        self._bytes += octets
        seconds_left = max(self._patience - (clock() - began), 0)
        self._patience = min(seconds_left + len(octets) * _TIMEOUT_PER_BYTE_S, _CALL_TIMEOUT_S)

    async def _value(self, kind: int, depth: int = _MAX_DEPTH) -> None:
        """Reads and skips a value."""
        self._values += 1
        if self._values > _MAX_VALUES or depth == 0:
            raise NotACallError
        if (size := _SIZES.get(kind)) is not None:
            await self._take(size)
        elif kind == _STRING:
            await self._take(await self._size())
        elif kind == _STRUCT:
            await self._structure(depth - 1)
        elif kind in (_LIST, _SET):
            [kind] = await self._take(1)
            for _ in range(await self._size()):
                await self._value(kind, depth - 1)
        elif kind == _MAP:
            kinds = await self._take(2)
            for _ in range(await self._size()):
                for kind in kinds:
                    await self._value(kind, depth - 1)
        else:
            raise NotACallError

    async def _size(self) -> int:
        """Reads a length in bytes, or a number of values."""
        (size,) = struct.unpack(">i", await self._take(4))
        if not 0 <= size <= LONGEST_CALL:
            raise NotACallError
        return int(size)

    async def _structure(self, depth: int) -> None:
        """Reads and skips the fields of a structure."""
        while True:
            [kind] = await self._take(1)
            if kind == 0:
                return
            await self._take(2)
            await self._value(kind, depth)
