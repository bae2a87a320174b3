//! Decodes messages of Protocol Buffers to trees of fields, changes them, and encodes them again.
//! Most changed messages can still be decoded.

use rand_core::Rng;

/// A field: its number, and its value.
#[derive(Clone, Debug)]
pub struct Field(u64, Value);

#[derive(Clone, Debug)]
enum Value {
    Number(u64),
    Fixed64([u8; 8]),
    Fixed32([u8; 4]),
    Bytes(Vec<u8>),
    Message(Vec<Field>),
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn put(mut value: u64, to: &mut Vec<u8>) {
    while value > 0x7f {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Decodes the fields of a message; `None` if the bytes are not a message.
pub fn read(mut bytes: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => Value::Number(varint(&mut bytes)?),
            1 => {
                let (value, rest) = bytes.split_first_chunk()?;
                bytes = rest;
                Value::Fixed64(*value)
            }
            5 => {
                let (value, rest) = bytes.split_first_chunk()?;
                bytes = rest;
                Value::Fixed32(*value)
            }
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                let (value, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                // A text may happen to look like a message, which does not matter.
                read(value)
                    .filter(|fields| !fields.is_empty())
                    .map_or_else(|| Value::Bytes(value.to_vec()), Value::Message)
            }
            _ => return None,
        };
        if key >> 3 == 0 {
            return None;
        }
        fields.push(Field(key >> 3, value));
    }
    Some(fields)
}

/// Encodes the fields as the bytes of a message.
pub fn write(fields: &[Field]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for Field(number, value) in fields {
        let mut begin = |kind: u64| put(number << 3 | kind, &mut bytes);
        match value {
            Value::Number(value) => {
                begin(0);
                put(*value, &mut bytes);
            }
            Value::Fixed64(value) => {
                begin(1);
                bytes.extend(value);
            }
            Value::Fixed32(value) => {
                begin(5);
                bytes.extend(value);
            }
            Value::Bytes(_) | Value::Message(_) => {
                begin(2);
                let value = match value {
                    Value::Message(fields) => write(fields),
                    Value::Bytes(value) => value.clone(),
                    _ => unreachable!("these have no length"),
                };
                put(value.len() as u64, &mut bytes);
                bytes.extend(value);
            }
        }
    }
    bytes
}

fn below(random: &mut impl Rng, bound: usize) -> usize {
    random.next_u32() as usize % bound.max(1)
}

/// Makes a random change in a message, at any level of nesting. Fields may come from another
/// message.
pub fn change(random: &mut impl Rng, fields: &mut Vec<Field>, other: &[Field]) {
    if fields.is_empty() || random.next_u32().is_multiple_of(16) {
        fields.extend(other.get(below(random, other.len())).cloned());
        return;
    }
    let at = below(random, fields.len());
    let is_deeper = !random.next_u32().is_multiple_of(8);
    match (&mut fields[at], random.next_u32() % 8) {
        // Most fields are in nested messages.
        (Field(number, Value::Message(inner)), _) if is_deeper => {
            let same = other.iter().find_map(|field| match field {
                Field(its, Value::Message(its_fields)) if its == number => Some(&**its_fields),
                _ => None,
            });
            change(random, inner, same.unwrap_or_default());
        }
        (_, 0) => drop(fields.remove(at)),
        (field, 1) => {
            let again = field.clone();
            fields.insert(at, again);
        }
        (_, 2) => {
            let with = below(random, fields.len());
            fields.swap(at, with);
        }
        (field, 3) => field.0 = 1 + u64::from(random.next_u32() % 12),
        (field, _) => change_value(random, &mut field.1),
    }
}

fn change_value(random: &mut impl Rng, value: &mut Value) {
    match value {
        Value::Number(value) => {
            *value = match random.next_u32() % 6 {
                0 => 0,
                1 => value.wrapping_add(1),
                2 => value.wrapping_sub(1),
                3 => u64::MAX,
                4 => *value ^ 1 << (random.next_u32() % 64),
                _ => u64::from(random.next_u32() % 8),
            };
        }
        Value::Fixed64(bytes) => random.fill_bytes(bytes),
        Value::Fixed32(bytes) => random.fill_bytes(bytes),
        Value::Bytes(bytes) => match random.next_u32() % 6 {
            0 => bytes.clear(),
            1 => bytes.insert(0, 0),
            2 => bytes.push(random.next_u32() as u8),
            3 => drop(bytes.pop()),
            4 => bytes.resize(below(random, 300), 0xff),
            _ => {
                let at = below(random, bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.next_u32() as u8;
                }
            }
        },
        Value::Message(fields) => fields.clear(),
    }
}
