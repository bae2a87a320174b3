-- Shorternet: 4 bytes in place of Ethernet and IPv4, of the lab shorternet.
--
--     receiver 1 | sender 1 | protocol 1 | TTL 1 | UDP, TCP or ICMP
--
-- In captures, all links have the type Ethernet. This dissector therefore inspects each frame first:
-- the third byte of a Shorternet frame is the number of UDP, TCP or ICMP, and the length (UDP) or
-- checksum (TCP, ICMP) after it is correct. The Ethernet dissector gets all other frames.

local shorternet = Proto("shorternet", "Shorternet")
local dst = ProtoField.uint8("shorternet.dst", "Receiver")
local src = ProtoField.uint8("shorternet.src", "Sender")
local protocol = ProtoField.uint8("shorternet.protocol", "Protocol", base.DEC, { [1] = "ICMP", [6] = "TCP", [17] = "UDP" })
local ttl = ProtoField.uint8("shorternet.ttl", "TTL")
local status = ProtoField.string("shorternet.checksum", "Checksum of the payload")
shorternet.fields = { dst, src, protocol, ttl, status }

local BYTES, ICMP, TCP, UDP = 4, 1, 6, 17
local ethernet = Dissector.get("eth_withoutfcs")

-- The folded sum of 16-bit words; 0xffff if the data contain their own checksum (RFC 1071).
local function sum(buffer, start, first)
    local total, last = first, buffer:len() - 1
    for place = start, last, 2 do
        total = total + 256 * buffer(place, 1):uint()
        if place < last then
            total = total + buffer(place + 1, 1):uint()
        end
    end
    while total > 0xffff do
        total = total % 0x10000 + math.floor(total / 0x10000)
    end
    return total
end

-- The checksums of UDP and TCP include both numbers, the protocol and the length.
local function is_right(buffer, kind)
    local first = kind == ICMP and 0 or buffer(0, 2):uint() + kind + buffer:len() - BYTES
    return sum(buffer, BYTES, first) == 0xffff
end

local function is_shorternet(buffer)
    if buffer:len() < BYTES + 8 or buffer:len() ~= buffer:reported_len() then
        return false
    end
    local kind = buffer(2, 1):uint()
    if kind == UDP then
        return buffer(BYTES + 4, 2):uint() == buffer:len() - BYTES
    end
    return (kind == ICMP or kind == TCP and buffer:len() >= BYTES + 20) and is_right(buffer, kind)
end

function shorternet.dissector(buffer, packet, tree)
    if not is_shorternet(buffer) then
        return ethernet:call(buffer, packet, tree)
    end
    local kind = buffer(2, 1):uint()
    packet.cols.protocol = "Shorternet"
    packet.cols.src = "" .. buffer(1, 1):uint()
    packet.cols.dst = "" .. buffer(0, 1):uint()
    local own = tree:add(shorternet, buffer(0, BYTES))
    own:append_text(", " .. buffer(1, 1):uint() .. " to " .. buffer(0, 1):uint())
    own:add(dst, buffer(0, 1))
    own:add(src, buffer(1, 1))
    own:add(protocol, buffer(2, 1))
    own:add(ttl, buffer(3, 1))
    local found = "right"
    if kind == UDP and buffer(BYTES + 6, 2):uint() == 0 then
        found = "none"
    elseif not is_right(buffer, kind) then
        found = "wrong"
    end
    own:add(status, buffer(BYTES), found):set_generated()
    DissectorTable.get("ip.proto"):try(kind, buffer(BYTES):tvb(), packet, tree)
    return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.ETHERNET, shorternet)
