"""Part of the stubs of ``weir._core``; there is no such module at run time.

Topologies: files and single values.
"""

# An address and the length of its network's prefix.
AddressRow = tuple[str, int]

# An end of a link: a switch, none, and the port; or a host, the name of its interface, and the
# interface's number.
EndRow = tuple[str, int | None, int]

# Name, interfaces, routes, neighbours, notes, `tc` commands, settings.
HostRow = tuple[
    str,
    list[tuple[str, list[AddressRow], int, bool]],
    list[tuple[str, str | None, int]],
    list[tuple[str, str, int]],
    list[str],
    list[str],
    list[tuple[str, str]],
]

# Name, runtime JSON, program, profile, CPU port, file of commands.
SwitchRow = tuple[str, str | None, str | None, str | None, int | None, str | None]

# The ends, nanoseconds of latency, bits per second.
LinkRow = tuple[EndRow, EndRow, int, int | None]
