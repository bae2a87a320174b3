//! Tests the pages of `docs/diagnostics`. Each id that the sources report has a page. Each page's
//! wrong example gets exactly that finding, and its right example gets no errors and not that
//! warning.

#![expect(clippy::disallowed_methods, reason = "tests read their cases")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use weir_portability::Target;
use weir_switch::arch;
use weir_switch::p4info::P4Info;
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};
use weir_syntax::{Diagnostics, Severity, SourceMap};

const ROOT: &str = "example.p4";

/// The stages that report findings; a page's third line begins with its stage.
const KINDS: [&str; 7] = ["preprocessor", "syntax", "check", "compile", "load", "warning", "portability"];

struct Page {
    id: String,
    kind: String,
    wrong: Option<String>,
    right: Option<String>,
    no_example: bool,
}

/// Loads one example, the files of `p4include`, and files that some pages mention: `level1.p4`,
/// which includes `level2.p4` and so on; `twice1.p4`, which includes `twice2.p4` twice and so on;
/// and the folder `headers`.
struct Example<'a>(&'a str);

impl SourceLoader for Example<'_> {
    fn load(&self, name: &str, angled: bool, _from: Option<&str>) -> Result<LoadedSource, LoadError> {
        if name == ROOT {
            return Ok(LoadedSource { name: name.to_owned(), text: self.0.to_owned() });
        }
        let number = |stem: &str| name.strip_prefix(stem)?.strip_suffix(".p4")?.parse::<u32>().ok();
        if let Some(level) = number("level") {
            let text = format!("#include \"level{}.p4\"\n", level + 1);
            return Ok(LoadedSource { name: name.to_owned(), text });
        }
        if let Some(level) = number("twice") {
            let text = format!("#include \"twice{}.p4\"\n", level + 1).repeat(2);
            let text = if level < 40 { text } else { String::new() };
            return Ok(LoadedSource { name: name.to_owned(), text });
        }
        if name == "headers" {
            return Err(LoadError::Unreadable("it is a folder".to_owned()));
        }
        let folder = root().join("p4include");
        match fs::read_to_string(folder.join(name)) {
            Ok(text) if angled => Ok(LoadedSource { name: name.to_owned(), text }),
            _ => Err(LoadError::NotFound { searched: vec![folder.display().to_string()] }),
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<Page> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("docs/diagnostics"))
        .expect("the catalogue")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files.iter().map(|file| page(file)).collect()
}

fn page(file: &Path) -> Page {
    let text = fs::read_to_string(file).expect("a page");
    let id = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(format!("# {id}").as_str()), "{id}: the first line is the id");
    assert_eq!(lines.next(), Some(""), "{id}");
    let (kind, summary) = lines.next().and_then(|line| line.split_once(": ")).expect("kind: summary");
    assert!(KINDS.contains(&kind), "{id}: {kind} is not a kind");
    assert!(summary.ends_with('.'), "{id}: the summary is a sentence");
    let example = |title: &str| {
        let (_, rest) = text.split_once(&format!("\n## {title}\n\n```p4\n"))?;
        Some(rest.split_once("\n```\n").expect("the end of the example").0.to_owned() + "\n")
    };
    Page {
        kind: kind.to_owned(),
        wrong: example("Wrong"),
        right: example("Right"),
        no_example: text.contains("\n## No example\n"),
        id,
    }
}

