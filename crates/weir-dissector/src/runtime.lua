-- Values are texts of the digits 0 and 1, with the most significant bit first. So values of every
-- width are exact. A P4 bool is "0" or "1".

local LIMIT = 65536

local NIBBLES = {}

-- Writes a number as `width` bits.
local function of_number(number, width)
    local digits = {}
    for place = width, 1, -1 do
        local bit = number % 2
        digits[place] = bit >= 1 and "1" or "0"
        number = (number - bit) / 2
    end
    return table.concat(digits)
end

for number = 0, 15 do
    NIBBLES[string.format("%X", number)] = of_number(number, 4)
end

-- Reads at most 52 bits as a number.
local function to_number(value)
    return value == "" and 0 or tonumber(value, 2)
end

local constants = {}

-- The constant with these hexadecimal digits.
local function x(digits, width)
    local key = digits .. ":" .. width
    if not constants[key] then
        constants[key] = digits:gsub(".", NIBBLES):sub(#digits * 4 - width + 1)
    end
    return constants[key]
end

-- Reads a shift or an index as a number, at most `limit`.
local function count(value, limit)
    local digits = value:gsub("^0+", "")
    return #digits > 24 and limit or math.min(to_number(digits), limit)
end

local FLIPPED = { ["0"] = "1", ["1"] = "0" }

local function flip(a)
    return (a:gsub(".", FLIPPED))
end

local function truth(condition)
    return condition and "1" or "0"
end

local function combined(a, b, combine)
    local digits = {}
    for place = 1, #a do
        digits[place] = truth(combine(a:byte(place) == 49, b:byte(place) == 49))
    end
    return table.concat(digits)
end

local function band(a, b)
    return combined(a, b, function(one, other) return one and other end)
end

local function bor(a, b)
    return combined(a, b, function(one, other) return one or other end)
end

local function bxor(a, b)
    return combined(a, b, function(one, other) return one ~= other end)
end

-- The sum modulo 2^width, and the carry.
local function add(a, b, carry)
    local parts, last = {}, #a
    carry = carry or 0
    while last > 0 do
        local first = math.max(1, last - 23)
        local size = 2 ^ (last - first + 1)
        local sum = to_number(a:sub(first, last)) + to_number(b:sub(first, last)) + carry
        carry = sum >= size and 1 or 0
        table.insert(parts, 1, of_number(sum % size, last - first + 1))
        last = first - 1
    end
    return table.concat(parts), carry
end

local function sub(a, b)
    return (add(a, flip(b), 1))
end

local function neg(a)
    return sub(("0"):rep(#a), a)
end

local function mul(a, b)
    local product = ("0"):rep(#a)
    for place = 1, #b do
        product = product:sub(2) .. "0"
        if b:byte(place) == 49 then
            product = add(product, a)
        end
    end
    return product
end

-- The quotient and the remainder; both are 0 if the divisor is 0.
local function divided(a, b)
    local zero = ("0"):rep(#a)
    if b == zero then
        return zero, zero
    end
    local quotient, rest = {}, "0" .. zero
    for place = 1, #a do
        rest = rest:sub(2) .. a:sub(place, place)
        local fits = rest >= "0" .. b
        rest = fits and sub(rest, "0" .. b) or rest
        quotient[place] = truth(fits)
    end
    return table.concat(quotient), rest:sub(2)
end

local function div(a, b)
    return (divided(a, b))
end

local function mod(a, b)
    local _, rest = divided(a, b)
    return rest
end

local function cast(a, width, signed)
    if #a >= width then
        return a:sub(#a - width + 1)
    end
    local fill = signed and a:sub(1, 1) or "0"
    return fill:rep(width - #a) .. a
end

-- The largest or smallest signed number if the exact result, which has one more bit, is outside.
local function clamped(exact)
    local sign = exact:sub(1, 1)
    return sign == exact:sub(2, 2) and exact:sub(2) or sign .. FLIPPED[sign]:rep(#exact - 2)
end

local function sat_add(a, b, signed)
    if #a == 0 then
        return a
    elseif signed then
        return clamped((add(cast(a, #a + 1, true), cast(b, #b + 1, true))))
    end
    local sum, carry = add(a, b)
    return carry == 1 and ("1"):rep(#a) or sum
end

local function sat_sub(a, b, signed)
    if #a == 0 then
        return a
    elseif signed then
        return clamped(sub(cast(a, #a + 1, true), cast(b, #b + 1, true)))
    end
    return a < b and ("0"):rep(#a) or sub(a, b)
end

local function shl(a, b)
    local by = count(b, #a)
    return a:sub(by + 1) .. ("0"):rep(by)
end

local function shr(a, b, signed)
    local by = count(b, #a)
    local fill = signed and a:sub(1, 1) or "0"
    return fill:rep(by) .. a:sub(1, #a - by)
end

local function less(a, b, signed)
    if signed and #a > 0 then
        a, b = FLIPPED[a:sub(1, 1)] .. a:sub(2), FLIPPED[b:sub(1, 1)] .. b:sub(2)
    end
    return a < b
end

local function slice(a, high, low)
    return a:sub(#a - high, #a - low)
end

local function mux(condition, yes, no)
    if condition == "1" then
        return yes
    end
    return no
end

local function matches(a, value, mask)
    return band(a, mask) == band(value, mask)
end

local function within(a, low, high, signed)
    return not less(a, low, signed) and not less(high, a, signed)
end

-- The variable at an index, or 0 past the last.
local function pick(v, names, index, width)
    local name = names[count(index, #names) + 1]
    return name and v[name] or ("0"):rep(width)
end

local function put(v, names, index, value)
    local name = names[count(index, #names) + 1]
    if name then
        v[name] = value
    end
end

-- Ends parsing with an error of P4.
local function fail(name)
    error({ error = name }, 0)
end

local function verify(condition, number)
    if condition ~= "1" then
        fail(errors[to_number(number) + 1])
    end
end

-- Counts the iterations of all loops.
local function iterate(p)
    p.iterations = p.iterations + 1
    if p.iterations > LIMIT then
        fail("LoopLimit")
    end
end

local function need(p, bits)
    if p.place + bits > p.length then
        fail("PacketTooShort")
    elseif p.place + bits > p.captured then
        error({ cut = true }, 0)
    end
end

-- The bytes that contain these bits.
local function covering(tvb, at, width)
    local first = math.floor(at / 8)
    return tvb(first, math.ceil((at + width) / 8) - first)
end

local function read(p, at, width)
    if width == 0 then
        return ""
    end
    local digits = covering(p.tvb, at, width):bytes():tohex():upper():gsub(".", NIBBLES)
    return digits:sub(at % 8 + 1, at % 8 + width)
end

local function lookahead(p, width)
    need(p, width)
    return read(p, p.place, width)
end

local function advance(p, bits)
    local by = to_number(bits)
    if by % 8 ~= 0 then
        fail("ParserInvalidArgument")
    end
    need(p, by)
    p.place = p.place + by
end

local function extract(p, header, varbit)
    if not header then
        fail("StackOutOfBounds")
    end
    local extra, fixed, most = varbit and to_number(varbit) or 0, 0, 0
    for _, field in ipairs(header.type.fields) do
        fixed = fixed + (field.kind == "varbit" and 0 or field.width)
        most = most + (field.kind == "varbit" and field.width or 0)
    end
    if varbit and (fixed + extra) % 8 ~= 0 then
        fail("ParserInvalidArgument")
    end
    if p.place + fixed + extra > p.length then
        fail("PacketTooShort")
    elseif extra > most then
        fail("HeaderTooShort")
    end
    need(p, fixed + extra)
    local found, at = { header = header, start = p.place, values = {} }, p.place
    for number, field in ipairs(header.type.fields) do
        local width = field.kind == "varbit" and extra or field.width
        local value = read(p, at, width)
        p.v[header.vars[number]] = value
        found.values[number] = { at = at, value = value }
        at = at + width
    end
    found.stop, p.place = at, at
    p.v[header.valid] = "1"
    p.found[#p.found + 1] = found
end

local function element(stack, index)
    return headers[stack.elements[count(index, #stack.elements) + 1]]
end

local function extract_next(p, stack, varbit)
    local index = p.v[stack.next]
    extract(p, element(stack, index), varbit)
    p.v[stack.next] = add(index, x("00000001", 32))
end

local function set_valid(p, header)
    if header and p.v[header.valid] == "0" then
        for _, name in ipairs(header.vars) do
            p.v[name] = nil
        end
        p.v[header.valid] = "1"
    end
end

local function set_invalid(p, header)
    if header then
        p.v[header.valid] = "0"
    end
end

local function copy(p, to, from)
    if to then
        p.v[to.valid] = from and p.v[from.valid] or "0"
        for number, name in ipairs(to.vars) do
            p.v[name] = from and p.v[from.vars[number]]
        end
    end
end

-- Moves the elements of a stack up, or down if `by` is negative.
local function move(p, stack, by)
    local size = #stack.elements
    local first, last, step = size, 1, -1
    if by < 0 then
        first, last, step = 1, size, 1
    end
    for place = first, last, step do
        local from = headers[stack.elements[place - by]]
        if from then
            copy(p, headers[stack.elements[place]], from)
        else
            set_invalid(p, headers[stack.elements[place]])
        end
    end
    local next_index = math.max(0, math.min(size, to_number(p.v[stack.next]) + by))
    p.v[stack.next] = of_number(next_index, 32)
end
