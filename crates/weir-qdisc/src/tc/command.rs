//! The parser of `tc` commands.

use super::class::{self, ClassSettings};
use super::error::TcError;
use super::filter::{self, FilterSettings};
use super::kinds::{self, Kind};
use super::words::Words;

/// A parsed `tc` command.
#[derive(Clone, Debug, PartialEq)]
pub struct TcCommand {
    pub(super) line: String,
    pub(super) device: Option<String>,
    pub(super) verb: Verb,
    /// Whether a `show` command also prints statistics.
    pub(super) statistics: bool,
    pub(super) parent: Option<Parent>,
    pub(super) object: Object,
}

/// The action of a `tc` command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Add,
    Replace,
    Change,
    Delete,
    Show,
}

/// Where a command places a discipline, class or filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    Root,
    /// For example `1:10`; the minor number 0 means the discipline `1:` itself.
    Id(u16, u16),
}

/// The object of a `tc` command: a discipline, a class or a filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    Qdisc { handle: Option<u16>, kind: Option<Kind> },
    Class { id: (u16, u16), settings: Option<ClassSettings> },
    Filter { priority: Option<u32>, settings: Option<FilterSettings> },
}

impl TcCommand {
    /// Parses a command, with or without a leading `tc` (and `sudo`).
    ///
    /// # Errors
    /// The command is not valid; the error names the word.
    pub fn parse(line: &str) -> Result<Self, TcError> {
        let mut words = Words::new(line);
        for front in ["sudo", "tc"] {
            if words.peek() == Some(front) {
                words.next();
            }
        }
        TcCommand::read(words, true)
    }

    /// Parses a change of a queue that the caller names: the root discipline, such as `fq_codel
    /// target 5ms`, or a command without `tc` and without `dev`, such as `class add parent 1:
    /// classid 1:10 htb rate 5mbit`.
    ///
    /// # Errors
    /// The text is not valid; the error names the word.
    pub fn parse_for_queue(text: &str) -> Result<Self, TcError> {
        let words = Words::new(text);
        let command = match words.peek() {
            Some("qdisc" | "class" | "filter") => TcCommand::read(words, false)?,
            _ => TcCommand::read(words.preceded_by(&["qdisc", "add", "root"]), false)?,
        };
        if command.device.is_some() {
            return Err(command.error("leave out `dev`: the queue is known"));
        }
        if command.is_show() {
            return Err(command.error("expected a change: add, replace, change or del"));
        }
        if matches!(command.object, Object::Qdisc { kind: None, .. }) && command.verb != Verb::Delete {
            return Err(command.error("missing discipline: expected one such as `fq_codel`"));
        }
        Ok(command)
    }

    /// Reads the words of a command.
    fn read(mut words: Words<'_>, needs_device: bool) -> Result<Self, TcError> {
        let mut statistics = false;
        while let Some(option) = words.peek().filter(|word| word.starts_with('-')) {
            match option {
                "-s" | "-stats" | "-statistics" => statistics = true,
                "-d" | "-details" | "-p" | "-pretty" => {}
                _ => return Err(words.unknown("option", option, &["-s", "-d", "-p"])),
            }
            words.next();
        }
        let object = words.argument_of("tc")?;
        if !["qdisc", "class", "filter"].contains(&object) {
            return Err(words.unknown("object", object, &["qdisc", "class", "filter"]));
        }
        let verb = match words.next() {
            Some("add") => Verb::Add,
            Some("replace") => Verb::Replace,
            Some("change") => Verb::Change,
            Some("del" | "delete") => Verb::Delete,
            Some("show" | "list" | "ls") | None => Verb::Show,
            Some(other) => {
                return Err(words.unknown("command", other, &["add", "replace", "change", "del", "show"]));
            }
        };
        let (mut device, mut parent, mut handle, mut class) = (None, None, None, None);
        let (mut priority, mut protocol) = (None, None);
        loop {
            match words.peek() {
                Some("dev") => device = Some(word_after(&mut words)?),
                Some("root") => {
                    words.next();
                    parent = Some(Parent::Root);
                }
                Some("parent") => {
                    let (major, minor) = words.id("parent")?;
                    parent = Some(Parent::Id(major, minor));
                }
                Some("handle") if object == "qdisc" => {
                    let (major, minor) = words.id("handle")?;
                    if minor != 0 {
                        return Err(words.error("a discipline's handle ends in a colon, such as `1:`"));
                    }
                    handle = Some(major);
                }
                Some("classid") if object == "class" => class = Some(words.id("classid")?),
                Some("protocol") if object == "filter" => protocol = Some(word_after(&mut words)?),
                Some(word @ ("prio" | "pref" | "priority")) if object == "filter" => {
                    words.next();
                    priority = Some(words.integer(word)?);
                }
                _ => break,
            }
        }
        if needs_device && device.is_none() && verb != Verb::Show {
            return Err(words.error("missing device: expected `dev eth0`"));
        }
        let object = match object {
            "qdisc" if verb == Verb::Show => Object::Qdisc { handle, kind: None },
            "qdisc" => Object::Qdisc { handle, kind: kinds::read(&mut words)? },
            "class" if verb == Verb::Show => Object::Class { id: (0, 0), settings: None },
            "class" => {
                let id = class.ok_or_else(|| words.error("missing class: expected `classid 1:10`"))?;
                Object::Class { id, settings: class::read(&mut words)? }
            }
            _ if verb == Verb::Show => Object::Filter { priority, settings: None },
            _ => Object::Filter { priority, settings: filter::read(&mut words, protocol.as_deref())? },
        };
        match words.peek() {
            None => Ok(TcCommand { line: words.line().to_owned(), device, verb, statistics, parent, object }),
            Some(word) => Err(words.error(format!("unexpected word `{word}`"))),
        }
    }

    /// Returns the interface that the command names, such as `eth0`; `None` for a `show` command
    /// for all interfaces.
    pub fn device(&self) -> Option<&str> {
        self.device.as_deref()
    }

    /// Returns whether the command only shows the current state.
    pub fn is_show(&self) -> bool {
        self.verb == Verb::Show
    }

    /// Returns an error about the whole command.
    pub(super) fn error(&self, message: impl std::fmt::Display) -> TcError {
        TcError { line: self.line.clone(), message: message.to_string(), suggestion: None }
    }
}

fn word_after(words: &mut Words<'_>) -> Result<String, TcError> {
    let command = words.argument_of("tc")?;
    words.argument_of(command).map(str::to_owned)
}
