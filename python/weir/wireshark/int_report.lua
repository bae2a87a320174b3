-- In-band telemetry of the lab int-report: in datagrams and segments to port 1337, and in reports to
-- the UDP ports 1338 (about datagrams) and 1339 (about segments).
--
--     hops 1 | destination port 2 | of each hop, the newest first: time 4, sent bytes 4, queue 2,
--     switch 1, port 1 | payload, not in reports

local int = Proto("weir_int", "Weir INT report")
local hops = ProtoField.uint8("weir_int.hops", "Hops")
local dst_port = ProtoField.uint16("weir_int.dstport", "Destination port")
local hop = ProtoField.none("weir_int.hop", "Hop")
local time = ProtoField.uint32("weir_int.time", "Egress began (µs)")
local sent = ProtoField.uint32("weir_int.sent", "Bytes sent by the port")
local queue = ProtoField.uint16("weir_int.queue", "Queue (packets)")
local switch = ProtoField.uint8("weir_int.switch", "Switch")
local port = ProtoField.uint8("weir_int.port", "Egress port")
int.fields = { hops, dst_port, hop, time, sent, queue, switch, port }

local HEADER_BYTES, HOP_BYTES = 3, 12

function int.dissector(buffer, packet, tree)
    if buffer:len() < HEADER_BYTES then
        return 0
    end
    local count = buffer(0, 1):uint()
    local bytes = HEADER_BYTES + count * HOP_BYTES
    if buffer:len() < bytes then
        return 0
    end
    packet.cols.protocol = "INT"
    local own = tree:add(int, buffer(0, bytes))
    own:append_text(", " .. count .. " hops")
    own:add(hops, buffer(0, 1))
    own:add(dst_port, buffer(1, 2))
    for place = 0, count - 1 do
        local one = buffer(HEADER_BYTES + place * HOP_BYTES, HOP_BYTES)
        local under = own:add(hop, one)
        under:append_text(" at switch " .. one(10, 1):uint())
        under:add(time, one(0, 4))
        under:add(sent, one(4, 4))
        under:add(queue, one(8, 2))
        under:add(switch, one(10, 1))
        under:add(port, one(11, 1))
    end
    if buffer:len() > bytes then
        Dissector.get("data"):call(buffer(bytes):tvb(), packet, tree)
    end
    return buffer:len()
end

for _, number in ipairs({ 1337, 1338, 1339 }) do
    DissectorTable.get("udp.port"):add(number, int)
end
DissectorTable.get("tcp.port"):add(1337, int)
