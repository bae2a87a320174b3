//! Compiles the program in `p4_device_config`, which controllers send in several forms.
//!
//! | the controller sends | the switch runs |
//! |---|---|
//! | the text of a P4_16 program | that program |
//! | the text of Weir's IR | that program |
//! | JSON of our `p4c` | the program in its member `weir` |
//! | p4c's JSON for BMv2 | the program that the JSON describes |
//! | PI's message `P4DeviceConfig` | the program in its `device_data` |
//! | nothing | the program that already runs |

use std::path::PathBuf;

use prost::Message;
use weir_ir::ValidProgram;
use weir_load::{Compiled, FileLoader, JsonProgram, check_length};
use weir_syntax::Severity;
use weir_syntax::preprocess::SourceLoader;

use crate::confined::ConfinedLoader;

/// The files that controllers' programs may use. An implementation must open only files in folders
/// that its owner names. It receives only names that end in `.p4` or `.h` and do not leave the
/// folder. Diagnostics show lines of these files.
pub trait ProgramFiles: Send + Sync + 'static {
    /// Returns a loader for the files that a program includes. The program has the name `name` and
    /// the text `text`.
    fn loader(&self, name: &str, text: &str) -> Box<dyn SourceLoader>;
}

/// The P4 files in these folders. The folders are searched in order.
#[derive(Clone, Debug, Default)]
pub struct Folders(pub Vec<PathBuf>);

impl ProgramFiles for Folders {
    fn loader(&self, name: &str, text: &str) -> Box<dyn SourceLoader> {
        let root = (name.to_owned(), text.to_owned());
        Box::new(FileLoader { root, folders: self.0.clone(), is_confined: true })
    }
}

/// A program in the form in which a controller sent it.
#[derive(Debug, PartialEq, Eq)]
enum Form<'a> {
    Nothing,
    P4(&'a str),
    Ir(&'a str),
    Json(&'a str),
}

/// The maximum number of a program's errors that its controller receives.
const MAX_ERRORS: usize = 10;

/// The field of P4Runtime that holds the program.
pub const FIELD: &str = "p4_device_config";

/// Compiles the program that a controller sent in a field with the name `what`. Returns `None` if
/// it sent no bytes.
///
/// # Errors
/// The program cannot run. The message says why, and how to send one that can.
pub fn compile(what: &str, bytes: &[u8], files: &dyn ProgramFiles) -> Result<Option<ValidProgram>, String> {
    let wrapped = unwrap(bytes);
    match form(what, wrapped.as_deref().unwrap_or(bytes))? {
        Form::Nothing => Ok(None),
        Form::P4(text) => compile_p4(&format!("{what}.p4"), text, files).map(Some),
        Form::Ir(text) => read_ir(what, text).map(Some),
        Form::Json(text) => {
            let read = match JsonProgram::read(what, text)? {
                JsonProgram::Carried(program) => {
                    weir_load::compile(&program.name, &program, &program.defines)
                }
                JsonProgram::Bmv2(program) => weir_load::from_other_compiler(program, Vec::new()),
            };
            compiled_program(read).map(Some)
        }
    }
}

/// Compiles a program. `name` names the program in diagnostics.
fn compile_p4(name: &str, text: &str, files: &dyn ProgramFiles) -> Result<ValidProgram, String> {
    let loader = files.loader(name, text);
    compiled_program(weir_load::compile(name, &ConfinedLoader(&*loader), &[]))
}

fn compiled_program(compiled: Compiled) -> Result<ValidProgram, String> {
    compiled.program.ok_or_else(|| {
        let sorted = compiled.diagnostics.sorted(&compiled.sources);
        let errors = sorted.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let mut message = "the program does not compile".to_owned();
        // Clients receive only the start of the message, and quoting long lines takes time.
        for error in errors.take(MAX_ERRORS) {
            message.push('\n');
            message.push_str(&error.render(&compiled.sources, false));
        }
        message
    })
}

fn read_ir(what: &str, text: &str) -> Result<ValidProgram, String> {
    check_length(what, text)?;
    let program = weir_ir::text::parse(text).map_err(|error| format!("{what} is not an IR: {error}"))?;
    let program = weir_ir::validate(program).map_err(|violations| {
        let texts: Vec<String> = violations.iter().take(8).map(ToString::to_string).collect();
        format!("{what} is IR that is not valid: {}", texts.join("; "))
    })?;
    weir_switch::arch::bind(program).map_err(|error| error.to_string())
}

fn form<'b>(what: &str, bytes: &'b [u8]) -> Result<Form<'b>, String> {
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0')) else {
        return Err(format!(
            "{what} is binary ({} bytes); send the text of the P4 program, raw or in the \
             device_data of a p4.tmp.P4DeviceConfig",
            bytes.len()
        ));
    };
    let first = code(text);
    Ok(match () {
        () if first.is_empty() => Form::Nothing,
        () if first.starts_with('{') => Form::Json(text),
        () if IR_STARTS.iter().any(|start| first.starts_with(start)) => Form::Ir(text),
        () => Form::P4(text),
    })
}

