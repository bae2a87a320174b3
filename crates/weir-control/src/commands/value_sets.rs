//! Commands on parser value sets.

use num_bigint::BigUint;
use weir_ir::{Bits, ValueSetId};
use weir_switch::control::{Match, Update};

use super::registry::{Command, Output, Session};
use super::values::{format_match, read_match, surplus_bits, value};
use crate::matching::canonical;
use crate::{Error, Names};

/// The heading of these commands in help.
const GROUP: &str = "Parser value sets";
/// The note in help about value sets of several fields.
const FIELDS: &str = "If a set has several fields, give one VALUE for each field, in the notation of table keys. As in simple_switch_CLI,\n\
    one number that contains all fields is also accepted, with the first field in the highest bits.";

/// The commands on parser value sets.
pub(super) const COMMANDS: [Command; 5] = [
    Command::new(GROUP, "show_pvs", "", "show the parser value sets with their fields", "show_pvs", show_pvs),
    Command::new(
        GROUP,
        "pvs_add",
        "VALUE_SET VALUE…",
        "add a member, unless the value set already has it",
        "pvs_add MyParser.tunnels 0x88b5",
        pvs_add,
    )
    .details(FIELDS),
    Command::new(
        GROUP,
        "pvs_remove",
        "VALUE_SET VALUE…",
        "remove a member",
        "pvs_remove MyParser.tunnels 0x88b5",
        pvs_remove,
    )
    .details(FIELDS),
    Command::new(
        GROUP,
        "pvs_clear",
        "VALUE_SET",
        "remove all members",
        "pvs_clear MyParser.tunnels",
        pvs_clear,
    ),
    Command::new(
        GROUP,
        "pvs_get",
        "VALUE_SET",
        "show the members, one per line",
        "pvs_get MyParser.tunnels",
        pvs_get,
    ),
];

fn show_pvs(session: &mut Session<'_, '_>, _: &[&str]) -> Output {
    let names = session.names();
    Ok((0..names.schema.value_sets.len()).map(|set| declaration(names, ValueSetId::new(set))).collect())
}

/// Describes a value set with its fields in one line.
fn declaration(names: Names<'_>, set: ValueSetId) -> String {
    let schema = names.value_set_schema(set);
    let fields = schema.fields.iter().enumerate().map(|(index, field)| {
        format!("{} ({}, {})", names.field_name(set, index), field.kind.name(), field.width)
    });
    format!("{} [{}] size {}", schema.name, fields.collect::<Vec<_>>().join(", "), schema.size)
}

fn pvs_add(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let (set, member) = member(names, args)?;
    let mut members = session.control.value_set(set)?;
    if !names.has_member(set, &members, &member) {
        members.push(member);
        session.change(&Update::SetValueSet { set, members })?;
    }
    let fields = args[1..].iter().zip(&names.value_set_schema(set).fields);
    session.remarks.extend(fields.filter_map(|(word, field)| surplus_bits(word, field)));
    Ok(Vec::new())
}

fn pvs_remove(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let (set, member) = member(names, args)?;
    let mut members = session.control.value_set(set)?;
    if !names.remove_member(set, &mut members, &member) {
        let name = &names.value_set_schema(set).name;
        return Err(Error::new(format!("{name} has no member {}", args[1..].join(" "))));
    }
    session.change(&Update::SetValueSet { set, members })?;
    Ok(Vec::new())
}

fn pvs_clear(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let set = session.names().value_set(args[0])?;
    session.change(&Update::SetValueSet { set, members: Vec::new() })?;
    Ok(Vec::new())
}

fn pvs_get(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let set = names.value_set(args[0])?;
    let members = session.control.value_set(set)?;
    let fields = &names.value_set_schema(set).fields;
    let line = |member: Vec<Match>| {
        let texts = member
            .iter()
            .zip(fields)
            .enumerate()
            .map(|(index, (accepts, field))| format_match(accepts, field, names.field_name(set, index)));
        texts.collect::<Vec<_>>().join(" ")
    };
    Ok(members.into_iter().map(line).collect())
}

impl Names<'_> {
    /// Removes all members that accept the same values as this one. Returns whether there were any.
    pub fn remove_member(self, set: ValueSetId, members: &mut Vec<Vec<Match>>, member: &[Match]) -> bool {
        let (before, wanted) = (members.len(), self.member_form(set, member));
        members.retain(|known| self.member_form(set, known) != wanted);
        members.len() < before
    }

    /// Returns whether one of the members accepts the same values as this one.
    pub fn has_member(self, set: ValueSetId, members: &[Vec<Match>], member: &[Match]) -> bool {
        let wanted = self.member_form(set, member);
        members.iter().any(|known| self.member_form(set, known) == wanted)
    }

    /// Returns the canonical form of all members that accept the same values.
    pub(crate) fn member_form(self, set: ValueSetId, member: &[Match]) -> Vec<Match> {
        let fields = member.iter().zip(&self.value_set_schema(set).fields);
        fields.map(|(accepts, field)| canonical(accepts.clone(), field.width)).collect()
    }
}

/// Reads a value set's name and a member.
fn member(names: Names<'_>, args: &[&str]) -> Result<(ValueSetId, Vec<Match>), Error> {
    let set = names.value_set(args[0])?;
    let schema = names.value_set_schema(set);
    let (fields, words) = (&schema.fields, &args[1..]);
    if words.len() == 1 && fields.len() > 1 {
        let mut below: u32 = fields.iter().map(|field| field.width).sum();
        let number = value(words[0], below, &format!("a member of {}", schema.name))?.to_biguint();
        let part = |field: &weir_switch::control::KeySchema| {
            below -= field.width;
            let mask = (BigUint::from(1u32) << field.width) - 1u32;
            Match::Exact(Bits::wrap(field.width, (&number >> below) & mask))
        };
        return Ok((set, fields.iter().map(part).collect()));
    }
    if words.len() != fields.len() {
        return Err(Error::new(format!(
            "a member of {} takes {} values, found {}",
            declaration(names, set),
            fields.len(),
            words.len()
        )));
    }
    // In a value set a plain value means exactly that value, whatever the field's kind.
    let is_plain = |word: &str| !["&&&", "->", "/", "*"].iter().any(|mark| word.contains(mark));
    let read = |(index, (word, field)): (usize, (&&str, &weir_switch::control::KeySchema))| {
        let name = names.field_name(set, index);
        if is_plain(word) {
            Ok(Match::Exact(value(word, field, &format!("field {name}"))?))
        } else {
            read_match(word, field, name)
        }
    };
    Ok((set, words.iter().zip(fields).enumerate().map(read).collect::<Result<_, Error>>()?))
}
