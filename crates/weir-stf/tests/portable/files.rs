//! The files of `testdata`.

use std::fs;
use std::path::{Path, PathBuf};

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(file)
}

/// Returns the text of a file.
pub fn text(file: &str) -> String {
    fs::read_to_string(path(file)).expect("the file exists")
}

/// Returns the names of the programs in a folder.
pub fn programs(folder: &str) -> Vec<String> {
    let files = fs::read_dir(path(folder)).expect("the folder exists");
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".p4"));
    names.sort();
    names
}
