//! The files that programs of controllers may include.

use weir_p4runtime::ProgramFiles;
use weir_syntax::preprocess::{MemoryLoader, SourceLoader};

/// Provides the standard includes and one P4 program.
pub struct Files;

impl ProgramFiles for Files {
    fn loader(&self, name: &str, text: &str) -> Box<dyn SourceLoader> {
        Box::new(
            MemoryLoader::new()
                .with(name, text)
                .with("secret.txt", "nobody reads this\n")
                .with("core.p4", include_str!("../../../../../p4include/core.p4"))
                .with("v1model.p4", include_str!("../../../../../p4include/v1model.p4")),
        )
    }
}
