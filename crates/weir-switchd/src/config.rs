//! Reads the file that lists several switches for one process (`--config FILE`).
//!
//! A switch in the file has the options of the command line, with underscores in place of hyphens;
//! `interfaces` lists an interface for each port. Options on the command line itself apply to all
//! switches. Names of files are relative to the folder of the list.

use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use weir_json::{Collector, Document, Mistakes, Node};

use crate::args::{Args, Find};
use crate::files;

/// Options of the process, which a single switch cannot have.
const COMMON: [&str; 10] = [
    "config",
    "end-at-hangup",
    "help",
    "log-format",
    "metrics",
    "poll",
    "quiet",
    "threads",
    "verbose",
    "version",
];

/// Options with names of files.
const PATHS: [&str; 8] = [
    "entries",
    "include",
    "p4runtime_roles",
    "p4runtime_texts",
    "pcap",
    "tls_certificate",
    "tls_clients",
    "tls_key",
];

/// Returns the switches that a file lists. `command_line` holds the options for all of them.
///
/// # Errors
/// The file cannot be read, or has a mistake; the error says what is wrong, and where.
pub fn switches(file: &Path, command_line: &[OsString], find: Find<'_>) -> Result<Vec<Args>, String> {
    let name = file.display().to_string();
    let text = files::read(file)?;
    let document = Document::parse(name, text).map_err(|error| error.to_string())?;
    let folder = file.parent().unwrap_or(Path::new(""));
    read(document.root(), folder, command_line, find).map_err(|error| error.to_string())
}

fn read(
    root: Node<'_>,
    folder: &Path,
    command_line: &[OsString],
    find: Find<'_>,
) -> Result<Vec<Args>, Mistakes> {
    let mut object = root.object(&["switches"]);
    let read = object.required("switches", |switches| {
        let mut index = 0;
        let read = switches.list(|node| {
            index += 1;
            read_switch(node, index - 1, folder, command_line, find)
        })?;
        match read.is_empty() {
            true => Err(switches.error("the list has no switches").into()),
            false => Ok::<_, Mistakes>(read),
        }
    });
    object.finish(|| read)
}

/// Returns the switch of a node, the `index`th of the list.
fn read_switch(
    node: Node<'_>,
    index: usize,
    folder: &Path,
    command_line: &[OsString],
    find: Find<'_>,
) -> Result<Args, Mistakes> {
    let options = option_names();
    let mut keys = vec!["program", "interfaces"];
    keys.extend(options.iter().map(String::as_str));
    let mut object = node.object(&keys);
    let program_file = object.required("program", |program| {
        let name = Path::new(program.text("the name of a P4 program")?);
        let file_in_folder = folder.join(name);
        if file_in_folder.exists() {
            return Ok(file_in_folder);
        }
        find(name).map(|found| folder.join(found)).map_err(|why| program.error(why))
    });
    let mut line = command_line.to_vec();
    // In the file, names have a default, which the command line does not have. A later option
    // replaces an earlier one.
    line.push(format!("--name=s{}", index + 1).into());
    let mut check = |option: OsString, at: Node<'_>| match check_option(&option) {
        Ok(()) => {
            line.push(option);
            Ok(())
        }
        Err(why) => Err(at.error(why)),
    };
    object.required("interfaces", |interfaces| {
        let mut mistakes = Collector::default();
        mistakes.read_each(interfaces.members()?, |(port, interface)| {
            let name = interface.text("the name of an interface")?;
            check(format!("--interface={port}@{name}").into(), interface)
        });
        mistakes.finish(())
    });
    let file_in_folder =
        node.members().into_iter().flatten().filter(|(key, _)| options.iter().any(|keys| keys == key));
    object.read_each(file_in_folder, |(key, value)| {
        let option = key.replace('_', "-");
        let word = |value: &str| {
            let mut word = OsString::from(format!("--{option}="));
            match PATHS.contains(&key) {
                true => word.push(folder.join(value)),
                false => word.push(value),
            }
            word
        };
        match (scalar(value), value.flag()) {
            (Some(text), _) => check(word(&text), value).map_err(Mistakes::from),
            (None, Ok(true)) => Ok(check(format!("--{option}").into(), value)?),
            (None, Ok(false)) => Ok(()),
            (None, Err(_)) => {
                let expected = |_| value.expected("a text, a number, true, false, or a list of texts");
                value.items().map(drop).map_err(expected)?;
                value.list(|one| check(word(one.text("a text")?), one)).map(drop)
            }
        }
    });
    object.finish(|| program_file).and_then(|program_file| {
        line.push(program_file.into());
        let mut args = Args::try_parse_from(line).map_err(|error| node.error(reason(&error)))?;
        // Device ids also have a default in the file.
        args.device_id.get_or_insert(index as u64);
        Ok(args)
    })
}

/// Checks that the value of a single option is valid. Contradictions with other options are found
/// later, when all options are checked together.
fn check_option(option: &OsString) -> Result<(), String> {
    let words = [OsString::from("weir"), option.clone()];
    match Args::try_parse_from(words) {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation) => {
            Err(reason(&error))
        }
        _ => Ok(()),
    }
}

