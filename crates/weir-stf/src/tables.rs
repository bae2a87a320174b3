//! The lines that fill tables and action profiles.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use weir_control::commands::Session;
use weir_control::commands::values::{number32, read_match, surplus_bits, value};
use weir_control::listing::listing;
use weir_control::matching::prefix;
use weir_control::value::shorten;
use weir_control::{Error, Names};
use weir_ir::{Bits, ExternId, TableId};
use weir_switch::control::{self, ActionUse, EntryRef, KeySchema, Match, MatchKind, Update};

use crate::bpf_names::{key_spelling, program_spelling};
use crate::mistake::{AtPart, PartMistake};
use crate::statement::{Arg, Call, Entry, GroupMember, Target, is_address};

/// An object that a line named.
#[derive(Clone, Copy, Debug)]
enum Object {
    Entry(TableId, u64),
    Member(ExternId, u32),
    Group(ExternId, u32),
}

impl Object {
    /// Returns the kind of the object in words.
    fn kind(self) -> &'static str {
        match self {
            Self::Entry(..) => "entry",
            Self::Member(..) => "member",
            Self::Group(..) => "group",
        }
    }
}

/// The objects that lines gave names to: `… = NAME`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named(BTreeMap<String, Object>);

impl Named {
    /// Returns the handle of the entry with this name, which may be written with `$`. Returns
    /// `None` for a name without `$` that no line defined, because it may have another meaning.
    pub(crate) fn handle(&self, name: &str) -> Result<Option<u64>, Error> {
        let plain = name.strip_prefix('$');
        match self.0.get(plain.unwrap_or(name)) {
            Some(Object::Entry(_, handle)) => Ok(Some(*handle)),
            _ if plain.is_none() => Ok(None),
            _ => Err(self.no_such_name("entry", plain.unwrap_or(name))),
        }
    }

    /// Reads the number of the member or group of this name, or that number itself.
    fn number(&self, kind: &str, text: &str) -> Result<u32, Error> {
        let name = text.strip_prefix('$');
        match self.0.get(name.unwrap_or(text)) {
            Some(Object::Member(_, number)) if kind == "member" => Ok(*number),
            Some(Object::Group(_, number)) if kind == "group" => Ok(*number),
            _ if name.is_none() && text.starts_with(|c: char| c.is_ascii_digit()) => {
                number32(text, &format!("a {kind}"))
            }
            _ => Err(self.no_such_name(kind, name.unwrap_or(text))),
        }
    }

    fn no_such_name(&self, kind: &str, name: &str) -> Error {
        let names =
            || self.0.iter().filter(|(_, object)| object.kind() == kind).map(|(name, _)| name.as_str());
        let article = if kind == "entry" { "no entry was" } else { &format!("no {kind} was") };
        let error =
            Error::new(format!("{article} added with the name \"{name}\" (there are: {})", listing(names())));
        match weir_suggest::nearest(name, names()) {
            Some(near) => error.suggesting(near),
            None => error,
        }
    }

