"""Controls bridge.p4 with finsy."""

import asyncio

import finsy as fy
from steps import ADDRESS, FOLDER, step


async def next_packet(s1: fy.Switch) -> fy.P4PacketIn:
    """The next packet for the controller."""
    async for packet in s1.read_packets(eth_types=[0x88B5]):
        return packet
    raise ConnectionError("the stream ended")


async def control() -> None:
    """Takes the steps of the test."""
    options = fy.SwitchOptions(
        device_id=0, p4info=FOLDER / "program.p4info.txtpb", p4blob=FOLDER / "program.json", p4force=True
    )
    async with fy.Switch("s1", ADDRESS, options) as s1:
        packets = asyncio.create_task(next_packet(s1))
        for here, there in ((1, 2), (2, 1)):
            match = fy.Match({"std.ingress_port": here})
            await s1.insert([fy.P4TableEntry("ways", match=match, action=fy.Action("to_port", port=there))])
        trap = fy.P4TableEntry(
            "types",
            match=fy.Match({"hdr.ethernet.type": "0x88b5/&0xffff"}),
            action=fy.Action("to_controller", reason=7),
            priority=5,
        )
        await s1.insert([trap])
        await s1.modify([fy.P4RegisterEntry("closed", index=1, data=1)])
        await asyncio.to_thread(step)

        await s1.modify([fy.P4RegisterEntry("closed", index=1, data=0)])
        (cell,) = [one async for one in s1.read(fy.P4RegisterEntry("last_type", index=1))]
        await asyncio.to_thread(step, last_type=cell.data)

        (received,) = [one async for one in s1.read(fy.P4CounterEntry("received", index=1))]
        cells = [one async for one in s1.read(fy.P4CounterEntry("received"))]
        way = fy.P4TableEntry("ways", match=fy.Match({"std.ingress_port": 1}))
        (direct,) = [one async for one in s1.read(fy.P4DirectCounterEntry("forwarded", table_entry=way))]
        await asyncio.to_thread(
            step,
            received=[received.packet_count, received.byte_count],
            cells=len(cells),
            forwarded=direct.packet_count,
        )

        packet = await packets
        await s1.write([fy.P4PacketOut(packet.payload, egress_port=2, unused=0)])
        metadata = [packet["ingress_port"], packet["reason"]]
        await asyncio.to_thread(step, metadata=metadata, payload=packet.payload.hex())


fy.run(control())