/// Returns the findings about `text` in the stages up to `kind`: severity, id, and the rendered
/// text.
fn findings(text: &str, kind: &str) -> (Vec<(Severity, &'static str)>, String) {
    let list = |diagnostics: &Diagnostics, sources: &SourceMap| -> (Vec<(Severity, &'static str)>, String) {
        (diagnostics.iter().map(|d| (d.severity, d.id)).collect(), diagnostics.render(sources, false))
    };
    let loader = Example(text);
    match kind {
        "load" | "warning" | "portability" => {
            let p4info = |program: &weir_ir::Program| {
                P4Info::new(program, arch::control_view(program)).err().unwrap_or_default()
            };
            let compare = |program: &_, diagnostics: &mut _| Target::Bmv2.check(program, diagnostics);
            let target: Option<weir_load::Comparison<'_>> =
                if kind == "portability" { Some(&compare) } else { None };
            let checked = weir_load::check(ROOT, &loader, &[], p4info, target);
            let (mut found, said) = list(&checked.diagnostics, &checked.sources);
            // A warning about a program counts even if the program cannot be loaded.
            found.retain(|(severity, _)| kind != "warning" || *severity != Severity::Note);
            (found, said)
        }
        "compile" => {
            let result = weir_lint::analyse(ROOT, &loader, &[]).lower_with_main();
            list(&result.diagnostics, &result.source_map)
        }
        _ => {
            let result = weir_lint::analyse(ROOT, &loader, &[]);
            list(&result.diagnostics, &result.source_map)
        }
    }
}

#[test]
fn examples_have_their_diagnostics() {
    let mut problems = Vec::new();
    for page in pages() {
        match (&page.wrong, &page.right) {
            (None, None) => assert!(page.no_example, "{}: neither examples nor why there are none", page.id),
            (Some(wrong), Some(right)) => {
                let (found, rendered) = findings(wrong, &page.kind);
                let ids: BTreeSet<&str> = found.iter().map(|(_, id)| *id).collect();
                // A directive that fails may break the text after it.
                let follows = page.kind == "preprocessor" && ids.contains(page.id.as_str());
                if !follows && ids != BTreeSet::from([page.id.as_str()]) {
                    problems.push(format!("{}: the wrong example gets {ids:?}\n{rendered}", page.id));
                }
                let belongs = |severity: Severity| match page.kind.as_str() {
                    "warning" => severity == Severity::Warning,
                    "portability" => severity != Severity::Error,
                    "load" => severity != Severity::Warning,
                    _ => severity == Severity::Error,
                };
                if found.iter().any(|(severity, _)| !belongs(*severity)) {
                    problems.push(format!("{}: not of the kind {}", page.id, page.kind));
                }
                let (found, rendered) = findings(right, &page.kind);
                if found.iter().any(|(severity, id)| *severity == Severity::Error || *id == page.id) {
                    problems.push(format!("{}: the right example is not right\n{rendered}", page.id));
                }
            }
            _ => panic!("{}: one example without the other", page.id),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A prefix of several ids that is not itself an id.
const PREFIX: &str = "preprocess-include";

/// An id of one word that is not a literal in any call of `Diagnostic::warning`.
const CHOSEN: &str = "unused";

/// `@noWarn` accepts the ids of exactly the warnings.
#[test]
fn no_warn_takes_the_id_of_each_warning() {
    let silence = |id: &str| findings(&format!("@noWarn(\"{id}\") const bit<8> x = 1;\n"), "warning").0;
    let warnings: Vec<Page> = pages().into_iter().filter(|page| page.kind == "warning").collect();
    assert!(!warnings.is_empty());
    for page in warnings {
        assert_eq!(silence(&page.id), [], "{}", page.id);
    }
    assert_eq!(silence("unusd"), [(Severity::Warning, "misspelt-annotation")]);
    assert_eq!(silence("bad-cast"), [(Severity::Warning, "misspelt-annotation")]);
}

#[test]
fn every_id_has_a_page_and_every_page_an_id() {
    let mut reported = BTreeSet::new();
    for crate_name in ["weir-syntax", "weir-compiler", "weir-lint", "weir-load", "weir-portability"] {
        sources(&root().join("crates").join(crate_name).join("src"), &mut reported);
    }
    let refused =
        fs::read_to_string(root().join("crates/weir-switch/src/error.rs")).expect("errors at loading");
    collect(&refused, &mut reported);
    reported.remove(PREFIX);
    reported.insert(CHOSEN.to_owned());
    let documented: BTreeSet<String> = pages().into_iter().map(|page| page.id).collect();
    let missing: Vec<&String> = reported.difference(&documented).collect();
    let unknown: Vec<&String> = documented.difference(&reported).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "ids without a page in docs/diagnostics: {missing:?}\npages without an id: {unknown:?}"
    );
}

fn sources(folder: &Path, ids: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, ids);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            collect(text.split("#[cfg(test)]").next().unwrap_or_default(), ids);
        }
    }
}

/// Ids are the literals passed to `Diagnostic::error` and `Diagnostic::warning`, and all other
/// literals with the form of an id: words joined by hyphens.
fn collect(source: &str, ids: &mut BTreeSet<String>) {
    for call in ["Diagnostic::error(", "Diagnostic::warning("] {
        for (at, _) in source.match_indices(call) {
            let rest = source[at + call.len()..].trim_start();
            if let Some((id, _)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
                ids.insert(id.to_owned());
            }
        }
    }
    // The table of rules has names and texts, but no ids.
    if source.contains("macro_rules! rules") {
        return;
    }
    for literal in source.split('"').skip(1).step_by(2).chain(source.split('"').step_by(2)) {
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
        if literal.contains('-') && literal.split('-').all(is_word) {
            ids.insert(literal.to_owned());
        }
    }
}
