//! Cases as text. A case begins with a line `== DESCRIPTION`. Each step begins at the start of a
//! line:
//!
//! - `write [ATOMICITY]`, then updates in text form, each beginning with its type, indented by two;
//!   then `ok`, or `fails` with a line for each update: the code, and a part of the message;
//! - `read`, then requests in text form; then `answer` with the expected entities, whose repeated
//!   fields may have any order. If the read fails, `fails` comes before `answer`, as for updates;
//! - `advance SECONDS` advances the time.
//!
//! `@name` stands for the id of the object with that alias.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeMap;

use weir_device::Device;
use weir_p4runtime::Code;
use weir_p4runtime::proto::v1;

use crate::bench::{Bench, message, outcomes, p4info, text};

/// A case of a file.
pub struct Case {
    pub title: String,
    pub line: usize,
    steps: Vec<Step>,
}

/// The request of a step.
pub enum Request {
    Write(v1::WriteRequest),
    Read(Vec<v1::Entity>),
}

struct Step {
    line: usize,
    words: Vec<String>,
    /// The indented lines, grouped into blocks; each block begins with a line that is indented by
    /// two spaces.
    blocks: Vec<String>,
}

impl Case {
    /// Returns the cases of a file.
    pub fn all(file: &str) -> Vec<Self> {
        let mut cases: Vec<Self> = Vec::new();
        for (number, line) in file.lines().enumerate() {
            let number = number + 1;
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(title) = line.strip_prefix("== ") {
                cases.push(Self { title: title.to_owned(), line: number, steps: Vec::new() });
                continue;
            }
            let case = cases.last_mut().expect("a file begins with a case");
            if !line.starts_with(' ') {
                let words = line.split_whitespace().map(str::to_owned).collect();
                case.steps.push(Step { line: number, words, blocks: Vec::new() });
                continue;
            }
            let blocks = &mut case.steps.last_mut().expect("a step").blocks;
            if line.starts_with("   ") || line.trim() == "}" {
                let block = blocks.last_mut().expect("a block begins at an indent of two");
                block.push('\n');
                block.push_str(line.trim());
            } else {
                blocks.push(line.trim().to_owned());
            }
        }
        cases
    }

    /// Returns the requests, step by step, without examining the answers.
    pub fn requests(&self) -> Vec<Request> {
        let ids = ids();
        self.steps.iter().filter_map(|step| step.request(&ids)).collect()
    }

    /// Runs the steps on a fresh switch.
    pub fn run(&self) -> Result<(), String> {
        let mut run = Run { bench: Bench::new(), ids: ids(), last: Last::Nothing };
        for step in &self.steps {
            run.step(step).map_err(|failure| format!("line {}: {failure}", step.line))?;
        }
        run.settled()
    }
}

/// Returns the ids of all objects by their aliases.
fn ids() -> BTreeMap<String, u32> {
    let info = p4info();
    let preambles = (info.tables.iter().map(|o| &o.preamble))
        .chain(info.actions.iter().map(|o| &o.preamble))
        .chain(info.action_profiles.iter().map(|o| &o.preamble))
        .chain(info.counters.iter().map(|o| &o.preamble))
        .chain(info.direct_counters.iter().map(|o| &o.preamble))
        .chain(info.meters.iter().map(|o| &o.preamble))
        .chain(info.direct_meters.iter().map(|o| &o.preamble))
        .chain(info.registers.iter().map(|o| &o.preamble))
        .chain(info.value_sets.iter().map(|o| &o.preamble))
        .chain(info.digests.iter().map(|o| &o.preamble));
    preambles.flatten().map(|preamble| (preamble.alias.clone(), preamble.id)).collect()
}

/// The result of the last write or read, which the next step must check.
enum Last {
    Nothing,
    Wrote(Result<(), tonic::Status>),
    /// The entities that were read, and the status until it is checked.
    Read(Vec<v1::Entity>, Option<Result<(), tonic::Status>>),
}

struct Run {
    bench: Bench,
    ids: BTreeMap<String, u32>,
    last: Last,
}

