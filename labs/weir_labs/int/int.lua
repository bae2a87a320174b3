-- int.lua - shows INT v2.1 headers and Telemetry Reports v2.0 in Wireshark and tshark:
--
--     wireshark -X lua_script:int.lua CAPTURE
--     tshark -X lua_script:int.lua -r CAPTURE -T fields -e int.hop.node -e int.hop.queue.occupancy
--
-- Packets with INT are known by UDP port 5555 or by DSCP 0x17, reports by UDP port 6000.

local PORT_INT, PORT_REPORT, DSCP_INT = 5555, 6000, 0x17
local MD, MX = 1, 3
local TCP, UDP = 6, 17

local types = { [1] = "INT-MD", [2] = "destination", [3] = "INT-MX" }
local npts = { [0] = "DSCP in the shim header", [1] = "UDP port in the shim header", [2] = "IP protocol in the shim header" }
local reasons = { [0] = "unknown", [29] = "no route", [31] = "TTL is zero", [50] = "MTU", [51] = "traffic manager" }

local int = Proto("int", "In-band Network Telemetry")
local report = Proto("telemetry_report", "Telemetry Report")
local dscp, payload = Field.new("ip.dsfield.dscp"), Field.new("tcp.payload")

local function flag(name, text, bits, mask)
    return ProtoField.bool(name, text, bits, nil, mask)
end

