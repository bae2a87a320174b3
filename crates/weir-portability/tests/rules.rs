//! The programs of `testdata/portability`: each line that ends in `//! RULE …` must get these
//! findings, and no other line may get any. There must be a line for each rule, and the
//! documentation must list each rule.

#![expect(clippy::disallowed_methods, reason = "tests read their cases")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use weir_load::check;
use weir_portability::{Kind, Target, rules};
use weir_syntax::Severity;
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One text as `main.p4`, and the files in the folders.
struct Text {
    text: String,
    folders: Vec<PathBuf>,
}

impl SourceLoader for Text {
    fn load(&self, name: &str, _: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let read = || {
            let own = [root().join("p4include")];
            let folders = own.iter().chain(&self.folders);
            folders.into_iter().find_map(|folder| fs::read_to_string(folder.join(name)).ok())
        };
        let text = if from.is_none() { Some(self.text.clone()) } else { read() };
        text.map(|text| LoadedSource { name: name.to_owned(), text })
            .ok_or(LoadError::NotFound { searched: Vec::new() })
    }
}

/// Returns the findings about other switches: line and rule, or the id of a note.
fn found(text: &str, folders: Vec<PathBuf>) -> (BTreeSet<(usize, String)>, String) {
    let compare = |program: &_, diagnostics: &mut _| Target::Bmv2.check(program, diagnostics);
    let loader = Text { text: text.to_owned(), folders };
    let checked = check("main.p4", &loader, &[], |_| Vec::new(), Some(&compare));
    let rendered = checked.diagnostics.render(&checked.sources, false);
    let mine = checked.diagnostics.iter().filter(|found| found.id.starts_with("bmv2-"));
    let named = mine.map(|finding| {
        let says =
            |rule: &&weir_portability::Rule| finding.message == format!("{}: {}", rule.tool(), rule.what);
        let rule = rules().find(says).unwrap_or_else(|| panic!("no rule says {}", finding.message));
        assert_eq!(finding.severity, Severity::Warning);
        assert_eq!(finding.notes, [rule.instead]);
        let plain = finding.to_plain(&checked.sources);
        let line = plain.labels.first().map_or(0, |label| label.line);
        (line, rule.name.to_owned())
    });
    (named.collect(), rendered)
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let mut open = vec![root().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "p4") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn each_line_has_its_findings() {
    let mut problems = Vec::new();
    let mut tried = BTreeSet::new();
    for file in programs("testdata/portability") {
        let text = fs::read_to_string(&file).expect("a program");
        let expected: BTreeSet<(usize, String)> = text
            .lines()
            .enumerate()
            .filter_map(|(line, text)| Some((line + 1, text.split_once("//! ")?.1)))
            .flat_map(|(line, names)| names.split(' ').map(move |name| (line, name.to_owned())))
            .collect();
        tried.extend(expected.iter().map(|(_, name)| name.clone()));
        let (found, rendered) = found(&text, Vec::new());
        if found != expected || rendered.contains("error[") {
            problems.push(format!("{}: expected {expected:?}, found {found:?}\n{rendered}", file.display()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let missing: Vec<&str> = rules().map(|rule| rule.name).filter(|name| !tried.contains(*name)).collect();
    assert!(missing.is_empty(), "no program of testdata/portability has {missing:?}");
}

#[test]
fn without_a_target_nothing_is_compared() {
    for file in programs("testdata/portability") {
        let loader = Text { text: fs::read_to_string(&file).expect("a program"), folders: Vec::new() };
        let checked = check("main.p4", &loader, &[], |_| Vec::new(), None);
        let other = checked.diagnostics.iter().any(|found| found.id.starts_with("bmv2-"));
        assert!(!other, "{}", file.display());
    }
}

#[test]
fn all_our_programs_can_be_compared() {
    let mut compared = 0;
    for folder in ["testdata", "labs/weir_labs", "python/weir/programs", "docs", "tests"] {
        for file in programs(folder) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let folders = file.parent().map(Path::to_path_buf).into_iter().collect();
            found(&text, folders);
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} programs");
}

#[test]
fn no_warn_silences_a_declaration() {
    let file = root().join("testdata/portability/two-lpm-keys.p4");
    let text = fs::read_to_string(file).expect("a program");
    assert!(!found(&text, Vec::new()).0.is_empty());
    let silent = text.replace("    table ", "    @noWarn(\"bmv2-refuses\") table ");
    assert_eq!(found(&silent, Vec::new()).0, BTreeSet::new());
}

#[test]
fn unknown_targets_get_the_nearest_name() {
    let problem = Target::by_name("bm2").expect_err("no target");
    assert_eq!(problem, "no target is called \"bm2\"; there is bmv2; did you mean \"bmv2\"?");
    assert_eq!(Target::by_name("bmv2"), Ok(Target::Bmv2));
}

#[test]
fn other_architectures_get_a_note() {
    let text = "control C();\npackage Own(C c);\ncontrol A() { apply { } }\nOwn(A()) main;\n";
    let (found, rendered) = found(text, Vec::new());
    assert_eq!(found, BTreeSet::new());
    assert!(rendered.contains("note[target-not-compared]: "), "{rendered}");
}

#[test]
fn the_documentation_has_each_rule() {
    let page = fs::read_to_string(root().join("docs/reference/portability.md")).expect("the page");
    for rule in rules() {
        let cell = |text: &str| text.replace('|', "\\|");
        let row = format!("| `{}` | {} | {} |", rule.name, cell(rule.what), cell(rule.instead));
        assert!(page.contains(&row), "docs/reference/portability.md lacks\n{row}");
    }
}

/// Sections of `docs/reference/differences.md` whose rows are about the run time only.
const RUN_TIME_SECTIONS: [&str; 2] = ["Runtime commands", "What was compared"];

/// Each difference that a program can show names the rules that find it; the others say `–`. Each
/// rule about different behaviour is a row there.
#[test]
fn each_difference_names_its_rules() {
    let page = fs::read_to_string(root().join("docs/reference/differences.md")).expect("the page");
    let mut problems = Vec::new();
    let mut named = BTreeSet::new();
    let (mut section, mut is_matrix) = ("", false);
    for line in page.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        if !line.starts_with('|') {
            is_matrix = false;
            continue;
        }
        // `weir-load` holds the matrix of calls and blocks.
        is_matrix |= line.starts_with("| call |");
        if is_matrix || line.starts_with("|---") || RUN_TIME_SECTIONS.contains(&section) {
            continue;
        }
        let cells: Vec<&str> = line.split(" |").map(|cell| cell.trim_start_matches('|').trim()).collect();
        let rule = cells[cells.len() - 2];
        let ids: Vec<&str> = rule.split(", ").map(|id| id.trim_matches('`')).collect();
        match rule {
            "rule" | "–" => {}
            _ if ids.iter().all(|id| rules().any(|rule| rule.name == *id)) => named.extend(ids),
            _ => problems.push(format!("`{}` has no rule, and no `–`: {rule}", cells[0])),
        }
    }
    let differs = rules().filter(|rule| rule.kind == Kind::Differs);
    problems.extend(
        differs.filter(|rule| !named.contains(rule.name)).map(|rule| format!("no row names `{}`", rule.name)),
    );
    assert!(problems.is_empty(), "docs/reference/differences.md:\n{}", problems.join("\n"));
    assert!(named.len() > 50, "{named:?}");
}
