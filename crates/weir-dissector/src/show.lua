-- What a capture does not contain: members of value sets, and metadata from the switch. They are
-- preferences of the protocol, as text.

-- Reads a number, decimal or with 0x.
local function given_number(text, width)
    local digits = text:match("^0[xX](%x+)$")
    if digits then
        digits = digits:upper():gsub(".", NIBBLES)
        return digits:sub(1, -width - 1):match("^0*$") and cast(digits, width) or nil
    end
    local number = text:match("^%d+$") and #text <= 15 and tonumber(text)
    return number and number < 2 ^ width and of_number(number, width) or nil
end

local function preference(name, what, text)
    error({ preference = "the preference " .. name .. " (" .. what .. ") is " .. text }, 0)
end

-- Reads "17", "0x800&0xff00", "1..5" or "*" as a test of values.
local function given_keyset(text, width)
    if text == "*" then
        return function() return true end
    end
    local value, mask = text:match("^(%w+)&+(%w+)$")
    local low, high = text:match("^(%w+)%.%.(%w+)$")
    local first = given_number(value or low or text, width)
    local second = (mask or high) and given_number(mask or high, width)
    if not first or (mask or high) and not second then
        return nil
    elseif mask then
        return function(key) return matches(key, first, second) end
    elseif high then
        return function(key) return within(key, first, second) end
    end
    return function(key) return key == first end
end

local read_sets = {}

local function members(set)
    local text = program.prefs[set.preference] or ""
    if not read_sets[set] or read_sets[set].text ~= text then
        local found = { text = text }
        for word in text:gmatch("%S+") do
            local member = {}
            for part in (word .. ","):gmatch("([^,]*),") do
                local width = set.widths[#member + 1]
                local keyset = width and given_keyset(part, width)
                if not keyset then
                    preference(set.preference, set.name, word .. ", not " .. set.example)
                end
                member[#member + 1] = keyset
            end
            if #member ~= #set.widths then
                preference(set.preference, set.name, word .. ", not " .. set.example)
            end
            found[#found + 1] = member
        end
        read_sets[set] = found
    end
    return read_sets[set]
end

function in_set(set, keys)
    for _, member in ipairs(members(set)) do
        local all = true
        for number, keyset in ipairs(member) do
            all = all and keyset(keys[number])
        end
        if all then
            return true
        end
    end
    return false
end

local function inputs(v)
    for _, input in ipairs(given) do
        local text = program.prefs[input.preference]
        local value = given_number(text ~= "" and text or "0", input.width)
        if not value then
            preference(input.preference, input.name, text .. ", not a number of " .. input.width .. " bits")
        end
        v[input.name] = value
    end
end

-- Runs the parser on a packet; returns whether it accepts.
local function parse(p)
    inputs(p.v)
    locals(p)
    local state = start
    for _ = 1, LIMIT do
        p.states[#p.states + 1] = state
        state = states[state](p)
        if type(state) ~= "string" then
            return state
        end
    end
    fail("ParserTimeout")
end

local function signed_number(bits)
    local number = to_number(bits)
    return bits:sub(1, 1) == "1" and number - 2 ^ #bits or number
end

local function halves(bits, signed)
    local all = cast(bits, 64, signed)
    return to_number(all:sub(33)), to_number(all:sub(1, 32))
end

local function hexadecimal(bits)
    local digits = cast(bits, math.ceil(#bits / 4) * 4):gsub("....", function(four)
        return string.format("%x", to_number(four))
    end)
    return "0x" .. digits
end

local function show_field(item, field, found, tvb)
    local bits, range = found.value, nil
    if bits == "" then
        return
    end
    range = covering(tvb, found.at, #bits)
    if field.kind == "bool" then
        item:add(field.field, range, bits == "1")
    elseif field.kind == "unsigned" and #bits <= 32 then
        item:add(field.field, range, to_number(bits))
    elseif field.kind == "signed" and #bits <= 32 then
        item:add(field.field, range, signed_number(bits))
    elseif field.kind == "unsigned" then
        item:add(field.field, range, UInt64.new(halves(bits)))
    elseif field.kind == "signed" then
        item:add(field.field, range, Int64.new(halves(bits, true)))
    elseif found.at % 8 == 0 and #bits % 8 == 0 then
        item:add(field.field, range)
    else
        -- Wireshark has no such values. The text is right; a filter sees the whole bytes.
        item:add(field.field, range):set_text(field.label .. ": " .. hexadecimal(bits))
    end
end

local function show_header(own, found, tvb)
    local header, width = found.header, found.stop - found.start
    local item
    if width == 0 then
        item = own:add(header.type.field)
    else
        item = own:add(header.type.field, covering(tvb, found.start, width))
    end
    item:set_text(header.label)
    for number, field in ipairs(header.type.fields) do
        show_field(item, field, found.values[number], tvb)
    end
end

local encapsulation = Field.new("frame.encap_type")
local dissected = { ip = Field.new("ip"), ipv6 = Field.new("ipv6"), arp = Field.new("arp"), eth = Field.new("eth") }
local dissectors = { ip = "ip", ipv6 = "ipv6", arp = "arp", eth = "eth_withoutfcs" }

-- Whether Wireshark itself has dissected a header of this protocol at this place.
local function is_dissected(protocol, place)
    for _, info in ipairs({ dissected[protocol]() }) do
        if info.offset == place then
            return true
        end
    end
    return false
end

-- Gives Wireshark the first header that has the layout of a protocol it knows, but that Wireshark
-- did not reach, because it follows a header that only the P4 program knows.
local function show_inner(p, tvb, packet, tree)
    for _, found in ipairs(p.found) do
        local protocol, place = found.header.type.protocol, math.floor(found.start / 8)
        if protocol and found.start % 8 == 0 and not is_dissected(protocol, place) then
            Dissector.get(dissectors[protocol]):call(tvb(place):tvb(), packet, tree)
            return
        end
    end
end

function program.dissector(tvb, packet, tree)
    local link = encapsulation()
    if not link or link.value ~= wtap.ETHERNET then
        return
    end
    local v = setmetatable({}, { __index = function(_, name) return ("0"):rep(widths[name]) end })
    local p = {
        tvb = tvb, v = v, place = 0, length = tvb:reported_len() * 8, captured = tvb:len() * 8,
        iterations = 0, found = {}, states = {},
    }
    local finished, outcome = pcall(parse, p)
    if not finished and type(outcome) ~= "table" then
        error(outcome, 0)
    end
    local own = tree:add(program, tvb(0, math.min(tvb:len(), math.ceil(p.place / 8))))
    for _, found in ipairs(p.found) do
        show_header(own, found, tvb)
    end
    own:add(shown_states, table.concat(p.states, " ")):set_generated()
    local text
    if finished then
        text = outcome and "accept" or "reject"
    elseif outcome.error then
        text = "reject: " .. outcome.error
    elseif outcome.cut then
        text = "unknown: the capture has only the first " .. tvb:len() .. " bytes"
    else
        text = "unknown: " .. outcome.preference
    end
    own:add(shown_result, text):set_generated()
    own:append_text(", " .. text)
    show_inner(p, tvb, packet, tree)
end

register_postdissector(program)
