//! Log lines of services on standard error.
//!
//! - **Comes in:** what crates log with `tracing`, and a level.
//! - **Goes out:** lines of text or JSON. Names of programs, interfaces and peers are other
//!   people's text: their control characters are shown, and control no terminal.
//! - **Independent of:** what the services do.

use std::io::{self, IsTerminal, Write};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

pub use tracing_subscriber::filter::LevelFilter;

/// Writes log lines to standard error from now on: those of the crate `own` from `level` on, and
/// warnings of all others, because libraries log much that is not useful here.
pub fn start_logging(own: &'static str, level: LevelFilter, json: bool) {
    let colours = io::stderr().is_terminal() && !json;
    let levels = Targets::new().with_default(LevelFilter::WARN).with_target(own, level);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(move || VisibleLines { own: io::stderr(), colours })
        .with_ansi(colours)
        .with_target(false);
    let registry = tracing_subscriber::registry().with(levels);
    // This fails if a program that uses this crate has already started to log.
    let _ = if json { registry.with(lines.json()).try_init() } else { registry.with(lines).try_init() };
}

/// Returns the exit code of a program that ends after it printed a text about its command line:
/// `code`, or 1 if `code` is 0 and the text could not be printed. Writes the reason to standard
/// error, unless the reader of the text has left.
pub fn code_after_text(printed: io::Result<()>, code: i32) -> u8 {
    match printed {
        Err(error) if code == 0 => {
            if error.kind() != io::ErrorKind::BrokenPipe {
                let reason = error.to_string();
                let reason = reason.split(" (os error").next().unwrap_or_default();
                let _ = writeln!(io::stderr(), "error: {reason}");
            }
            1
        }
        _ => u8::try_from(code).unwrap_or(2),
    }
}

/// A writer of events, each of which is written at once.
struct VisibleLines<W> {
    own: W,
    /// Whether the colours that the events contain stay.
    colours: bool,
}

impl<W: Write> Write for VisibleLines<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.own.write_all(visible(&String::from_utf8_lossy(event), self.colours).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.own.flush()
    }
}

/// Returns the text of an event with control characters as escapes such as `\x1b`, which JSON takes
/// above 0x7e. Lines after the first are indented, so that none of them looks like another event.
fn visible(event: &str, colours: bool) -> String {
    let (text, end) = event.strip_suffix('\n').map_or((event, ""), |text| (text, "\n"));
    let mut visible_text = String::with_capacity(event.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if colours { colour(rest) } else { 0 };
        if length > 0 {
            visible_text.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' => visible_text.push_str("\n    "),
            '\t' => visible_text.push(c),
            '\r' => visible_text.push_str("\\r"),
            '\0'..'\x20' => visible_text.push_str(&format!("\\x{:02x}", u32::from(c))),
            // Also what changes the direction of text or ends a line.
            '\x7f'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => visible_text.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => visible_text.push(c),
        }
    }
    visible_text + end
}

/// Returns the length in bytes of the colour (SGR, ECMA-48 section 8.3.117) with which a text
/// begins; 0 without a colour.
fn colour(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\x1b[") else { return 0 };
    match parameters.find(|c: char| !c.is_ascii_digit() && c != ';') {
        Some(end) if end <= 20 && parameters[end..].starts_with('m') => 2 + end + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    const EVIL: &str = "s1\x1b]0;owned\x07\x1b[2J\x1b[31m\u{9b}1m\r\x08\u{202e}\n2026-01-01 INFO forged\0";

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns what is written for an event with a hostile name in its message and in its fields.
    fn logged(json: bool, colours: bool) -> String {
        let memory = Memory::default();
        let output = memory.clone();
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(move || VisibleLines { own: output.clone(), colours })
            .with_ansi(colours);
        let registry = tracing_subscriber::registry();
        let log = || tracing::warn!(switch = EVIL, error = %EVIL, "{EVIL}");
        if json {
            tracing::subscriber::with_default(registry.with(lines.json()), log);
        } else {
            tracing::subscriber::with_default(registry.with(lines), log);
        }
        let bytes = memory.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    fn controls(text: &str) -> usize {
        text.chars().filter(|&c| c.is_control() && c != '\n' || c == '\u{202e}').count()
    }

    #[test]
    fn hostile_names_control_no_terminal() {
        let text = logged(false, false);
        assert_eq!(controls(&text), 0, "{text:?}");
        let forged = text.lines().filter(|line| line.contains("forged"));
        assert!(forged.clone().count() > 0 && !forged.into_iter().any(|line| line.starts_with("2026-01-01")));
        // Only the colours of the log itself remain.
        let coloured = logged(false, true);
        let escapes = coloured.matches('\x1b').count();
        assert!(escapes > 0 && escapes == controls(&coloured), "{coloured:?}");
        assert!(!coloured.contains("\x1b]") && !coloured.contains("\x1b[2J"), "{coloured:?}");
    }

    #[test]
    fn lines_of_json_are_still_json() {
        let line = logged(true, false);
        assert_eq!((controls(&line), line.matches('\n').count()), (0, 1), "{line:?}");
        let event: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(event["fields"]["switch"], EVIL);
    }

    #[test]
    fn readable_text_stays() {
        assert_eq!(visible("a\tb é → 日本\n", false), "a\tb é → 日本\n");
        assert_eq!(visible("error: x\n --> y\n", false), "error: x\n     --> y\n");
        assert_eq!(visible("\x1b[1;31mred\x1b[0m \x1b[2J", true), "\x1b[1;31mred\x1b[0m \\x1b[2J");
        assert_eq!(visible("\x1b[1;31mred", false), "\\x1b[1;31mred");
    }
}