    /// Refuses a second object with the same name, because later lines could refer to only one of
    /// the two.
    fn check_new<'t>(&self, name: Option<&'t str>) -> Result<(), PartMistake<'t>> {
        let Some((name, object)) = name.and_then(|name| Some((name, self.0.get(name)?))) else {
            return Ok(());
        };
        let kind = object.kind();
        let article = if kind == "entry" { "an" } else { "a" };
        Err(Error::new(format!("{article} {kind} has the name \"{name}\" already"))).at_part(name)
    }

    /// Remembers an object under the name that the test gives it.
    fn record(&mut self, name: Option<&str>, object: Object) {
        if let Some(name) = name {
            self.0.insert(name.to_owned(), object);
        }
    }

    /// Runs `add`, which adds an entry. The entry with the largest priority is preferred. Returns
    /// remarks about parts without effect: a priority, as in files for other targets, and bits
    /// outside a key's mask.
    pub(crate) fn add_entry<'t>(
        &mut self,
        session: &mut Session<'_, '_>,
        table_name: &'t str,
        entry: &Entry<'t>,
        name: Option<&'t str>,
    ) -> Result<Vec<String>, PartMistake<'t>> {
        self.check_new(name)?;
        let names = session.names();
        let table = find_table(names, table_name)?;
        let schema = names.table_schema(table);
        let (mut keys, mut remarks) = (Vec::new(), Vec::new());
        for (key, text) in &entry.keys {
            let (index, accepts) = read_key(names, table, key, text)?;
            remarks.extend(surplus_bits(text, &schema.keys[index]));
            keys.push((index, accepts));
        }
        let action = self.target(names, table, &entry.target, ActionUse::Entry)?;
        if schema.keys.is_empty() {
            let message = format!("table {} has no keys: setdefault sets its default action", schema.name);
            return Err(Error::new(message)).at_part(table_name);
        }
        let matches = names.all_matches(table, keys.into_iter().map(Ok)).at_part(entry.text)?;
        // The framework counts from 0, and omits the priority where it has no effect.
        let priority = schema.needs_priority().then_some(entry.priority.unwrap_or(0) + 1);
        let update =
            Update::Insert { table, entry: control::Entry { matches, priority, action, idle_timeout: None } };
        let handle = session.change(&update).at_part(entry.text)?;
        self.record(name, Object::Entry(table, handle.unwrap_or_default()));
        if let Some(given) = entry.priority.filter(|given| priority.is_none() && *given != 0) {
            let name = &schema.name;
            remarks.push(format!("the priority {given} has no effect: entries of table {name} have none"));
        }
        Ok(remarks)
    }

    /// Runs `setdefault`, which sets a table's default action.
    pub(crate) fn set_default<'t>(
        &self,
        session: &mut Session<'_, '_>,
        table_name: &'t str,
        target: &Target<'t>,
    ) -> Result<(), PartMistake<'t>> {
        let names = session.names();
        let table = find_table(names, table_name)?;
        let action = self.target(names, table, target, ActionUse::Default)?;
        session.change(&Update::SetDefault { table, action }).map(drop).at_part(table_name)
    }

    /// Runs `remove NAME`, which removes an entry, a member or a group.
    pub(crate) fn remove<'t>(
        &mut self,
        session: &mut Session<'_, '_>,
        name: &'t str,
    ) -> Result<(), PartMistake<'t>> {
        let Some(object) = self.0.get(name).copied() else {
            return Err(self.no_such_name("entry", name)).at_part(name);
        };
        let update = match object {
            Object::Entry(table, handle) => Update::Delete { table, entry: EntryRef::Handle(handle) },
            Object::Member(profile, member) => Update::DeleteMember { profile, member },
            Object::Group(profile, group) => Update::DeleteGroup { profile, group },
        };
        session.change(&update).at_part(name)?;
        self.0.remove(name);
        Ok(())
    }

    /// Runs `remove all`, which removes all entries that are not constant.
    pub(crate) fn remove_all(&mut self, session: &mut Session<'_, '_>) -> Result<(), Error> {
        let tables = session.names().schema.tables.iter().enumerate();
        for (index, _) in tables.filter(|(_, table)| !table.keys.is_empty() && !table.const_entries) {
            session.change(&Update::Clear { table: TableId::new(index) })?;
        }
        self.0.retain(|_, object| !matches!(object, Object::Entry(..)));
        Ok(())
    }

    /// Runs `member`, which adds a member to an action profile.
    pub(crate) fn add_member<'t>(
        &mut self,
        session: &mut Session<'_, '_>,
        profile_name: &'t str,
        call: &Call<'t>,
        name: Option<&'t str>,
    ) -> Result<(), PartMistake<'t>> {
        self.check_new(name)?;
        let names = session.names();
        let profile = names.profile(profile_name).at_part(profile_name)?;
        let table = names.profile_table(profile).at_part(profile_name)?;
        let action = read_call(names, table, call, ActionUse::Entry)?;
        let member =
            session.change(&Update::InsertMember { profile, member: None, action }).at_part(call.text)?;
        self.record(name, Object::Member(profile, member.unwrap_or_default() as u32));
        Ok(())
    }

    /// Runs `group`, which adds a group to an action selector.
    pub(crate) fn add_group<'t>(
        &mut self,
        session: &mut Session<'_, '_>,
        selector: &'t str,
        members: &[GroupMember<'t>],
        name: Option<&'t str>,
    ) -> Result<(), PartMistake<'t>> {
        self.check_new(name)?;
        let profile = session.names().profile(selector).at_part(selector)?;
        let mut numbers = Vec::new();
        for GroupMember { member, weight } in members {
            let number = self.number("member", member).at_part(member)?;
            numbers.push(control::GroupMember::new(number, *weight));
        }
        let update = Update::InsertGroup { profile, group: None, members: numbers };
        let group = session.change(&update).at_part(selector)?;
        self.record(name, Object::Group(profile, group.unwrap_or_default() as u32));
        Ok(())
    }

    /// Finds the action, member or group that a target names.
    fn target<'t>(
        &self,
        names: Names<'_>,
        table: TableId,
        target: &Target<'t>,
        wanted: ActionUse,
    ) -> Result<control::Target, PartMistake<'t>> {
        Ok(match target {
            Target::Call(call) => read_call(names, table, call, wanted)?.into(),
            Target::Member(text) => control::Target::Member(self.number("member", text).at_part(text)?),
            Target::Group(text) => control::Target::Group(self.number("group", text).at_part(text)?),
        })
    }
}