local f = {
    type = ProtoField.uint8("int.type", "Type", base.DEC, types, 0xf0),
    npt = ProtoField.uint8("int.npt", "Next Protocol Type", base.DEC, npts, 0x0c),
    length = ProtoField.uint8("int.length", "Length in words"),
    port = ProtoField.uint16("int.original.port", "Original UDP port"),
    dscp = ProtoField.uint8("int.original.dscp", "Original DSCP", base.HEX, nil, 0xfc),
    original = ProtoField.uint16("int.original", "Original value", base.HEX),
    version = ProtoField.uint8("int.version", "Version", base.DEC, nil, 0xf0),
    discard = flag("int.discard", "D: discard at the sink", 8, 0x08),
    hops_exceeded = flag("int.hops_exceeded", "E: hops exceeded", 8, 0x04),
    mtu_exceeded = flag("int.mtu_exceeded", "M: MTU exceeded", 8, 0x02),
    hop_ml = ProtoField.uint8("int.hop_ml", "Words per hop", base.DEC, nil, 0x1f),
    remaining_hops = ProtoField.uint8("int.remaining_hops", "Remaining hops"),
    instructions = ProtoField.uint16("int.instructions", "Instructions", base.HEX),
    domain = ProtoField.uint16("int.domain", "Domain", base.HEX),
    ds_instructions = ProtoField.uint16("int.ds_instructions", "Domain-specific instructions", base.HEX),
    ds_flags = ProtoField.uint16("int.ds_flags", "Domain-specific flags", base.HEX),
    hop = ProtoField.bytes("int.hop", "Hop"),
    node = ProtoField.uint32("int.hop.node", "Node"),
    ingress = ProtoField.uint16("int.hop.ingress", "Ingress interface, level 1"),
    egress = ProtoField.uint16("int.hop.egress", "Egress interface, level 1"),
    latency = ProtoField.uint32("int.hop.latency", "Hop latency (us)"),
    queue = ProtoField.uint8("int.hop.queue", "Queue"),
    queue_occupancy = ProtoField.uint24("int.hop.queue.occupancy", "Packets in the queue"),
    ingress_time = ProtoField.uint64("int.hop.ingress_time", "Ingress timestamp (us)"),
    egress_time = ProtoField.uint64("int.hop.egress_time", "Egress timestamp (us)"),
    logical_ingress = ProtoField.uint32("int.hop.logical_ingress", "Ingress interface, level 2"),
    logical_egress = ProtoField.uint32("int.hop.logical_egress", "Egress interface, level 2"),
    utilization = ProtoField.uint32("int.hop.utilization", "Egress TX utilization (ppm)"),
    buffer = ProtoField.uint8("int.hop.buffer", "Buffer"),
    buffer_occupancy = ProtoField.uint24("int.hop.buffer.occupancy", "Packets in the buffer"),
    complement = ProtoField.uint32("int.hop.complement", "Checksum complement", base.HEX),
    drop_queue = ProtoField.uint8("int.hop.drop_queue", "Queue of the dropped packet"),
    drop_reason = ProtoField.uint8("int.hop.drop_reason", "Drop reason", base.DEC, reasons),
    unavailable = ProtoField.bytes("int.hop.unavailable", "Not available"),
    other = ProtoField.bytes("int.hop.other", "Other metadata"),
}
local list = {}
for _, field in pairs(f) do list[#list + 1] = field end
int.fields = list
local malformed = ProtoExpert.new("int.malformed.expert", "INT headers do not make sense",
    expert.group.MALFORMED, expert.severity.ERROR)
int.experts = { malformed }

-- Metadata by instruction bit: bytes, and fields with their bytes.
local metadata = {
    [0] = { 4, { f.node, 4 } },
    [1] = { 4, { f.ingress, 2 }, { f.egress, 2 } },
    [2] = { 4, { f.latency, 4 } },
    [3] = { 4, { f.queue, 1 }, { f.queue_occupancy, 3 } },
    [4] = { 8, { f.ingress_time, 8 } },
    [5] = { 8, { f.egress_time, 8 } },
    [6] = { 8, { f.logical_ingress, 4 }, { f.logical_egress, 4 } },
    [7] = { 4, { f.utilization, 4 } },
    [8] = { 4, { f.buffer, 1 }, { f.buffer_occupancy, 3 } },
    [15] = { 4, { f.complement, 4 } },
}
local drop = { 4, { f.drop_queue, 1 }, { f.drop_reason, 1 } }

local function all_ones(range)
    local bytes = range:bytes()
    for place = 0, bytes:len() - 1 do
        if bytes:get_index(place) ~= 0xff then return false end
    end
    return true
end

-- Adds one node's metadata to a tree. Words of other instructions come before checksum complement.
local function add_hop(tree, range, instructions, last)
    local hop, place = tree:add(f.hop, range), 0
    for bit = 0, 15 do
        if bit32.band(instructions, bit32.rshift(0x8000, bit)) ~= 0 then
            local kind = metadata[bit] or { 4, { f.other, 4 } }
            if bit == 15 then
                kind = last or kind
                if range:len() - place > 4 then
                    hop:add(f.other, range(place, range:len() - place - 4))
                    place = range:len() - 4
                end
            end
            local part = range(place, kind[1])
            if all_ones(part) then
                hop:add(f.unavailable, part)
            else
                local at = 0
                for number = 2, #kind do
                    hop:add(kind[number][1], part(at, kind[number][2]))
                    at = at + kind[number][2]
                end
            end
            place = place + kind[1]
        end
    end
    if place < range:len() then hop:add(f.other, range(place)) end
end

local function words_of(instructions)
    local words = 0
    for bit = 0, 15 do
        if bit32.band(instructions, bit32.rshift(0x8000, bit)) ~= 0 then
            words = words + (metadata[bit] and metadata[bit][1] / 4 or 1)
        end
    end
    return words
end

function int.dissector(buffer, packet, root)
    if buffer:len() < 4 then return 0 end
    local kind, npt = bit32.rshift(buffer(0, 1):uint(), 4), bit32.band(bit32.rshift(buffer(0, 1):uint(), 2), 3)
    local length = 4 + 4 * buffer(1, 1):uint()
    local tree = root:add(int, buffer(0, math.min(length, buffer:len())))
    tree:add(f.type, buffer(0, 1))
    tree:add(f.npt, buffer(0, 1))
    tree:add(f.length, buffer(1, 1))
    if npt == 0 then
        tree:add(f.dscp, buffer(3, 1))
    elseif npt == 1 then
        tree:add(f.port, buffer(2, 2))
    else
        tree:add(f.original, buffer(2, 2))
    end
    if buffer:len() < length or length < 16 or (kind ~= MD and kind ~= MX) then
        tree:add_proto_expert_info(malformed)
        return buffer:len()
    end
    packet.cols.info:prepend("[" .. types[kind] .. "] ")
    tree:add(f.version, buffer(4, 1))
    tree:add(f.discard, buffer(4, 1))
    if kind == MD then
        tree:add(f.hops_exceeded, buffer(4, 1))
        tree:add(f.mtu_exceeded, buffer(4, 1))
        tree:add(f.hop_ml, buffer(6, 1))
        tree:add(f.remaining_hops, buffer(7, 1))
    end
    local instructions = buffer(8, 2):uint()
    tree:add(f.instructions, buffer(8, 2))
    tree:add(f.domain, buffer(10, 2))
    tree:add(f.ds_instructions, buffer(12, 2))
    tree:add(f.ds_flags, buffer(14, 2))
    if kind == MD and length > 16 then
        local each = 4 * bit32.band(buffer(6, 1):uint(), 0x1f)
        if each == 0 or (length - 16) % each ~= 0 or each < 4 * words_of(instructions) then
            tree:add_proto_expert_info(malformed)
        else
            for place = 16, length - each, each do
                add_hop(tree, buffer(place, each), instructions)
            end
        end
    end
    if buffer:len() > length then
        Dissector.get("data"):call(buffer(length):tvb(), packet, root)
    end
    return buffer:len()
end

local r = {
    version = ProtoField.uint8("telemetry_report.version", "Version", base.DEC, nil, 0xf0),
    hw_id = ProtoField.uint16("telemetry_report.hw_id", "Hardware id", base.DEC, nil, 0x0fc0),
    sequence = ProtoField.uint32("telemetry_report.sequence", "Sequence number", base.DEC, nil, 0x003fffff),
    node = ProtoField.uint32("telemetry_report.node", "Node"),
    kind = ProtoField.uint8("telemetry_report.type", "Report type", base.DEC, { [1] = "INT" }, 0xf0),
    inner = ProtoField.uint8("telemetry_report.inner", "Inner type", base.DEC, { [4] = "IPv4" }, 0x0f),
    length = ProtoField.uint8("telemetry_report.length", "Length in words"),
    metadata_length = ProtoField.uint8("telemetry_report.metadata_length", "Words of metadata"),
    dropped = flag("telemetry_report.dropped", "D: dropped", 8, 0x80),
    congested = flag("telemetry_report.congested", "Q: congested queue", 8, 0x40),
    tracked = flag("telemetry_report.tracked", "F: tracked flow", 8, 0x20),
    intermediate = flag("telemetry_report.intermediate", "I: intermediate", 8, 0x10),
    bits = ProtoField.uint16("telemetry_report.bits", "Metadata present", base.HEX),
    domain = ProtoField.uint16("telemetry_report.domain", "Domain", base.HEX),
    ds_bits = ProtoField.uint16("telemetry_report.ds_bits", "Domain-specific metadata present", base.HEX),
    ds_status = ProtoField.uint16("telemetry_report.ds_status", "Domain-specific status", base.HEX),
    packet = ProtoField.bytes("telemetry_report.packet", "Packet, up to where it was cut off"),
    packet_length = ProtoField.uint16("telemetry_report.packet.length", "Length"),
    ttl = ProtoField.uint8("telemetry_report.packet.ttl", "TTL"),
    protocol = ProtoField.uint8("telemetry_report.packet.protocol", "Protocol", base.DEC, { [TCP] = "TCP", [UDP] = "UDP" }),
    source = ProtoField.ipv4("telemetry_report.packet.src", "Source"),
    target = ProtoField.ipv4("telemetry_report.packet.dst", "Destination"),
    source_port = ProtoField.uint16("telemetry_report.packet.srcport", "Source port"),
    target_port = ProtoField.uint16("telemetry_report.packet.dstport", "Destination port"),
}
list = {}
for _, field in pairs(r) do list[#list + 1] = field end
report.fields = list
local bad_report = ProtoExpert.new("telemetry_report.malformed", "The report does not make sense",
    expert.group.MALFORMED, expert.severity.ERROR)
report.experts = { bad_report }

-- The packet that a report is about. It is cut off behind its headers, which other dissectors would
-- take for damage.
local function add_packet(tree, buffer, packet)
    if buffer:len() < 20 then return end
    local protocol, start = buffer(9, 1):uint(), 4 * bit32.band(buffer(0, 1):uint(), 0x0f)
    tree = tree:add(r.packet, buffer())
    tree:add(r.packet_length, buffer(2, 2))
    tree:add(r.ttl, buffer(8, 1))
    tree:add(r.protocol, buffer(9, 1))
    tree:add(r.source, buffer(12, 4))
    tree:add(r.target, buffer(16, 4))
    local ports = (protocol == TCP and buffer:len() >= start + 20) or (protocol == UDP and buffer:len() >= start + 8)
    if not ports then return end
    tree:add(r.source_port, buffer(start, 2))
    tree:add(r.target_port, buffer(start + 2, 2))
    local marked = bit32.rshift(buffer(1, 1):uint(), 2) == DSCP_INT
    if protocol == UDP then
        marked = marked or buffer(start + 2, 2):uint() == PORT_INT
        start = start + 8
    else
        start = start + 4 * bit32.rshift(buffer(start + 12, 1):uint(), 4)
    end
    if marked and buffer:len() > start then int.dissector(buffer(start):tvb(), packet, tree) end
end

-- One report; returns where the next one begins.
local function add_report(buffer, place, packet, root)
    local words = buffer(place + 1, 1):uint()
    local stop = words == 255 and buffer:len() or place + 4 + 4 * words
    local start = place + 12 + 4 * buffer(place + 2, 1):uint()
    local tree = root:add(report, buffer(place, math.min(stop, buffer:len()) - place))
    for number, field in ipairs({ r.kind, r.inner }) do tree:add(field, buffer(place, 1)) end
    tree:add(r.length, buffer(place + 1, 1))
    tree:add(r.metadata_length, buffer(place + 2, 1))
    for _, field in ipairs({ r.dropped, r.congested, r.tracked, r.intermediate }) do
        tree:add(field, buffer(place + 3, 1))
    end
    for number, field in ipairs({ r.bits, r.domain, r.ds_bits, r.ds_status }) do
        tree:add(field, buffer(place + 2 + 2 * number, 2))
    end
    if stop > buffer:len() or start > stop or buffer(place, 1):uint() ~= 0x14 then
        tree:add_proto_expert_info(bad_report)
        return buffer:len()
    end
    local bits = buffer(place + 4, 2):uint()
    if start > place + 12 then
        add_hop(tree, buffer(place + 12, start - place - 12), bits, drop)
    end
    if stop > start then
        add_packet(tree, buffer(start, stop - start):tvb(), packet)
    end
    return stop
end

function report.dissector(buffer, packet, root)
    local tree = root:add(report, buffer(0, math.min(8, buffer:len())), "Telemetry Report Group")
    if buffer:len() < 20 or bit32.rshift(buffer(0, 1):uint(), 4) ~= 2 then
        tree:add_proto_expert_info(bad_report)
        return buffer:len()
    end
    tree:add(r.version, buffer(0, 1))
    tree:add(r.hw_id, buffer(0, 2))
    tree:add(r.sequence, buffer(0, 4))
    tree:add(r.node, buffer(4, 4))
    local place = 8
    while place + 12 <= buffer:len() do place = add_report(buffer, place, packet, root) end
    packet.cols.protocol = "Telemetry"
    packet.cols.info = string.format("Report %d of node %d", bit32.band(buffer(0, 4):uint(), 0x3fffff), buffer(4, 4):uint())
    return buffer:len()
end

-- INT makes segments longer, so sequence numbers look wrong, and TCP does not hand payload on. So INT
-- over TCP is shown after all else.
local over_tcp = Proto("int_over_tcp", "INT over TCP")

function over_tcp.dissector(buffer, packet, root)
    local mark, data = dscp(), payload()
    if data and mark.value == DSCP_INT then int.dissector(data.range:tvb(), packet, root) end
end

local function by_dscp(buffer, packet, root)
    local mark = dscp()
    if not mark or mark.value ~= DSCP_INT then return false end
    int.dissector(buffer, packet, root)
    return true
end

DissectorTable.get("udp.port"):add(PORT_INT, int)
DissectorTable.get("udp.port"):add(PORT_REPORT, report)
int:register_heuristic("udp", by_dscp)
register_postdissector(over_tcp)
