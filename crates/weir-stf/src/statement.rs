//! Parses lines, as far as this is possible without the program.

use weir_control::commands::{self, values::read_whole};
use weir_control::value::shorten;
use weir_control::{Error, MAX_PRIORITY};
use weir_device::{Nanos, Port};
use weir_units::{Quantity, WantedQuantity, format_time};

use crate::check::Check;
use crate::mistake::{AtPart, PartMistake};
use crate::pattern::{Pattern, read_hex};
use crate::source::{split_word, unquote};

/// The longest wait, about eleven days, which is far below the range of the clock.
const MAX_WAIT: Nanos = 1_000_000_000_000_000;

/// The words that lines of the test framework begin with.
const WORDS: [&str; 11] = [
    "packet",
    "expect",
    "no_packet",
    "add",
    "setdefault",
    "remove",
    "member",
    "group",
    "check_counter",
    "check_register",
    "wait",
];

/// The form of the statement, for messages.
const ADD: &str = "add TABLE [PRIORITY] KEY:VALUE… ACTION(PARAMETER:VALUE, …) [= NAME]";
const SET_DEFAULT: &str = "setdefault TABLE ACTION(PARAMETER:VALUE, …)";
/// The form of the statement, for messages.
const MEMBER: &str = "member PROFILE ACTION(PARAMETER:VALUE, …) [= NAME]";
/// The form of the statement, for messages.
const GROUP: &str = "group SELECTOR MEMBER[:WEIGHT]… [= NAME]";

/// A line of a test, by its kind.
#[derive(Clone, Debug)]
pub(crate) enum Statement<'t> {
    Packet {
        port: Port,
        bytes: Vec<u8>,
    },
    Expect {
        port: Port,
        pattern: Pattern,
    },
    NoPacket,
    /// The table, the entry, and the name by which later lines can refer to it.
    Add {
        table: &'t str,
        entry: Entry<'t>,
        name: Option<&'t str>,
    },
    SetDefault {
        table: &'t str,
        target: Target<'t>,
    },
    /// The node's name, without `$`.
    Remove {
        name: &'t str,
    },
    RemoveAll,
    Member {
        profile: &'t str,
        call: Call<'t>,
        name: Option<&'t str>,
    },
    Group {
        selector: &'t str,
        members: Vec<GroupMember<'t>>,
        name: Option<&'t str>,
    },
    CheckCounter(Check<'t>),
    CheckRegister(Check<'t>),
    /// Waits until the switch holds no packet, or for this long.
    Wait(Option<Nanos>),
    /// A runtime command.
    Command(&'t str),
}

/// A table entry, as a line writes it.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'t> {
    pub priority: Option<u32>,
    /// The keys, and the values that the entry accepts for each of them.
    pub keys: Vec<(&'t str, &'t str)>,
    pub target: Target<'t>,
    /// The whole text.
    pub text: &'t str,
}

/// The target of an entry or of a default action, as a line writes it.
#[derive(Clone, Debug)]
pub(crate) enum Target<'t> {
    Call(Call<'t>),
    /// A member of the table's action profile, by name or number.
    Member(&'t str),
    /// A group of the table's selector, by name or number.
    Group(&'t str),
}

/// An action and its arguments, as a line writes them.
#[derive(Clone, Debug)]
pub(crate) struct Call<'t> {
    pub action: &'t str,
    pub args: Vec<Arg<'t>>,
    /// The whole text.
    pub text: &'t str,
}

/// An argument of an action, by position or by name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg<'t> {
    /// The argument of the parameter at its position.
    Positional(&'t str),
    /// The argument of a parameter that is named, and the value.
    Named {
        name: &'t str,
        value: &'t str,
        /// The whole argument. It may be an address such as `fe80::1`, if there is no such
        /// parameter.
        text: &'t str,
    },
}

/// A member of a group, by name or number, and its weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupMember<'t> {
    pub member: &'t str,
    pub weight: u32,
}

impl<'t> Statement<'t> {
    /// Reads a line without comment. `last_port` is the largest number of a port.
    pub(crate) fn read(line: &'t str, last_port: Port) -> Result<Self, PartMistake<'t>> {
        let (word, text) = split_word(line);
        Ok(match word.to_ascii_lowercase().as_str() {
            "packet" => {
                let (port, digits) = split_word(text);
                Self::Packet {
                    port: read_port(port, last_port)?,
                    bytes: read_hex(digits, "the packet").at_part(digits)?,
                }
            }
            "expect" => {
                let (port, digits) = split_word(text);
                let pattern = Pattern::read(digits).at_part(digits)?;
                Self::Expect { port: read_port(port, last_port)?, pattern }
            }
            "no_packet" if text.is_empty() => Self::NoPacket,
            "no_packet" => {
                let excess = shorten(text);
                let message =
                    format!("no_packet takes nothing, since it is about all ports: found \"{excess}\"");
                return Err(PartMistake { part: text, error: Error::new(message) });
            }
            "add" => parse_add(text)?,
            "setdefault" => {
                let (table, rest) = split_word(text);
                let (body, name) = split_name(rest)?;
                if let Some(name) = name {
                    let message =
                        format!("a default action takes no name, found \"= {name}\" ({SET_DEFAULT})");
                    return Err(PartMistake { part: name, error: Error::new(message) });
                }
                let (before, target) = split_target(body, SET_DEFAULT)?;
                if !before.trim().is_empty() {
                    return Err(unexpected_part(before.trim(), SET_DEFAULT));
                }
                Self::SetDefault { table: unquote(table), target }
            }
            "remove" if text.trim() == "all" => Self::RemoveAll,
            "remove" => Self::Remove { name: text.trim().trim_start_matches('$') },
            "member" => {
                let (profile, rest) = split_word(text);
                let (body, name) = split_name(rest)?;
                let (before, call) = split_call(body, MEMBER)?;
                if !before.trim().is_empty() {
                    return Err(unexpected_part(before.trim(), MEMBER));
                }
                Self::Member { profile: unquote(profile), call, name }
            }
            "group" => {
                let (selector, rest) = split_word(text);
                let (body, name) = split_name(rest)?;
                if body.is_empty() {
                    let message = format!("expected the members of the group ({GROUP})");
                    return Err(PartMistake { part: text, error: Error::new(message) });
                }
                let members = body.split_whitespace().map(group_member).collect::<Result<_, _>>()?;
                Self::Group { selector: unquote(selector), members, name }
            }
            "check_counter" => Self::CheckCounter(Check::counter(text)?),
            "check_register" => Self::CheckRegister(Check::register(text)?),
            "wait" => Self::Wait(parse_wait(text).at_part(text)?),
            _ if word != "help" && commands::command(word).is_some() => Self::Command(line),
            _ => return Err(PartMistake { part: word, error: unknown_word(word) }),
        })
    }
}

fn unknown_word(word: &str) -> Error {
    let error = Error::new(format!(
        "\"{}\" is neither a line of the test framework (packet, expect, add, …) nor a runtime command",
        shorten(word)
    ));
    let of_runtime = commands::commands().map(|command| command.name).filter(|name| *name != "help");
    match weir_suggest::nearest(word, WORDS.into_iter().chain(of_runtime)) {
        Some(near) => error.suggesting(near),
        None => error,
    }
}

fn unexpected_part<'t>(part: &'t str, usage: &str) -> PartMistake<'t> {
    PartMistake {
        part,
        error: Error::new(format!("expected one action, found also \"{}\" ({usage})", shorten(part))),
    }
}