/// The first characters of the IR's text form. No P4 program begins with them.
const IR_STARTS: [&str; 2] = ["file \"", "errors {"];

/// Returns the text without the spaces and comments at its start.
fn code(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches('\u{feff}').trim_start();
        let rest = match () {
            () if text.starts_with("//") => text.split_once('\n').map(|(_, rest)| rest),
            () if text.starts_with("/*") => text.split_once("*/").map(|(_, rest)| rest),
            () => return text,
        };
        text = rest.unwrap_or_default();
    }
}

/// The message `P4DeviceConfig` of PI's current version.
#[derive(Clone, PartialEq, Message)]
struct P4DeviceConfig {
    #[prost(bool, tag = "1")]
    reassign: bool,
    #[prost(message, optional, tag = "2")]
    extras: Option<Extras>,
    #[prost(bytes = "vec", tag = "3")]
    device_data: Vec<u8>,
}

/// The message `P4DeviceConfig` of PI's first version.
#[derive(Clone, PartialEq, Message)]
struct FirstP4DeviceConfig {
    #[prost(message, optional, tag = "1")]
    extras: Option<Extras>,
    #[prost(bytes = "vec", tag = "2")]
    device_data: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct Extras {
    #[prost(btree_map = "string, string", tag = "1")]
    kv: std::collections::BTreeMap<String, String>,
}

/// Returns the `device_data` of a `P4DeviceConfig`; `None` if the bytes are something else.
fn unwrap(bytes: &[u8]) -> Option<Vec<u8>> {
    // The message begins with the tag of field 1, 2 or 3. These tags are control characters, and no
    // text begins with one.
    if !matches!(bytes.first()?, 0x08 | 0x12 | 0x1a) {
        return None;
    }
    let now = P4DeviceConfig::decode(bytes).ok().map(|config| config.device_data);
    let first = || FirstP4DeviceConfig::decode(bytes).ok().map(|config| config.device_data);
    now.filter(|program| !program.is_empty()).or_else(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_differ_in_how_they_begin() {
        assert_eq!(form(FIELD, b" \n// nothing\n"), Ok(Form::Nothing));
        assert_eq!(form(FIELD, b"\n{\"program\": 1}"), Ok(Form::Json("\n{\"program\": 1}")));
        assert_eq!(form(FIELD, b"/* IR */ file \"a.p4\""), Ok(Form::Ir("/* IR */ file \"a.p4\"")));
        assert_eq!(
            form(FIELD, b"// errors {\n#include <core.p4>"),
            Ok(Form::P4("// errors {\n#include <core.p4>"))
        );
        assert!(form(FIELD, b"\xff\xfe").unwrap_err().contains("binary (2 bytes)"));
    }

    #[test]
    fn both_forms_of_the_wrapper_are_opened() {
        let now = P4DeviceConfig { reassign: true, extras: None, device_data: b"x".to_vec() };
        let bare = P4DeviceConfig { reassign: false, ..now.clone() };
        let first = FirstP4DeviceConfig { extras: None, device_data: b"x".to_vec() };
        for bytes in [now.encode_to_vec(), bare.encode_to_vec(), first.encode_to_vec()] {
            assert_eq!(unwrap(&bytes).as_deref(), Some(b"x".as_slice()), "{bytes:?}");
        }
        assert_eq!(unwrap(b"#include <core.p4>"), None);
        assert_eq!(unwrap(b""), None);
    }
}
