//! Writes texts in Lua scripts.

use std::fmt::Write as _;

use weir_ir::Bits;

/// Quotes a text. Names of programs may contain any characters, so everything that could end the
/// string or mislead a terminal is escaped.
pub(crate) fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            c if is_plain(c) => literal.push(c),
            c => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(literal, "\\{byte:03}");
                }
            }
        }
    }
    literal.push('"');
    literal
}

/// Makes a text fit for a comment of one line: `?` replaces other characters.
pub(crate) fn comment(text: &str) -> String {
    text.chars().map(|c| if is_plain(c) { c } else { '?' }).collect()
}

/// Returns whether a character neither controls a terminal nor changes the direction or the look of
/// text.
fn is_plain(c: char) -> bool {
    c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric()
}

/// Writes a list of quoted texts.
pub(crate) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let quoted: Vec<String> = texts.into_iter().map(quoted).collect();
    format!("{{ {} }}", quoted.join(", "))
}

/// Writes a constant of any width.
pub(crate) fn constant(value: &Bits) -> String {
    let digits: String = value.to_be_bytes().iter().map(|byte| format!("{byte:02X}")).collect();
    format!("x(\"{digits}\", {})", value.width())
}

/// Lines of code with their indentation.
#[derive(Default)]
pub(crate) struct Lines {
    text: String,
    indent: usize,
}

impl Lines {
    /// Adds a line with the current indentation.
    pub(crate) fn add(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{:1$}{2}", "", self.indent * 4, line.as_ref());
    }

    /// Adds lines that are indented further, between an opening and a closing line.
    pub(crate) fn nested(&mut self, open: impl AsRef<str>, close: &str, body: impl FnOnce(&mut Self)) {
        self.add(open);
        self.indent += 1;
        body(self);
        self.indent -= 1;
        self.add(close);
    }

    /// Returns the text of all lines.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
