-- Queue lengths that switches write into packets: the labs queue-occupancy and load-balance.
--
--     Ethernet, type 0x7777 | longest queue 2 | EtherType 2 | IPv4 ...
--
-- Type 0x7778 is load-balance's message to the first switch, with the same header.

local telemetry = Proto("weir_telemetry", "Weir queue telemetry")
local depth = ProtoField.uint16("weir_telemetry.depth", "Longest queue (packets)")
local next_type = ProtoField.uint16("weir_telemetry.type", "Type", base.HEX)
telemetry.fields = { depth, next_type }

local BYTES = 4
local ethertypes = DissectorTable.get("ethertype")

function telemetry.dissector(buffer, packet, tree)
    if buffer:len() < BYTES then
        return 0
    end
    local own = tree:add(telemetry, buffer(0, BYTES))
    own:add(depth, buffer(0, 2))
    own:add(next_type, buffer(2, 2))
    own:append_text(", longest queue " .. buffer(0, 2):uint())
    return BYTES + ethertypes:try(buffer(2, 2):uint(), buffer(BYTES):tvb(), packet, tree)
end

ethertypes:add(0x7777, telemetry)
ethertypes:add(0x7778, telemetry)