fn find_table<'t>(names: Names<'_>, name: &'t str) -> Result<TableId, PartMistake<'t>> {
    let table_names = names.schema.tables.iter().map(|table| table.name.as_str());
    names.table(program_spelling(name, table_names)).at_part(name)
}

fn read_call<'t>(
    names: Names<'_>,
    table: TableId,
    call: &Call<'t>,
    wanted: ActionUse,
) -> Result<control::Call, PartMistake<'t>> {
    let action_names = names.table_schema(table).actions.iter().map(|listed| listed.action.as_str());
    let name = program_spelling(call.action, action_names);
    let action = names.usable_action(table, name, wanted).at_part(call.action)?;
    let schema = names.action_schema(action);
    if name != call.action && call.args.is_empty() {
        // Parameters that tests of p4c's BPF targets leave out are 0.
        let zeroes = schema.params.iter().map(|param| Bits::zero(param.width)).collect();
        return Ok(control::Call { action, args: zeroes });
    }
    let (mut given, mut named, mut unnamed) = (Vec::new(), None, None);
    for (position, arg) in call.args.iter().enumerate() {
        let (index, text) = match *arg {
            Arg::Named { name, value, text } => match names.parameter(action, name) {
                Ok(index) => {
                    named = Some(name);
                    (index, value)
                }
                Err(_) if is_address(text) => (position, text),
                Err(error) => return Err(PartMistake { part: name, error }),
            },
            Arg::Positional(text) => {
                unnamed = Some(text);
                (position, text)
            }
        };
        let Some(param) = schema.params.get(index) else {
            let error = control::ControlError::ArgumentCount { action, given: call.args.len() };
            return Err(names.explain(error)).at_part(text);
        };
        let param_text = format!("parameter {} of {}", param.name, schema.name);
        given.push((index, value(text, param, &param_text).at_part(text)?));
    }
    if let (Some(name), Some(text)) = (named, unnamed) {
        let message = format!("{text} names no parameter, but {name} does: name all of them, or none");
        return Err(Error::new(message)).at_part(text);
    }
    names.all_parameters(action, given.into_iter().map(Ok)).at_part(call.text)
}

/// Reads `KEY:VALUE`: the key's position and what the entry accepts for the key.
fn read_key<'t>(
    names: Names<'_>,
    table: TableId,
    name: &'t str,
    text: &'t str,
) -> Result<(usize, Match), PartMistake<'t>> {
    let key_names = names.table_schema(table).keys.iter().map(|key| key.name.as_str());
    let key = current_spelling(names, table, key_spelling(name, key_names));
    let index = names.key(table, &key).at_part(name)?;
    Ok((index, read_accepts(text, &names.table_schema(table).keys[index]).at_part(text)?))
}
/// Returns the name of a key in the current spelling. Old files have `h$0` for `h[0]`, `h.valid` or
/// `h.$valid$` for `h.isValid()`.
fn current_spelling(names: Names<'_>, table: TableId, name: &str) -> String {
    let keys = &names.table_schema(table).keys;
    let mut wanted = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('$') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        wanted += &rest[..at];
        if digits > 0 {
            wanted += &format!("[{}]", &rest[at + 1..=at + digits]);
        } else {
            wanted.push('$');
        }
        rest = &rest[at + 1 + digits..];
    }
    wanted += rest;
    if keys.iter().any(|key| key.name == wanted) {
        return wanted;
    }
    for end in [".$valid$", ".valid", "$valid$", "valid"] {
        let Some(header) = wanted.strip_suffix(end) else { continue };
        for form in ["isValid()", "$valid$"] {
            let spelling = format!("{header}.{form}");
            let spelling = spelling.trim_start_matches('.');
            let is_key = |key: &KeySchema| {
                key.name.strip_suffix(spelling).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            };
            if keys.iter().any(is_key) {
                return spelling.to_owned();
            }
        }
    }
    wanted
}

