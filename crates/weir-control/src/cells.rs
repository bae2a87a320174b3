//! Reads cells of registers and members of value sets in the form in which users write them.

use num_bigint::BigUint;
use weir_ir::{Bits, ExternId, ValueSetId};
use weir_json::{Kind, Value};
use weir_switch::control::{Match, RegisterSchema};

use crate::listing::listing;
use crate::matching::read_match;
use crate::value::{Form, read_value};
use crate::{Error, Names};

/// Returns the form in which a register's cell is shown as one value.
pub(crate) fn cell_form(schema: &RegisterSchema) -> Form<'_> {
    match &schema.values[..] {
        [values] => Form { width: schema.width, values },
        _ => Form::from(schema.width),
    }
}

impl<'a> Names<'a> {
    /// Returns the program's description of a register.
    pub fn register_schema(self, register: ExternId) -> Option<&'a RegisterSchema> {
        self.schema.registers.iter().find(|known| known.id == register)
    }

    /// Reads the contents of a register's cell. If the cell is a struct, all its fields must be
    /// given by name, because a write replaces the whole cell.
    pub fn read_cell(self, register: ExternId, value: &Value) -> Result<Bits, Error> {
        let Some(schema) = self.register_schema(register) else { return Ok(Bits::zero(0)) };
        let name = &schema.name;
        let is_plain = matches!(&schema.fields[..], [(field, _)] if field.is_empty());
        let members = match &value.kind {
            Kind::Object(members) if !is_plain => members,
            _ => {
                return read_value(value, cell_form(schema))
                    .map_err(|error| error.in_part(format_args!("a cell of {name}")));
            }
        };
        let known =
            || schema.fields.iter().map(|(field, _)| field.as_str()).filter(|field| !field.is_empty());
        for (member, _) in members {
            if !known().any(|field| field == member) {
                let message = format!("a cell of {name} has no field \"{member}\"");
                return Err(match weir_suggest::nearest(member, known()) {
                    Some(near) => Error::new(message).suggesting(near),
                    None => Error::new(format!("{message} (its fields: {})", listing(known()))),
                });
            }
        }
        let mut number = BigUint::ZERO;
        for ((field, width), values) in schema.fields.iter().zip(&schema.values) {
            let member = members.iter().find(|(member, _)| member == field);
            let part = match member {
                Some((_, value)) => read_value(value, Form { width: *width, values })
                    .map_err(|error| error.in_part(format_args!("field {field} of a cell of {name}")))?,
                None if field.is_empty() => Bits::zero(*width),
                None => {
                    return Err(Error::new(format!(
                        "a cell of {name} needs its field \"{field}\": a write replaces the whole cell"
                    )));
                }
            };
            number = (number << *width) | part.to_biguint();
        }
        Ok(Bits::wrap(schema.width, number))
    }

    /// Reads a member of a value set. It has a match for each field, as in a table entry. A
    /// plain value matches exactly this value, even if the field has another match kind.
    pub fn read_member(self, set: ValueSetId, values: &[Value]) -> Result<Vec<Match>, Error> {
        let fields = &self.value_set_schema(set).fields;
        let values = match values {
            [Value { kind: Kind::List(items), .. }] if fields.len() > 1 => items,
            values => values,
        };
        if values.len() != fields.len() {
            return Err(Error::new(self.member_fields(set, values.len())));
        }
        let read = |(index, (value, field)): (usize, (&Value, _))| {
            let field: &weir_switch::control::KeySchema = field;
            let name = self.field_name(set, index);
            let is_pair = match &value.kind {
                Kind::List(_) => true,
                Kind::Text(text) => text == "*" || ["/", "&&&", ".."].iter().any(|mark| text.contains(mark)),
                _ => false,
            };
            let read = if is_pair {
                read_match(value, field, name)
            } else {
                read_value(value, field).map(Match::Exact)
            };
            read.map_err(|error| error.in_part(format_args!("field {name}")))
        };
        values.iter().zip(fields).enumerate().map(read).collect()
    }
}
