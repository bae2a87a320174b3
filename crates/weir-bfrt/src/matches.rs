//! Keys of tables in messages.

use weir_control::MAX_PRIORITY;
use weir_grpc::Problem;
use weir_ir::Bits;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::key_field as part;
use weir_p4runtime_proto::bfrt::key_field::MatchType;
use weir_switch::control::{Match, MatchKind};

use crate::info::{KeyField, Table, field};
use crate::values::{bytes, number};

/// The matches of an entry, and its priority in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The matches of all keys of the program's table.
    pub matches: Vec<Match>,
    /// The place among the entries that match; 0 is preferred. `None` if the table has no priority.
    pub place: Option<u32>,
}

impl Key {
    /// Returns the priority in the switch, where larger ones are preferred.
    ///
    /// # Errors
    /// The switch has no priority for this place.
    pub fn priority(&self) -> Result<Option<u32>, Problem> {
        let of = |place: u32| {
            MAX_PRIORITY.checked_sub(place).filter(|priority| *priority > 0).ok_or_else(|| {
                let last = MAX_PRIORITY - 1;
                Problem::invalid(format!("`$MATCH_PRIORITY` is at most {last}, not {place}"))
            })
        };
        self.place.map(of).transpose()
    }
}

/// Returns the place of an entry that has this priority in the switch.
pub fn place_of(priority: u32) -> u32 {
    MAX_PRIORITY.saturating_sub(priority)
}

/// Returns the fields of a key in the order of the table, `None` for those that are left out.
///
/// # Errors
/// The table has no such field, a field is there twice, or a mandatory field is missing.
pub fn fields<'k>(
    table: &Table,
    key: &'k bfrt::TableKey,
) -> Result<Vec<Option<&'k bfrt::KeyField>>, Problem> {
    let mut found = vec![None; table.keys.len()];
    for given in &key.fields {
        let id = given.field_id;
        let place = table.key(id).ok_or_else(|| {
            Problem::invalid(format!("`{}` has no key field {id}; it has {}", table.name, key_names(table)))
        })?;
        if found[place].replace(given).is_some() {
            return Err(Problem::invalid(format!("the key has `{}` twice", table.keys[place].name)));
        }
    }
    match table.keys.iter().zip(&found).find(|(field, given)| field.mandatory && given.is_none()) {
        Some((field, _)) => Err(Problem::invalid(format!("the key has no `{}`", field.name))),
        None => Ok(found),
    }
}