/// Reads the values that an entry matches for a key.
fn read_accepts(text: &str, key: &KeySchema) -> Result<Match, Error> {
    let (width, name) = (key.width, &key.name);
    let key_text = format!("key {name}");
    if text.contains('*') {
        return read_digits(text, key);
    }
    let is_plain = !["/", "&&&", "->", ".."].iter().any(|mark| text.contains(mark));
    match key.kind {
        MatchKind::Ternary if is_plain => Ok(Match::Ternary(value(text, key, &key_text)?, Bits::ones(width))),
        // Without a `*`, the prefix is the whole field.
        MatchKind::Lpm if is_plain => Ok(Match::Lpm(value(text, key, &key_text)?, width)),
        MatchKind::Range => {
            let ends = text.split_once("->").or_else(|| text.split_once(".."));
            let (low, high) = ends.unwrap_or((text, text));
            read_match(&format!("{low}->{high}"), key, name)
        }
        _ => read_match(text, key, name),
    }
}

/// Reads the values that a key accepts from digits, where `*` stands for any digit.
fn read_digits(text: &str, key: &KeySchema) -> Result<Match, Error> {
    let (width, name, kind) = (key.width, &key.name, key.kind);
    let (number, mask) = digits_and_mask(text, key)?;
    let (number, mask) = (Bits::wrap(width, number), Bits::wrap(width, mask));
    let is_open = mask == Bits::zero(width);
    match kind {
        MatchKind::Lpm => {
            let len = (0..width).filter(|bit| mask.bit(*bit)).count() as u32;
            if mask != prefix(len, width) {
                return Err(Error::new(format!("key {name} is matched lpm: {text} has digits after a *")));
            }
            Ok(if len == 0 { Match::Any } else { Match::Lpm(number, len) })
        }
        MatchKind::Ternary | MatchKind::Optional if is_open => Ok(Match::Any),
        MatchKind::Ternary => Ok(Match::Ternary(number, mask)),
        _ => Err(Error::new(format!("key {name} is matched {}: it takes no *, found {text}", kind.name()))),
    }
}

/// Reads the value and the mask of digits, where `*` stands for any digit.
fn digits_and_mask(text: &str, key: &KeySchema) -> Result<(BigUint, BigUint), Error> {
    if text == "*" {
        return Ok((BigUint::ZERO, BigUint::ZERO));
    }
    let bits = match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => 4,
        Some("0o") => 3,
        Some("0b") => 1,
        _ => 0,
    };
    let digits: Vec<char> = text.chars().skip(2).filter(|c| *c != '_').collect();
    let is_digit = |c: &char| *c == '*' || c.is_digit(1 << bits);
    if bits == 0 || digits.is_empty() || digits.len() > 4096 || !digits.iter().all(is_digit) {
        let (name, text) = (&key.name, shorten(text));
        return Err(Error::new(format!(
            "key {name}: expected digits and * after 0x, 0b or 0o, found \"{text}\""
        )));
    }
    let (mut number, mut mask) = (BigUint::ZERO, BigUint::ZERO);
    for digit in digits {
        number <<= bits;
        mask <<= bits;
        if let Some(digit) = digit.to_digit(1 << bits) {
            number += digit;
            mask += (1u32 << bits) - 1;
        }
    }
    if number.bits() > u64::from(key.width) {
        let (name, width) = (&key.name, key.width);
        return Err(Error::new(format!("key {name}: {} does not fit in {width} bits", shorten(text))));
    }
    Ok((number, mask))
}
