"""Controls the router of tests/net with finsy."""

import asyncio

import finsy as fy
from steps import ADDRESS, FOLDER, step


def route(prefix: str, mac: str, port: int) -> fy.P4TableEntry:
    """An entry of the routing table."""
    action = fy.Action("ipv4_forward", dstAddr=mac, port=port)
    return fy.P4TableEntry("ipv4_lpm", match=fy.Match({"hdr.ipv4.dstAddr": prefix}), action=action)


async def control() -> None:
    """Takes the steps of the test."""
    options = fy.SwitchOptions(
        device_id=0, p4info=FOLDER / "program.p4info.txtpb", p4blob=FOLDER / "program.json", p4force=True
    )
    async with fy.Switch("s1", ADDRESS, options) as s1:
        first, second = (
            route("10.0.1.1/32", "08:00:00:00:01:11", 1),
            route("10.0.2.0/24", "08:00:00:00:02:22", 2),
        )
        await s1.insert([first, second])
        try:
            await s1.insert([second])
            refused = ""
        except fy.P4ClientError as error:
            refused = str(error)
        version = str(s1.p4runtime_version)
        await asyncio.to_thread(step, version=version, refused=refused)

        rule = fy.P4TableEntry(
            "acl",
            match=fy.Match({"hdr.ipv4.srcAddr": "10.0.1.0/&255.255.255.0", "hdr.ipv4.protocol": 1}),
            action=fy.Action("drop"),
            priority=10,
        )
        await s1.insert([rule])
        rules = [str(entry) async for entry in s1.read(fy.P4TableEntry("acl"))]
        routes = [entry async for entry in s1.read(fy.P4TableEntry("ipv4_lpm"))]
        await asyncio.to_thread(step, acl=rules, routes=len(routes))

        await s1.write([-rule, ~route("10.0.2.0/24", "08:00:00:00:02:22", 1)])
        await s1.delete([second])
        action = fy.Action("ipv4_forward", dstAddr="08:00:00:00:02:22", port=2)
        await s1.write([~fy.P4TableEntry("ipv4_lpm", action=action, is_default_action=True)])
        routes = [entry async for entry in s1.read(fy.P4TableEntry("ipv4_lpm"))]
        await asyncio.to_thread(step, routes=len(routes))


fy.run(control())