fn key_names(table: &Table) -> String {
    let names: Vec<_> = table.keys.iter().map(|key| format!("{} (`{}`)", key.id, key.name)).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Reads the key of a table whose key is one number, such as an index.
///
/// # Errors
/// The number is missing or does not fit.
pub fn index(table: &Table, key: &bfrt::TableKey) -> Result<u32, Problem> {
    let (fields, known) = (fields(table, key)?, &table.keys[0]);
    let value = exact(known, fields[0])?;
    value
        .to_u64()
        .and_then(|value| u32::try_from(value).ok())
        .ok_or_else(|| Problem::invalid(format!("`{}` does not fit 32 bits", known.name)))
}

/// Writes the key of a table whose key is one number.
pub fn write_index(table: &Table, index: u32) -> bfrt::TableKey {
    let known = &table.keys[0];
    let value = bytes(&Bits::new(known.ty.bits().unwrap_or(32), index.into()));
    let match_type = Some(MatchType::Exact(part::Exact { value }));
    bfrt::TableKey { fields: vec![bfrt::KeyField { field_id: known.id, match_type }] }
}

/// Reads the key of a table of the program, whose keys have these kinds. Fields that are left out
/// match all values, or 0 if they are exact.
///
/// # Errors
/// A field does not fit, or has another match kind.
pub fn read(table: &Table, kinds: &[MatchKind], key: &bfrt::TableKey) -> Result<Key, Problem> {
    let fields = fields(table, key)?;
    let matches = table.keys.iter().zip(kinds).zip(&fields);
    let matches =
        matches.map(|((known, kind), given)| read_match(known, *kind, *given)).collect::<Result<_, _>>()?;
    let place = match table.key(field::MATCH_PRIORITY) {
        Some(place) => Some(exact(&table.keys[place], fields[place])?.low_u64() as u32),
        None => None,
    };
    Ok(Key { matches, place })
}

/// Reads a field with an exact match; one that is left out is 0.
///
/// # Errors
/// The field does not fit, or has another match kind.
pub fn exact(known: &KeyField, given: Option<&bfrt::KeyField>) -> Result<Bits, Problem> {
    let bits = known.ty.bits().unwrap_or(32);
    match given.map(|given| &given.match_type) {
        None => Ok(Bits::zero(bits)),
        Some(Some(MatchType::Exact(exact))) => number(&known.name, bits, &exact.value),
        Some(_) => Err(wrong_kind(known)),
    }
}

fn wrong_kind(known: &KeyField) -> Problem {
    Problem::invalid(format!("`{}` is matched {}", known.name, known.match_type))
}

fn read_match(known: &KeyField, kind: MatchKind, given: Option<&bfrt::KeyField>) -> Result<Match, Problem> {
    let width = known.ty.bits().unwrap_or(0);
    let value = |bytes: &[u8]| number(&known.name, width, bytes);
    let Some(given) = given else {
        return Ok(if kind == MatchKind::Exact { Match::Exact(Bits::zero(width)) } else { Match::Any });
    };
    match (known.match_type, &given.match_type) {
        ("Exact", Some(MatchType::Exact(exact))) => Ok(Match::Exact(value(&exact.value)?)),
        ("LPM", Some(MatchType::Lpm(lpm))) => match u32::try_from(lpm.prefix_len) {
            Ok(len) if len <= width => Ok(Match::Lpm(value(&lpm.value)?, len)),
            _ => Err(Problem::invalid(format!(
                "`{}` has {width} bits; a prefix of {} is not possible",
                known.name, lpm.prefix_len
            ))),
        },
        ("Ternary", Some(MatchType::Ternary(ternary))) => {
            masked(known, kind, value(&ternary.value)?, value(&ternary.mask)?)
        }
        ("Range", Some(MatchType::Range(range))) => Ok(Match::Range(value(&range.low)?, value(&range.high)?)),
        ("Optional", Some(MatchType::Optional(optional))) => match optional.is_valid {
            true => Ok(Match::Exact(value(&optional.value)?)),
            false => Ok(Match::Any),
        },
        _ => Err(wrong_kind(known)),
    }
}

/// Converts a value and a mask to a match of this kind. Value sets have a mask for each field, also
/// if their program compares the field in another way.
fn masked(known: &KeyField, kind: MatchKind, value: Bits, mask: Bits) -> Result<Match, Problem> {
    let width = mask.width();
    match kind {
        _ if mask.is_zero() && kind != MatchKind::Exact => Ok(Match::Any),
        MatchKind::Ternary => Ok(Match::Ternary(value, mask)),
        _ if mask == Bits::ones(width) => Ok(match kind {
            MatchKind::Lpm => Match::Lpm(value, width),
            MatchKind::Range => Match::Range(value.clone(), value),
            _ => Match::Exact(value),
        }),
        MatchKind::Lpm => {
            let len = (0..width).take_while(|bit| mask.bit(width - 1 - bit)).count() as u32;
            let prefix = Bits::ones(width).shl(u64::from(width - len));
            if prefix == mask { Ok(Match::Lpm(value, len)) } else { Err(no_mask(known, kind)) }
        }
        _ => Err(no_mask(known, kind)),
    }
}

fn no_mask(known: &KeyField, kind: MatchKind) -> Problem {
    Problem::invalid(format!(
        "the program matches `{}` {}, so not every mask is possible",
        known.name,
        kind.name()
    ))
}

/// Writes the key of a table of the program. `place` is `None` if the table has no priority.
pub fn write(table: &Table, matches: &[Match], place: Option<u32>) -> bfrt::TableKey {
    let fields = table.keys.iter().zip(matches);
    let mut fields: Vec<_> = fields.map(|(known, one)| write_match(known, one)).collect();
    if let Some(place) = place {
        let value = place.to_be_bytes().to_vec();
        let match_type = Some(MatchType::Exact(part::Exact { value }));
        fields.push(bfrt::KeyField { field_id: field::MATCH_PRIORITY, match_type });
    }
    bfrt::TableKey { fields }
}

fn write_match(known: &KeyField, one: &Match) -> bfrt::KeyField {
    let width = known.ty.bits().unwrap_or(0);
    let (zero, ones) = (|| Bits::zero(width), || Bits::ones(width));
    let match_type = match known.match_type {
        "LPM" => {
            let (value, len) = match one {
                Match::Lpm(value, len) => (value.clone(), *len),
                Match::Exact(value) => (value.clone(), width),
                _ => (zero(), 0),
            };
            MatchType::Lpm(part::Lpm { value: bytes(&value), prefix_len: len.cast_signed() })
        }
        "Ternary" => {
            let (value, mask) = match one {
                Match::Ternary(value, mask) => (value.clone(), mask.clone()),
                Match::Exact(value) => (value.clone(), ones()),
                Match::Range(low, high) if low == high => (low.clone(), ones()),
                Match::Lpm(value, len) => (value.clone(), ones().shl(u64::from(width - (*len).min(width)))),
                _ => (zero(), zero()),
            };
            MatchType::Ternary(part::Ternary { value: bytes(&value), mask: bytes(&mask) })
        }
        "Range" => {
            let (low, high) = match one {
                Match::Range(low, high) => (low.clone(), high.clone()),
                Match::Exact(value) => (value.clone(), value.clone()),
                _ => (zero(), ones()),
            };
            MatchType::Range(part::Range { low: bytes(&low), high: bytes(&high) })
        }
        "Optional" => {
            let (value, is_valid) = match one {
                Match::Exact(value) => (value.clone(), true),
                _ => (zero(), false),
            };
            MatchType::Optional(part::Optional { value: bytes(&value), is_valid })
        }
        _ => {
            let value = if let Match::Exact(value) = one { bytes(value) } else { bytes(&zero()) };
            MatchType::Exact(part::Exact { value })
        }
    };
    bfrt::KeyField { field_id: known.id, match_type: Some(match_type) }
}
