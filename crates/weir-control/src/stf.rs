//! The lines of the simple test framework (STF) that fill tables: `add`, `setdefault`, `remove`
//! (docs/testing-p4.md).

use std::collections::BTreeMap;

use num_bigint::BigUint;
use weir_ir::{ActionId, Bits, TableId};
use weir_switch::control::{Call, Entry, EntryRef, KeySchema, Match, MatchKind, Update};

use crate::commands::Session;
use crate::commands::values::{read_match, value, whole};
use crate::listing::listing;
use crate::matching::prefix;
use crate::value::short;
use crate::{Error, MAX_PRIORITY, Names};

const ADD: &str = "add TABLE [PRIORITY] KEY:VALUE… ACTION(PARAMETER:VALUE, …) [= NAME]";
const SET_DEFAULT: &str = "setdefault TABLE ACTION(PARAMETER:VALUE, …)";

/// The entries that lines gave names to: `add … = NAME`.
#[derive(Clone, Debug, Default)]
pub struct NamedEntries(BTreeMap<String, (TableId, u64)>);

/// `ACTION(PARAMETER:VALUE, …) [= NAME]` at the end of a line.
struct CallText<'l> {
    /// Where it begins.
    start: usize,
    action: &'l str,
    args: &'l str,
    entry: Option<&'l str>,
}

impl NamedEntries {
    /// The handle of the entry of this name, written with or without `$`.
    ///
    /// # Errors
    /// A name with `$` was given to no entry. Without it, something else may be meant: nothing is
    /// found.
    pub fn handle(&self, name: &str) -> Result<Option<u64>, Error> {
        match name.strip_prefix('$') {
            None => Ok(self.0.get(name).map(|(_, handle)| *handle)),
            Some(name) => match self.0.get(name) {
                Some((_, handle)) => Ok(Some(*handle)),
                None => Err(self.missing(name)),
            },
        }
    }

    fn missing(&self, name: &str) -> Error {
        let known = listing(self.0.keys());
        let error = Error::new(format!("no entry was added with the name \"{name}\" (there are: {known})"));
        match weir_suggest::nearest(name, self.0.keys().map(String::as_str)) {
            Some(near) => error.suggesting(near),
            None => error,
        }
    }

    /// `add`: adds an entry, the largest priority is preferred.
    pub fn add(&mut self, session: &mut Session<'_, '_>, text: &str) -> Result<(), Error> {
        let names = session.names();
        let (table, rest) = split_table(names, text)?;
        let schema = names.table_schema(table);
        let call = find_call(rest, ADD)?;
        let mut words = rest[..call.start].split_whitespace().peekable();
        let mut priority = 0;
        if let Some(word) = words.next_if(|word| !word.contains(':')) {
            priority = whole(word, "a priority", 0, u64::from(MAX_PRIORITY) - 1)? as u32;
        }
        let keys = words.map(|word| read_key(names, table, word)).collect::<Result<Vec<_>, _>>()?;
        let action = names.usable_action(table, call.action, false)?;
        if schema.keys.is_empty() {
            let name = &schema.name;
            return Err(Error::new(format!("table {name} has no keys: setdefault sets its default action")));
        }
        let matches = names.all_matches(table, keys)?;
        // The framework counts from 0, and leaves the priority out where it does not matter.
        let priority = schema.needs_priority.then_some(priority + 1);
        let action = read_call(names, action, call.args)?.into();
        let entry = Entry { matches, priority, action, idle_timeout: None };
        let handle = session.change(&Update::Insert { table, entry })?;
        if let (Some(name), Some(handle)) = (call.entry, handle) {
            self.0.insert(name.to_owned(), (table, handle));
        }
        Ok(())
    }

    /// `remove`: an entry by its name, or all that are not constant.
    pub fn remove(&mut self, session: &mut Session<'_, '_>, text: &str) -> Result<(), Error> {
        let word = text.trim();
        if word == "all" {
            let tables = session.names().schema.tables.iter().enumerate();
            let changeable = tables.filter(|(_, table)| !table.keys.is_empty() && !table.const_entries);
            for (index, _) in changeable {
                session.change(&Update::Clear { table: TableId::new(index) })?;
            }
            self.0.clear();
            return Ok(());
        }
        let name = word.strip_prefix('$').unwrap_or(word);
        let Some((table, handle)) = self.0.remove(name) else { return Err(self.missing(name)) };
        session.change(&Update::Delete { table, entry: EntryRef::Handle(handle) }).map(drop)
    }
}

