//! Tests that Weir's architecture files are fully covered: for each file, a program in
//! `testdata/check/ok` uses all its declarations. The test `check` ensures that these programs are
//! accepted without a warning.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use weir_syntax::ast::{DeclKind, Declaration, Program};
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};
use weir_syntax::{Diagnostics, SourceMap, print};

/// A loader with one text as `main.p4` and the files in `p4include`.
struct Text(String);

impl SourceLoader for Text {
    fn load(&self, name: &str, _: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let text = match from {
            None => self.0.clone(),
            Some(_) => fs::read_to_string(root().join("p4include").join(name))
                .map_err(|_| LoadError::NotFound { searched: Vec::new() })?,
        };
        Ok(LoadedSource { name: name.to_owned(), text })
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn parse(text: String) -> Program {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let program = weir_syntax::parse("main.p4", &Text(text), &[], &mut sources, &mut diagnostics);
    assert!(diagnostics.is_empty(), "{}", diagnostics.render(&sources, false));
    program
}

/// Returns the names in a declaration that a program can use. The types of blocks are not included:
/// a block has the type that the package expects.
fn names(declaration: &Declaration) -> Vec<String> {
    let inner: Vec<&str> = match &declaration.kind {
        DeclKind::ParserType(_) | DeclKind::ControlType(_) => return Vec::new(),
        DeclKind::Enum(members) => members.members.iter().map(|member| member.name.as_str()).collect(),
        DeclKind::MatchKind(members) => members.iter().map(|member| member.name.as_str()).collect(),
        DeclKind::Struct(fields) => fields.fields.iter().map(|field| field.name.as_str()).collect(),
        DeclKind::ExternObject(object) => object.methods.iter().map(|method| method.name.as_str()).collect(),
        _ => Vec::new(),
    };
    let all = inner.into_iter().chain([declaration.name_str()]);
    all.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns the words of a program's own declarations, after the preprocessor.
fn declared_words(own: &[Declaration], node_count: u32) -> BTreeSet<String> {
    let text = print::program(&Program { declarations: own.to_vec(), node_count });
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.map(str::to_owned).collect()
}

/// Returns the declarations of `file` that the program does not use, without those of `base`, which
/// `file` includes or resembles.
fn unused_declarations(file: &str, base: &str, program: &str) -> Vec<String> {
    let declared = |file: &str| parse(format!("#include <{file}>\n"));
    let path = root().join("testdata/check/ok").join(program);
    let whole = parse(fs::read_to_string(&path).expect("the program"));
    let architecture = declared(file);
    let own = &whole.declarations[architecture.declarations.len()..];
    let used = declared_words(own, whole.node_count);
    let declared_in_base: BTreeSet<String> = declared(base).declarations.iter().flat_map(names).collect();
    let needed: BTreeSet<String> = architecture.declarations.iter().flat_map(names).collect();
    needed.difference(&declared_in_base).filter(|name| !used.contains(*name)).cloned().collect()
}

#[test]
fn programs_use_all_of_psa() {
    assert_eq!(unused_declarations("psa.p4", "core.p4", "psa_complete.p4"), [""; 0]);
    assert_eq!(unused_declarations("dpdk/psa.p4", "psa.p4", "psa_dpdk.p4"), [""; 0]);
}

#[test]
fn programs_use_all_of_pna() {
    assert_eq!(unused_declarations("pna.p4", "core.p4", "pna_complete.p4"), [""; 0]);
    assert_eq!(unused_declarations("bmv2/pna.p4", "core.p4", "pna_0_7.p4"), [""; 0]);
    assert_eq!(unused_declarations("dpdk/pna.p4", "pna.p4", "pna_dpdk.p4"), [""; 0]);
    assert_eq!(unused_declarations("tc/pna.p4", "bmv2/pna.p4", "pna_tc.p4"), [""; 0]);
}

#[test]
fn programs_use_all_of_the_bpf_models() {
    let unused = |file, base| unused_declarations(file, base, &format!("../../bpf/{file}"));
    assert_eq!(unused("ebpf_model.p4", "core.p4"), [""; 0]);
    // The switch refuses programs that call it.
    assert_eq!(unused("xdp_model.p4", "ebpf_model.p4"), ["BPF_PERF_EVENT_OUTPUT"]);
    assert_eq!(unused("ubpf_model.p4", "core.p4"), [""; 0]);
}

#[test]
fn an_unused_name_is_found() {
    assert!(unused_declarations("psa.p4", "core.p4", "psa.p4").contains(&"psa_recirculate".to_owned()));
}
