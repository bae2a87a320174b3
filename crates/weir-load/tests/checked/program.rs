//! Checks programs that tests write.

use std::fs;
use std::path::{Path, PathBuf};

use weir_ir::Program;
use weir_load::{Checked, check};
use weir_switch::arch;
use weir_switch::p4info::{P4Info, P4InfoError};
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};

/// Returns the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One text as `main.p4`, and the files that it may include.
pub struct Text(pub String);

impl SourceLoader for Text {
    fn load(&self, name: &str, _: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let shipped = || {
            let folders = ["p4include", "testdata/lower"];
            folders.iter().find_map(|folder| fs::read_to_string(root().join(folder).join(name)).ok())
        };
        let text = if from.is_none() { Some(self.0.clone()) } else { shipped() };
        text.map(|text| LoadedSource { name: name.to_owned(), text })
            .ok_or(LoadError::NotFound { searched: Vec::new() })
    }
}

/// Returns the program with this text, checked.
pub fn checked(text: &str) -> Checked {
    check("main.p4", &Text(text.to_owned()), &[], p4info, None)
}

/// Returns the mistakes in the ids of a program.
pub fn p4info(program: &Program) -> Vec<P4InfoError> {
    P4Info::new(program, arch::control_view(program)).err().unwrap_or_default()
}