/// Returns the value of a string, or a number as text.
fn scalar(node: Node<'_>) -> Option<String> {
    let text = node.text("").ok().map(str::to_owned);
    text.or_else(|| node.integer("", 0, u64::MAX).ok().map(|number| number.to_string()))
}

/// Returns the options that a switch can have, with underscores.
fn option_names() -> Vec<String> {
    let command = Args::command();
    let names = command.get_arguments().filter_map(|option| option.get_long());
    let switch_options = names.filter(|name| !COMMON.contains(name) && *name != "interface");
    switch_options.map(|name| name.replace('-', "_")).collect()
}

/// Returns the error of an option, without the hints for people who type it.
fn reason(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    first.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str, command_line: &str) -> Result<Vec<Args>, String> {
        let document = Document::parse("switches.json", text).map_err(|error| error.to_string())?;
        let line: Vec<_> = command_line.split_whitespace().map(OsString::from).collect();
        let find = |path: &Path| match path.to_str() {
            Some("router") => Ok("/weir/router.p4".into()),
            Some("nothing") => Err("no such program".to_owned()),
            _ => Ok(path.to_owned()),
        };
        read(document.root(), Path::new("/etc/weir"), &line, &find).map_err(|error| error.to_string())
    }

    #[test]
    fn each_switch_has_its_options_and_those_of_the_command_line() {
        let text = r#"{"switches": [
            {"program": "a.p4", "interfaces": {"1": "v1", "2": "v2"}, "entries": ["e.json", "/f.json"],
             "cpu_port": 64, "plaintext": true},
            {"name": "core", "program": "b.p4", "interfaces": {"1": "v3"}, "device_id": 9, "cpu_port": 5}
        ]}"#;
        let switches = list(text, "w --config x --cpu-port 7 --p4runtime").unwrap();
        let names: Vec<_> = switches.iter().map(|args| args.name.clone().unwrap()).collect();
        assert_eq!(names, ["s1", "core"]);
        assert_eq!(switches.iter().map(Args::device_id).collect::<Vec<_>>(), [0, 9]);
        assert_eq!(switches.iter().map(|args| args.cpu_port).collect::<Vec<_>>(), [Some(64), Some(5)]);
        assert_eq!(switches[0].program.as_deref().unwrap(), Path::new("/etc/weir/a.p4"));
        assert_eq!(switches[0].entries, [Path::new("/etc/weir/e.json"), Path::new("/f.json")]);
        assert!(switches[0].plaintext && !switches[1].plaintext);
        assert_eq!(switches[1].p4runtime.as_deref(), Some("127.0.0.1:9559"));
    }

    #[test]
    fn programs_have_names() {
        let read = |name: &str| {
            list(&format!(r#"{{"switches": [{{"program": "{name}", "interfaces": {{"1": "v1"}}}}]}}"#), "w")
        };
        assert_eq!(read("router").unwrap()[0].program.as_deref(), Some(Path::new("/weir/router.p4")));
        assert_eq!(
            read("nothing").unwrap_err(),
            "switches.json:1:27: $.switches[0].program: no such program"
        );
    }

    #[test]
    fn mistakes_have_a_place() {
        let switch = |rest: &str| {
            format!(r#"{{"switches": [{{"program": "a.p4", "interfaces": {{"1": "v1"}}{rest}}}]}}"#)
        };
        for (text, expected) in [
            (switch(r#", "cpu_prot": 1"#), "cpu_port"),
            (switch(r#", "metrics": "x""#), "metrics"),
            (switch(r#", "cpu_port": "x""#), "invalid value 'x' for '--cpu-port <PORT>'"),
            (switch(r#", "cpu_port": {}"#), "a text, a number"),
            (switch("").replace("v1", "a/b"), "is not an interface name"),
            (switch("").replace("program", "programme"), "program"),
            (r#"{"switches": []}"#.to_owned(), "the list has no switches"),
            ("{}".to_owned(), "switches"),
        ] {
            let error = list(&text, "w --config x").unwrap_err();
            assert!(error.starts_with("switches.json:1:") && error.contains(expected), "{error}");
        }
    }

    #[test]
    fn all_mistakes_are_listed_in_order() {
        let text = r#"{"switches": [
            {"program": "nothing", "interfaces": {"1": "v1", "x": "v2", "2": 7}, "cpu_port": "x", "plaintext": 1.5},
            {"programm": "a.p4", "interfaces": ["v1"], "entries": ["e.json", 1], "device_id": "x"}
        ], "switch": 1}"#;
        let error = list(text, "w --config x").unwrap_err();
        let places: Vec<_> = error.lines().map(|line| line.split(": ").nth(1).unwrap()).collect();
        let expected = [
            "$.switches[0].program",
            "$.switches[0].interfaces.x",
            "$.switches[0].interfaces.\"2\"",
            "$.switches[0].cpu_port",
            "$.switches[0].plaintext",
            "$.switches[1].programm",
            "$.switches[1].interfaces",
            "$.switches[1].entries[1]",
            "$.switches[1].device_id",
            "$.switch",
        ];
        assert_eq!(places, expected, "{error}");
    }
}