impl Run {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        let words: Vec<&str> = step.words.iter().map(String::as_str).collect();
        match words[..] {
            ["write", ..] | ["read"] => {
                self.settled()?;
                self.last = match step.request(&self.ids).expect("it asks for something") {
                    Request::Write(request) => Last::Wrote(self.bench.write(&request)),
                    Request::Read(requests) => {
                        let (entities, _, done) = self.bench.read(&requests);
                        Last::Read(entities, Some(done))
                    }
                };
            }
            ["ok"] => match std::mem::replace(&mut self.last, Last::Nothing) {
                Last::Wrote(Ok(())) => {}
                Last::Wrote(Err(status)) => return Err(format!("{:#?}", outcomes(&status))),
                _ => return Err("nothing was written".to_owned()),
            },
            ["fails"] => {
                let status = match std::mem::replace(&mut self.last, Last::Nothing) {
                    Last::Wrote(done) => done.err(),
                    Last::Read(entities, done) => {
                        // Answers to the other requests can still be checked.
                        self.last = Last::Read(entities, None);
                        done.and_then(Result::err)
                    }
                    Last::Nothing => return Err("nothing was asked".to_owned()),
                };
                let status = status.ok_or("nothing failed")?;
                check_outcomes(&outcomes(&status), &step.blocks)?;
            }
            ["answer"] => {
                let Last::Read(entities, done) = std::mem::replace(&mut self.last, Last::Nothing) else {
                    return Err("nothing was read".to_owned());
                };
                if let Some(Err(status)) = done {
                    return Err(format!("{:#?}", outcomes(&status)));
                }
                let expected: Vec<_> =
                    step.blocks.iter().map(|block| text(&entity(block, &self.ids))).collect();
                let found: Vec<_> = entities.iter().map(text).collect();
                if found != expected {
                    return Err(format!("found\n  {}\n", found.join("\n  ")));
                }
            }
            ["advance", seconds] => {
                self.settled()?;
                let seconds: u64 = seconds.parse().expect("seconds");
                self.bench.now += seconds * 1_000_000_000;
                let now = self.bench.now;
                self.bench.switch.advance(now, &mut Vec::new());
            }
            _ => panic!("line {}: no such step: {}", step.line, words.join(" ")),
        }
        Ok(())
    }

    /// Checks that the last answer was examined.
    fn settled(&mut self) -> Result<(), String> {
        match std::mem::replace(&mut self.last, Last::Nothing) {
            Last::Nothing => Ok(()),
            Last::Read(entities, None) if entities.is_empty() => Ok(()),
            _ => Err("what came of the step before is not checked".to_owned()),
        }
    }
}

impl Step {
    /// Returns the request of the step; `None` if it does something else.
    fn request(&self, ids: &BTreeMap<String, u32>) -> Option<Request> {
        match self.words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["write", ref atomicity @ ..] => {
                let updates = self.blocks.iter().map(|block| {
                    let (kind, entity) = block.split_once(char::is_whitespace).unwrap_or((block, ""));
                    let entity =
                        if entity.is_empty() { String::new() } else { format!("entity {{ {entity} }}") };
                    format!("updates {{ type: {kind} {entity} }}")
                });
                let mut request: String = updates.collect::<Vec<_>>().join("\n");
                if let Some(atomicity) = atomicity.first() {
                    request.push_str(&format!("\natomicity: {atomicity}"));
                }
                Some(Request::Write(message("p4.v1.WriteRequest", &with_ids(&request, ids))))
            }
            ["read"] => Some(Request::Read(self.blocks.iter().map(|block| entity(block, ids)).collect())),
            _ => None,
        }
    }
}

fn entity(text: &str, ids: &BTreeMap<String, u32>) -> v1::Entity {
    message("p4.v1.Entity", &with_ids(text, ids))
}

fn with_ids(text: &str, ids: &BTreeMap<String, u32>) -> String {
    let mut parts = text.split('@');
    let mut output = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
        let id = ids.get(&part[..end]).unwrap_or_else(|| panic!("no object @{}", &part[..end]));
        output.push_str(&format!("{id}{}", &part[end..]));
    }
    output
}

fn check_outcomes(found: &[(Code, String)], expected: &[String]) -> Result<(), String> {
    let fits = |(code, message): &(Code, String), expected: &String| {
        let (name, part) = expected.split_once(' ').unwrap_or((expected, ""));
        let named = format!("{code:?}").to_uppercase() == name.replace('_', "");
        named && message.contains(part.trim()) && (*code == Code::Ok) == message.is_empty()
    };
    let fit = found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| fits(f, e));
    if fit { Ok(()) } else { Err(format!("{found:#?}")) }
}