fn read_port(text: &str, last: Port) -> Result<Port, PartMistake<'_>> {
    Ok(read_whole(text, "a port", 0, u64::from(last)).at_part(text)? as Port)
}

fn parse_wait(text: &str) -> Result<Option<Nanos>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    let wanted = WantedQuantity::time("wait").usual("s").example("1s");
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let quantity =
        if is_number { Quantity::in_usual_unit(text, wanted) } else { Quantity::read(text, wanted) };
    let time = quantity?.nanoseconds()?;
    if time > MAX_WAIT {
        let most = format_time(MAX_WAIT);
        return Err(Error::new(format!("wait: {text} is too long: at most {most}")));
    }
    Ok(Some(time))
}

fn parse_add(text: &str) -> Result<Statement<'_>, PartMistake<'_>> {
    let (table, rest) = split_word(text);
    let (body, name) = split_name(rest)?;
    let (before, target) = split_target(body, ADD)?;
    let (word, after) = split_word(before);
    // A priority is a separate word. A key is followed by a colon, possibly after a space.
    let is_key = word.is_empty() || word.contains(':') || after.starts_with(':');
    let (priority, mut keys_text) = if is_key { (None, before) } else { (Some(word), after) };
    let most = u64::from(MAX_PRIORITY) - 1;
    let priority = priority.map(|word| read_whole(word, "a priority", 0, most).at_part(word)).transpose()?;
    let mut keys = Vec::new();
    while !keys_text.trim().is_empty() {
        let (key, rest) = split_key(keys_text.trim_start())?;
        keys.push(key);
        keys_text = rest;
    }
    let priority = priority.map(|priority| priority as u32);
    Ok(Statement::Add { table: unquote(table), entry: Entry { priority, keys, target, text: body }, name })
}