/// `setdefault`: sets a table's default action.
pub fn set_default(session: &mut Session<'_, '_>, text: &str) -> Result<(), Error> {
    let names = session.names();
    let (table, rest) = split_table(names, text)?;
    let call = find_call(rest, SET_DEFAULT)?;
    let action = names.usable_action(table, call.action, true)?;
    let action = read_call(names, action, call.args)?.into();
    session.change(&Update::SetDefault { table, action }).map(drop)
}

/// The table that a line begins with, and the rest of the line.
fn split_table<'l>(names: Names<'_>, text: &'l str) -> Result<(TableId, &'l str), Error> {
    let (name, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    Ok((names.table(name)?, rest))
}

/// The call at the end of a line. An argument list may follow its action after spaces.
fn find_call<'l>(text: &'l str, usage: &str) -> Result<CallText<'l>, Error> {
    let expected = || {
        let found = text.trim();
        Error::new(format!(
            "expected an action such as forward(port:1) at the end, found \"{found}\" ({usage})"
        ))
    };
    let close = text.rfind(')').ok_or_else(expected)?;
    let tail = text[close + 1..].trim();
    let entry = match tail.strip_prefix('=') {
        _ if tail.is_empty() => None,
        Some(name) => Some(name.trim_start().trim_start_matches('$')),
        None => return Err(expected()),
    };
    if entry.is_some_and(|name| name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_')) {
        return Err(expected());
    }
    let open = text[..close].rfind('(').ok_or_else(expected)?;
    let before = text[..open].trim_end();
    let start =
        before.rfind(|c: char| c.is_whitespace() || matches!(c, '(' | ':' | '=')).map_or(0, |at| at + 1);
    let action = &before[start..];
    if action.is_empty() {
        return Err(expected());
    }
    Ok(CallText { start, action, args: &text[open + 1..close], entry })
}

/// `KEY:VALUE`: the key's position and what the entry says of it.
fn read_key(names: Names<'_>, table: TableId, word: &str) -> Result<(usize, Match), Error> {
    let pair = word.split_once(':').filter(|(_, text)| !text.is_empty());
    let (name, text) = pair.ok_or_else(|| Error::new(format!("expected KEY:VALUE, found \"{word}\"")))?;
    let index = names.key(table, &current_spelling(names, table, name))?;
    Ok((index, read_accepts(text, &names.table_schema(table).keys[index])?))
}

/// The name of a key in today's spelling. Old files have `h$0` for `h[0]`, `h.valid` or `h.$valid$`
/// for `h.isValid()`.
fn current_spelling(names: Names<'_>, table: TableId, name: &str) -> String {
    let known = &names.table_schema(table).keys;
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
    if known.iter().any(|key| key.name == wanted) {
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
            if known.iter().any(is_key) {
                return spelling.to_owned();
            }
        }
    }
    wanted
}

/// What an entry says of a key.
fn read_accepts(text: &str, key: &KeySchema) -> Result<Match, Error> {
    let (width, name) = (key.width, &key.name);
    let what = format!("key {name}");
    if text.contains('*') {
        return read_digits(text, key);
    }
    let is_plain = !["/", "&&&", "->", ".."].iter().any(|mark| text.contains(mark));
    match key.kind {
        MatchKind::Ternary if is_plain => Ok(Match::Ternary(value(text, width, &what)?, Bits::ones(width))),
        // A prefix of a field that is written in full is the whole field.
        MatchKind::Lpm if is_plain => Ok(Match::Lpm(value(text, width, &what)?, width)),
        MatchKind::Range => {
            let ends = text.split_once("->").or_else(|| text.split_once(".."));
            let (low, high) = ends.unwrap_or((text, text));
            read_match(&format!("{low}->{high}"), key, name)
        }
        _ => read_match(text, key, name),
    }
}

/// What digits with `*` for any accept.
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

/// Value and mask of digits with `*` for any.
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
        let (name, text) = (&key.name, short(text));
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
        return Err(Error::new(format!("key {name}: {} does not fit in {width} bits", short(text))));
    }
    Ok((number, mask))
}

/// `PARAMETER:VALUE, …`.
fn read_call(names: Names<'_>, action: ActionId, text: &str) -> Result<Call, Error> {
    let schema = names.action_schema(action);
    let mut given = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let pair = part.split_once(':').map(|(name, text)| (name.trim(), text.trim()));
        let (name, text) = pair.filter(|(_, text)| !text.is_empty()).ok_or_else(|| {
            Error::new(format!("expected PARAMETER:VALUE between the brackets, found \"{part}\""))
        })?;
        let index = names.parameter(action, name)?;
        let param = &schema.params[index];
        let what = format!("parameter {} of {}", param.name, schema.name);
        given.push((index, value(text, param.width, &what)?));
    }
    names.all_parameters(action, given)
}
