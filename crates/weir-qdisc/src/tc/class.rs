//! `tc class`: classes of HTB.

use super::error::TcError;
use super::words::Words;

/// The settings that a command gives for a class; the others have HTB's defaults.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClassSettings {
    pub(super) rate: u64,
    pub(super) ceil: Option<u64>,
    pub(super) burst: Option<u64>,
    pub(super) cburst: Option<u64>,
    pub(super) priority: u8,
    pub(super) quantum: Option<u32>,
}

/// The options of an HTB class.
const KNOWN: [&str; 6] = ["rate", "ceil", "burst", "cburst", "prio", "quantum"];

/// Reads the settings of a class. Returns `None` for a command without settings, such as a
/// deletion.
pub(super) fn read(words: &mut Words<'_>) -> Result<Option<ClassSettings>, TcError> {
    match words.next() {
        None => return Ok(None),
        Some("htb") => {}
        Some(kind) => return Err(words.unknown("a class of the kind", kind, &["htb"])),
    }
    let mut rate = None;
    let mut settings =
        ClassSettings { rate: 0, ceil: None, burst: None, cburst: None, priority: 0, quantum: None };
    while let Some(word) = words.next() {
        match word {
            "rate" => rate = Some(words.rate(word)?),
            "ceil" => settings.ceil = Some(words.rate(word)?),
            "burst" | "buffer" | "maxburst" => settings.burst = Some(words.size(word)?),
            "cburst" | "cbuffer" | "cmaxburst" => settings.cburst = Some(words.size(word)?),
            "prio" => settings.priority = words.integer(word)?,
            "quantum" => {
                let bytes = words.size(word)?;
                settings.quantum = Some(bytes.try_into().unwrap_or(u32::MAX));
            }
            _ => return Err(words.unknown("htb class's option", word, &KNOWN)),
        }
    }
    settings.rate = rate.ok_or_else(|| words.error("an htb class needs a rate"))?;
    Ok(Some(settings))
}