/// Splits a text that begins with `KEY:VALUE` into the key, the value and the rest.
fn split_key(text: &str) -> Result<((&str, &str), &str), PartMistake<'_>> {
    let (word, _) = split_word(text);
    let usage_error = || PartMistake {
        part: word,
        error: Error::new(format!("expected KEY:VALUE, found \"{}\"", shorten(word))),
    };
    let from = text.strip_prefix('"').and_then(|rest| rest.find('"')).map_or(0, |close| close + 2);
    let colon = from + text[from..].find(':').ok_or_else(usage_error)?;
    let name = text[..colon].trim_end();
    if name.is_empty() || (from == 0 && name.contains(char::is_whitespace)) {
        return Err(usage_error());
    }
    let (value, rest) = split_word(&text[colon + 1..]);
    if value.is_empty() { Err(usage_error()) } else { Ok(((unquote(name), value), rest)) }
}

/// Splits the end of a line at `= NAME` into the text before it and the name.
fn split_name(text: &str) -> Result<(&str, Option<&str>), PartMistake<'_>> {
    let Some((body, name)) = text.rsplit_once('=').filter(|(body, _)| !body.ends_with(['=', '!', '<', '>']))
    else {
        return Ok((text.trim(), None));
    };
    let name = name.trim().trim_start_matches('$');
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        let error = Error::new(format!("expected a name after =, found \"{}\"", shorten(name)));
        return Err(PartMistake { part: if name.is_empty() { text } else { name }, error });
    }
    Ok((body.trim(), Some(name)))
}

/// Splits a line into the text before the action, the member or the group at its end, and that
/// target.
fn split_target<'t>(text: &'t str, usage: &str) -> Result<(&'t str, Target<'t>), PartMistake<'t>> {
    if text.ends_with(')') {
        let (before, call) = split_call(text, usage)?;
        return Ok((before, Target::Call(call)));
    }
    let mut words = text.rsplitn(3, char::is_whitespace);
    let (name, word) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let before = words.next().unwrap_or_default();
    match word {
        "member" => Ok((before, Target::Member(name))),
        "group" => Ok((before, Target::Group(name))),
        _ => Err(no_action(text, usage)),
    }
}

fn no_action<'t>(text: &'t str, usage: &str) -> PartMistake<'t> {
    let excess = shorten(text.trim());
    let error = Error::new(format!(
        "expected an action such as forward(port:1) at the end, found \"{excess}\" ({usage})"
    ));
    PartMistake { part: text.trim(), error }
}

/// Returns the text before the call at the end, and the call. Its argument list may follow its
/// action after spaces.
fn split_call<'t>(text: &'t str, usage: &str) -> Result<(&'t str, Call<'t>), PartMistake<'t>> {
    let missing = || no_action(text, usage);
    let inside = text.trim_end().strip_suffix(')').ok_or_else(missing)?;
    let open = inside.rfind('(').ok_or_else(missing)?;
    let before = text[..open].trim_end();
    let start =
        before.rfind(|c: char| c.is_whitespace() || matches!(c, '(' | ':' | '=')).map_or(0, |at| at + 1);
    let action = unquote(&before[start..]);
    if action.is_empty() {
        return Err(missing());
    }
    let inside = inside[open + 1..].trim();
    let args = inside.split(',').map(str::trim).filter(|_| !inside.is_empty());
    let args = args.map(|part| if part.is_empty() { Err(missing_argument(inside)) } else { arg(part) });
    let args = args.collect::<Result<Vec<_>, _>>()?;
    Ok((&text[..start], Call { action, args, text: text[start..].trim() }))
}

fn missing_argument(arguments: &str) -> PartMistake<'_> {
    let error = Error::new(format!("expected an argument at each comma, found \"{}\"", shorten(arguments)));
    PartMistake { part: arguments, error }
}

/// Reads an argument: `PARAMETER:VALUE`, or a value. The text before a colon is a
/// name if it begins with a letter, `_`, `$` or a quote.
fn arg(text: &str) -> Result<Arg<'_>, PartMistake<'_>> {
    let starts_as_name = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '"'));
    let Some((name, value)) = text.split_once(':').filter(|_| starts_as_name) else {
        return Ok(Arg::Positional(text));
    };
    let (name, value) = (unquote(name.trim()), value.trim());
    if value.is_empty() {
        let error = Error::new(format!("expected PARAMETER:VALUE between the brackets, found \"{text}\""));
        return Err(PartMistake { part: text, error });
    }
    Ok(Arg::Named { name, value, text })
}

/// Returns whether the text is an IPv6 or MAC address that begins with a letter.
pub(crate) fn is_address(text: &str) -> bool {
    text.parse::<std::net::Ipv6Addr>().is_ok()
        || (text.len() == 17
            && text.split(':').all(|part| part.len() == 2 && u8::from_str_radix(part, 16).is_ok()))
}

fn group_member(word: &str) -> Result<GroupMember<'_>, PartMistake<'_>> {
    let (member, weight) = word.split_once(':').unwrap_or((word, "1"));
    Ok(GroupMember {
        member,
        weight: read_whole(weight, "a weight", 1, u64::from(u32::MAX)).at_part(word)? as u32,
    })
}
