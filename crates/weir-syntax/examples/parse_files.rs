//! Parses P4 files and prints them again: `parse_files [-I DIR] FILE…`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example for the command line reads files and prints"
)]

use std::path::{Path, PathBuf};
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};
use weir_syntax::{Diagnostics, SourceMap, ast, print};

struct Folders(Vec<PathBuf>);

impl SourceLoader for Folders {
    fn load(&self, name: &str, angled: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let including_folder = from.and_then(|f| Path::new(f).parent()).map(Path::to_path_buf);
        let first = if angled { None } else { including_folder.or(Some(PathBuf::new())) };
        for folder in first.iter().chain(&self.0) {
            let path = folder.join(name);
            if path.is_file() {
                let text =
                    std::fs::read_to_string(&path).map_err(|e| LoadError::Unreadable(e.to_string()))?;
                return Ok(LoadedSource { name: path.display().to_string(), text });
            }
        }
        Err(LoadError::NotFound { searched: self.0.iter().map(|p| p.display().to_string()).collect() })
    }
}

fn main() {
    let mut folders = Vec::new();
    let mut files = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        if arg == "-I" { folders.extend(args.next().map(PathBuf::from)) } else { files.push(arg) }
    }
    let loader = Folders(folders);
    let (mut accepted, mut changed) = (0, 0);
    for file in &files {
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let program = weir_syntax::parse(file, &loader, &[], &mut sources, &mut diagnostics);
        if !diagnostics.is_empty() {
            println!("== {file}\n{}", diagnostics.render(&sources, false));
        }
        if diagnostics.has_errors() {
            continue;
        }
        accepted += 1;
        let text = print::program(&program);
        let again = weir_syntax::preprocess::MemoryLoader::new().with("again.p4", text);
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let reread = weir_syntax::parse("again.p4", &again, &[], &mut sources, &mut diagnostics);
        if !ast::same_program(&program, &reread) {
            changed += 1;
            println!(
                "== {file} changes when printed and parsed again\n{}",
                diagnostics.render(&sources, false)
            );
        }
    }
    println!("{} files, {accepted} accepted, {changed} changed by printing", files.len());
}
