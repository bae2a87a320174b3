-- The handshake between hosts and controller, of the lab firewall.
--
--     Ethernet, type 0x88b5 | kind 1 | IPv4 address 4 | nonce 16 | token 32
--
-- 0x88b5 is a type for experiments, so frames of another length are left to other dissectors.

local KINDS = { [1] = "HELLO", [2] = "CHALLENGE", [3] = "JOIN", [4] = "ACCEPT", [5] = "LEAVE" }

local admission = Proto("weir_admission", "Weir admission of a host")
local kind = ProtoField.uint8("weir_admission.kind", "Kind", base.DEC, KINDS)
local address = ProtoField.ipv4("weir_admission.address", "Address of the host")
local nonce = ProtoField.bytes("weir_admission.nonce", "Nonce")
local token = ProtoField.bytes("weir_admission.token", "Token")
admission.fields = { kind, address, nonce, token }

local BYTES = 53

function admission.dissector(buffer, packet, tree)
    if buffer:len() ~= BYTES then
        return 0
    end
    local name = KINDS[buffer(0, 1):uint()] or "unknown kind"
    packet.cols.protocol = "Admission"
    packet.cols.info = name
    local own = tree:add(admission, buffer(0, BYTES))
    own:add(kind, buffer(0, 1))
    own:add(address, buffer(1, 4))
    own:add(nonce, buffer(5, 16))
    own:add(token, buffer(21, 32))
    own:append_text(", " .. name)
    return BYTES
end

DissectorTable.get("ethertype"):add(0x88b5, admission)
