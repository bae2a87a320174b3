//! All links of a process, by name, and the commands that change them.

use serde_json::{Value, json};
use weir_device::Nanos;
use weir_json::{Diagnostic, Document, Mistakes, Node};

use crate::clock;
use crate::link::Link;
use crate::models;
use crate::read;
use crate::report;
use crate::sampler::Sampler;
use crate::settings::LinkSettings;
use crate::watch::WatchMessage;

/// The commands.
const COMMANDS: [&str; 7] = ["add", "change", "remove", "statistics", "sample", "samples", "stop"];

/// The links of a process, in the order in which they were added.
#[derive(Default)]
pub struct Links {
    seed: u64,
    links: Vec<(u64, Link)>,
    next: u64,
    /// The samplers by number; a stopped sampler keeps its samples.
    samplers: Vec<(bool, Sampler)>,
    /// Changes that were not yet sent to the watching thread.
    changes: Vec<WatchMessage>,
    /// Removed links, which are kept until no thread waits for their frames.
    removed: Vec<Link>,
}

impl Links {
    /// Creates an empty set of links. `seed` seeds the links' random streams.
    pub fn new(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Opens links. If one cannot be opened, none is added.
    ///
    /// # Errors
    /// Two links have the same name, or an interface cannot be opened.
    pub fn add(&mut self, all: Vec<LinkSettings>) -> Result<(), String> {
        let mut opened = Vec::new();
        let mut names: Vec<String> = self.links.iter().map(|(_, link)| link.settings.name.clone()).collect();
        for settings in all {
            if names.contains(&settings.name) {
                return Err(format!("there is already a link called {}", settings.name));
            }
            names.push(settings.name.clone());
            let name = settings.name.clone();
            if settings.ends[0] == settings.ends[1] {
                return Err(format!("{name}: a link has two ends, and both are {}", settings.ends[0]));
            }
            opened.push(Link::open(settings, self.seed).map_err(|error| format!("{name}: {error}"))?);
        }
        for (link, watched) in opened {
            self.changes.push(WatchMessage::Added(self.next, watched));
            self.links.push((self.next, link));
            self.next += 1;
        }
        Ok(())
    }

    /// Adds a link whose interfaces are not watched.
    #[cfg(test)]
    pub fn push(&mut self, link: Link) {
        self.links.push((self.next, link));
        self.next += 1;
    }

    /// Returns the links with their numbers, which stay the same while a link exists.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut Link)> {
        self.links.iter_mut().map(|(number, link)| (*number, link))
    }

