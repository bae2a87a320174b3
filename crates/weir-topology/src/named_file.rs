//! Files that a document names.

use weir_json::{Diagnostic, Node};

use crate::Files;
use crate::text::show_text;

/// Returns a switch's own program: its source, or the compiled program that the tutorials name
/// (`build/X.json`). If the program has not been compiled yet, its source `X.p4` is used.
pub(crate) fn program_file(node: Node<'_>, files: &Files<'_>) -> Result<String, Diagnostic> {
    let expected = "the file name of a P4 program";
    let name = node.text(expected)?;
    let Some(stem) = name.strip_suffix(".json") else { return file(node, files, expected) };
    if let Some(compiled) = files.find(name) {
        return Ok(compiled);
    }
    let source = format!("{}.p4", stem.rsplit('/').next().unwrap_or_default());
    files.find(&source).ok_or_else(|| {
        node.error(format!(
            "there is no compiled program \"{}\", and no {} to compile next to {}, in the parent folder or in the \
             current one",
            show_text(name),
            show_text(&source),
            files.topology(),
        ))
    })
}

/// Reads the path of a file that a topology names.
pub(crate) fn file(node: Node<'_>, files: &Files<'_>, what: &str) -> Result<String, Diagnostic> {
    let name = node.text(what)?;
    files.find(name).ok_or_else(|| {
        node.error_with_suggestion(
            format!(
                "there is no file \"{}\" next to {}, in the parent folder or in the current one",
                show_text(name),
                files.topology(),
            ),
            files.nearest_name(name),
        )
    })
}
