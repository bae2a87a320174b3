//! Formats steps as text, one per line, for tests in Rust and for logs. Users see a tree, which the
//! Python package draws.

use std::fmt;

use super::{Argument, CopyKind, Field, Step, StepKind};

impl fmt::Display for Step {
    /// Writes one line: the time in nanoseconds, the number of the packet or copy, what happened,
    /// and the place in the source.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8} #{} {}", self.time, self.copy, self.what)?;
        match &self.place {
            Some(place) => write!(f, "  ({place})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{} = ", self.name)?;
        }
        self.value_text(f)
    }
}

impl Field {
    fn value_text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.label {
            Some(label) => f.write_str(label),
            None => write!(f, "{:#}", self.value),
        }
    }
}

fn list<T: fmt::Display>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fields(fields) if fields.len() == 1 => fields[0].value_text(f),
            Self::Fields(fields) => write!(f, "{{{}}}", list(fields)),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Object(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for CopyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IngressClone { session } => write!(f, "clone of ingress, session {session}"),
            Self::EgressClone { session } => write!(f, "clone of egress, session {session}"),
            Self::Replica { port, rid } => write!(f, "replica for port {port}, rid {rid}"),
        }
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Received { port, bytes } => write!(f, "received on port {port}, {} bytes", bytes.len()),
            Self::Copied { from, how } => write!(f, "copied from #{from}: {how}"),
            Self::PassStarted => f.write_str("pass starts"),
            Self::Block(name) => f.write_str(name),
            Self::State(name) => write!(f, "state {name}"),
            Self::Extracted { header, fields } => write!(f, "extracted {header} {{{}}}", list(fields)),
            Self::Transition { to, keys } if keys.is_empty() => write!(f, "to {to}"),
            Self::Transition { to, keys } => {
                let keys: Vec<_> = keys.iter().map(|key| format!("{key:#}")).collect();
                write!(f, "select {} to {to}", keys.join(", "))
            }
            Self::ParserError(error) => write!(f, "parser error {error}"),
            Self::Applied { table, keys, hit, entry, action, args } => {
                write!(f, "table {table} [{}]: {}", list(keys), if *hit { "hit" } else { "miss" })?;
                if let Some(entry) = entry {
                    write!(f, " entry {}", entry.handle)?;
                }
                write!(f, ", {action}({})", list(args))
            }
            Self::Selected { table, group, member, choice } => {
                write!(f, "table {table} selects ")?;
                match member {
                    Some(member) => write!(f, "member {member}")?,
                    None => f.write_str("nobody")?,
                }
                group.map_or(Ok(()), |group| write!(f, " of group {group}"))?;
                choice.map_or(Ok(()), |choice| write!(f, ", one of {}", choice.options))
            }
            Self::Action { action, args } => write!(f, "action {action}({})", list(args)),
            Self::ActionEnded => f.write_str("action ends"),
            Self::Assigned { now, before } => {
                write!(f, "{}: ", now.name)?;
                before.value_text(f)?;
                f.write_str(" -> ")?;
                now.value_text(f)
            }
            Self::AssignedInvalid(field) => write!(f, "{field}, but the header is invalid"),
            Self::Validity { header, valid } => {
                write!(f, "{header} is {} now", if *valid { "valid" } else { "invalid" })
            }
            Self::Branch(taken) => write!(f, "condition is {taken}"),
            Self::Switched { value, case } => {
                write!(f, "switch on {value:#}: {}", if *case { "case" } else { "default" })
            }
            Self::Called { callee, object, args } => {
                if let Some(object) = object {
                    write!(f, "{object}: ")?;
                }
                let args: Vec<_> = args.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                write!(f, "call {callee}({})", args.join(", "))
            }
            Self::Returned => f.write_str("returns"),
            Self::Logged(line) => write!(f, "log: {line}"),
            Self::Digested { receiver, fields } => write!(f, "digest to {receiver}: {}", list(fields)),
            Self::Drawn { value, low, high, .. } => write!(f, "drawn {value:#} of {low:#} to {high:#}"),
            Self::Verified { given, computed } => write!(f, "checksum {given:#}, computed {computed:#}"),
            Self::Emitted { header, fields } => write!(f, "emitted {header} {{{}}}", list(fields)),
            Self::NotCloned { session } => write!(f, "no clone: there is no session {session}"),
            Self::Multicast { group, copies } => write!(f, "multicast group {group}: {copies} copies"),
            Self::Queued { port, priority } => write!(f, "queued for port {port}, priority {priority}"),
            Self::Dequeued { port, waited } => write!(f, "left the queue of port {port} after {waited} ns"),
            Self::Recirculated => f.write_str("recirculated"),
            Self::Resubmitted => f.write_str("resubmitted"),
            Self::Transmitted { port, bytes } => write!(f, "sent from port {port}, {} bytes", bytes.len()),
            Self::Dropped { place, reason } => write!(f, "dropped at {place}: {reason}"),
        }
    }
}