    /// Returns the link of this number, if it still exists.
    pub fn get(&mut self, number: u64) -> Option<&mut Link> {
        let index = self.links.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&mut self.links[index].1)
    }

    /// Returns the links added and removed since the last call.
    pub fn take_changes(&mut self) -> Vec<WatchMessage> {
        std::mem::take(&mut self.changes)
    }

    /// Returns the links removed since the last call. The caller keeps their sockets open until the
    /// watching thread knows of the removal.
    pub fn take_removed(&mut self) -> Vec<Link> {
        std::mem::take(&mut self.removed)
    }

    /// Returns the statistics of all links.
    pub fn statistics(&mut self) -> Value {
        let all: Vec<Value> = self.iter_mut().map(|(_, link)| report::statistics(link)).collect();
        json!({ "statistics": all })
    }

    /// Returns the time of the next sample, if a sampler runs.
    pub fn next_sample(&self) -> Option<Nanos> {
        self.samplers.iter().filter(|(runs, _)| *runs).map(|(_, sampler)| sampler.next_time()).min()
    }

    /// Takes the samples that are due.
    pub fn sample(&mut self, now: Nanos) {
        if self.next_sample().is_none_or(|next| next > now) {
            return;
        }
        let mut samplers = std::mem::take(&mut self.samplers);
        for (runs, sampler) in samplers.iter_mut().filter(|(runs, _)| *runs) {
            match self.get(sampler.link) {
                Some(link) => sampler.sample(now, link),
                None => *runs = false,
            }
        }
        self.samplers = samplers;
    }

    /// Executes a command and returns the answer.
    pub fn command(&mut self, line: &str) -> Value {
        self.execute(line).unwrap_or_else(|error| json!({ "error": error }))
    }

    /// Executes a command, which is one line of JSON.
    fn execute(&mut self, line: &str) -> Result<Value, String> {
        let document = Document::parse("command", line).map_err(|error| error.to_string())?;
        let root = document.root();
        let text = |error: weir_json::Diagnostic| error.to_string();
        let all = |mistakes: weir_json::Mistakes| mistakes.to_string();
        root.object(&COMMANDS).finish(|| Some(())).map_err(all)?;
        let mut members = root.members().map_err(text)?;
        let (Some((command, node)), None) = (members.next(), members.next()) else {
            return Err(format!("expected one command: {}", COMMANDS.join(", ")));
        };
        match command {
            "add" => self.add(read::links(node).map_err(all)?)?,
            "change" => {
                let name = node.require("name").map_err(text)?;
                let index = self.named_link(name).map_err(text)?;
                let link = &mut self.links[index].1;
                let mut settings = link.settings.clone();
                read::apply_change(node, &mut settings).map_err(all)?;
                link.set_settings(settings);
            }
            "remove" => {
                let index = self.named_link(node).map_err(text)?;
                let (number, link) = self.links.remove(index);
                self.changes.push(WatchMessage::Removed(number));
                self.removed.push(link);
            }
            "sample" => return Ok(json!({ "sampler": self.start_sampler(node).map_err(all)? })),
            "samples" => {
                let number = self.sampler_number(node)?;
                return Ok(self.samplers[number].1.samples());
            }
            "stop" => {
                let number = self.sampler_number(node)?;
                self.samplers[number].0 = false;
            }
            _ => {
                let chosen: Vec<usize> = node
                    .items()
                    .map_err(text)?
                    .map(|name| self.named_link(name).map_err(text))
                    .collect::<Result<_, String>>()?;
                if chosen.is_empty() {
                    return Ok(self.statistics());
                }
                let all: Vec<Value> =
                    chosen.into_iter().map(|index| report::statistics(&mut self.links[index].1)).collect();
                return Ok(json!({ "statistics": all }));
            }
        }
        Ok(json!({ "ok": true }))
    }

    /// Starts to sample the queue of a link's direction; returns the sampler's number.
    fn start_sampler(&mut self, node: Node<'_>) -> Result<usize, Mistakes> {
        let mut object = node.object(&["name", "direction", "every"]);
        let link = object.required("name", |name| self.named_link(name));
        let direction = object.required("direction", |node| {
            let direction = node.text("a direction")?;
            let index = read::DIRECTIONS.iter().position(|known| *known == direction);
            index.ok_or_else(|| node.error(format!("expected {}", read::DIRECTIONS.join(" or "))))
        });
        let every = object.required("every", |node| {
            let every = models::time(node, "every")?;
            if every == 0 { Err(node.error("the time between samples is 0")) } else { Ok(every) }
        });
        let (link, direction, every) = object.finish(|| Some((link?, direction?, every?)))?;
        let sampler = Sampler::new(self.links[link].0, direction, every, clock::now());
        self.samplers.push((true, sampler));
        Ok(self.samplers.len() - 1)
    }

    fn sampler_number(&self, node: Node<'_>) -> Result<usize, String> {
        let text = |error: Diagnostic| error.to_string();
        let number = node.integer("a sampler's number", 0, u64::MAX).map_err(text)?;
        let index = usize::try_from(number).ok().filter(|number| *number < self.samplers.len());
        index.ok_or_else(|| node.error(format!("there is no sampler {number}")).to_string())
    }

    /// Finds the place of the link that a command names.
    fn named_link(&self, node: Node<'_>) -> Result<usize, Diagnostic> {
        let name = node.text("a link's name")?;
        let known = || self.links.iter().map(|(_, link)| link.settings.name.as_str());
        known().position(|known| known == name).ok_or_else(|| {
            let near = weir_suggest::nearest(name, known()).map(str::to_owned);
            node.error_with_suggestion(format!("there is no link called {name}"), near)
        })
    }
}
