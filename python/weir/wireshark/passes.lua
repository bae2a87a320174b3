-- Custom packets of the lab delay, with the passes that they have taken.
--
--     Ethernet, type 0x1313 | EtherType 2 | content 2 | ingress passes 1 | egress passes 1 | IPv4 ...

local passes = Proto("weir_passes", "Weir delay by recirculation")
local next_type = ProtoField.uint16("weir_passes.type", "Type", base.HEX)
local content = ProtoField.uint16("weir_passes.content", "Content")
local ingress = ProtoField.uint8("weir_passes.ingress", "Passes through ingress")
local egress = ProtoField.uint8("weir_passes.egress", "Passes through egress")
passes.fields = { next_type, content, ingress, egress }

local BYTES = 6
local ethertypes = DissectorTable.get("ethertype")

function passes.dissector(buffer, packet, tree)
    if buffer:len() < BYTES then
        return 0
    end
    local own = tree:add(passes, buffer(0, BYTES))
    own:add(next_type, buffer(0, 2))
    own:add(content, buffer(2, 2))
    own:add(ingress, buffer(4, 1))
    own:add(egress, buffer(5, 1))
    own:append_text(", content " .. buffer(2, 2):uint())
    return BYTES + ethertypes:try(buffer(0, 2):uint(), buffer(BYTES):tvb(), packet, tree)
end

ethertypes:add(0x1313, passes)
