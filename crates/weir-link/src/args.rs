//! The command line.

use std::path::PathBuf;

use clap::Parser;
use serde_json::{Map, Value, json};
use weir_impair::Jitter;
use weir_json::{Diagnostic, Document};

use crate::read;
use crate::settings::{End, LinkSettings};

/// Link network interfaces with delay, jitter and loss
///
/// Every frame that arrives at one interface leaves through the other one after the delay, or is
/// lost, as on links of virtual networks. An interface in another network namespace is
/// INTERFACE@NETNS: a path such as /proc/123/ns/net, or a name of `ip netns`. Needs the right to
/// open packet sockets.
#[derive(Clone, Debug, Parser)]
#[command(name = "weir-link", version)]
pub struct Args {
    /// The two ends of a link
    #[arg(num_args = 0..=2, value_names = ["INTERFACE", "INTERFACE"], value_parser = End::parse)]
    pub ends: Vec<End>,
    /// The rate at which frames are sent, one after the other; --limit is the size of the queue in
    /// front of it
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub rate: Option<String>,
    /// The propagation delay
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub delay: Option<String>,
    /// A uniformly distributed random delay from 0 to this time, added to --delay
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub jitter: Option<String>,
    /// Let packets with less jitter overtake other packets
    #[arg(long)]
    pub overtake: bool,
    /// The probability that a packet is lost, as 0.1%
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub loss: Option<String>,
    /// The probability that a packet arrives twice
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub duplicate: Option<String>,
    /// The probability that one bit of a packet is flipped
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub corrupt: Option<String>,
    /// The probability that a packet is delayed by an additional time, as 1%,5ms
    #[arg(long, value_name = "SHARE,TIME", allow_hyphen_values = true)]
    pub reorder: Option<String>,
    /// The maximum amount in flight in each direction or, with --rate, waiting to be sent, such as
    /// 1000p or 64MB; repeat the option to limit both packets and bytes [default: 1000p with
    /// --rate, else 100000p and 128MB]
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    pub limit: Vec<String>,
    /// The queueing discipline in front of --rate, as tc writes it: "fq_codel target 5ms"; repeat
    /// it for the classes, filters and children of the discipline, as in --qdisc "handle 1: htb
    /// default 10" --qdisc "class add parent 1: classid 1:10 htb rate 5mbit" [default: first in,
    /// first out, up to --limit]
    #[arg(long, value_name = "DISCIPLINE", allow_hyphen_values = true)]
    pub qdisc: Vec<String>,
    /// Links in a JSON file; all settings and both directions can be set there
    #[arg(long, value_name = "FILE", conflicts_with = "ends")]
    pub links: Option<PathBuf>,
    /// Read commands from standard input, one JSON object per line, and answer in the same form
    #[arg(long)]
    pub control: bool,
    /// Run the thread that moves frames at normal priority; by default it has a real-time priority
    /// if the process is allowed one
    #[arg(long)]
    pub no_realtime: bool,
    /// The seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The maximum size of a file of links in bytes.
const MAX_BYTES: u64 = 16 << 20;

impl Args {
    /// Returns the links that exist at the start.
    ///
    /// # Errors
    /// A file cannot be read, or a setting is wrong.
    pub fn links(&self) -> Result<Vec<LinkSettings>, String> {
        if let Some(file) = &self.links {
            let name = file.display().to_string();
            let text = weir_files::read_text(file, MAX_BYTES)?;
            let links = read::file(&name, text).map_err(|error| error.to_string())?;
            if links.is_empty() && !self.control {
                return Err(format!("{name}: it has no links, and none can be added without --control"));
            }
            return self.with_effect(links).map_err(|error| format!("{name}: {error}"));
        }
        match &self.ends[..] {
            [] if self.control => Ok(Vec::new()),
            [first, second] => {
                self.check_reorder()?;
                let mut link = LinkSettings::new(None, [first.clone(), second.clone()]);
                let settings = Value::Object(self.settings()).to_string();
                let document = Document::parse("options", settings).map_err(|error| error.to_string())?;
                // This document is made from options, so places in it would not help the user.
                read::apply_change(document.root(), &mut link).map_err(|mistakes| {
                    let alone = |mistake: &Diagnostic| {
                        Diagnostic { file: None, place: None, path: None, ..mistake.clone() }.to_string()
                    };
                    mistakes.all().iter().map(alone).collect::<Vec<_>>().join("\n")
                })?;
                self.with_effect(vec![link])
            }
            [] => Err("expected two interfaces, --links FILE or --control".to_owned()),
            _ => Err("a link has two ends: expected another interface".to_owned()),
        }
    }

    /// Refuses `--reorder` without both of its parts.
    fn check_reorder(&self) -> Result<(), String> {
        let Some(given) = self.reorder.as_ref().filter(|given| given.split(',').count() != 2) else {
            return Ok(());
        };
        Err(format!(
            "--reorder: expected a share and a time such as 1%,5ms, found \"{}\"",
            given.escape_debug()
        ))
    }

    /// Checks that `--overtake` has an effect. On a link without jitter, no packet can overtake
    /// another, unless a later command adds jitter.
    fn with_effect(&self, links: Vec<LinkSettings>) -> Result<Vec<LinkSettings>, String> {
        let has_none = |link: &&LinkSettings| {
            let mut overtaking = link.directions.iter().filter(|one| one.impairments.overtake).peekable();
            overtaking.peek().is_some() && overtaking.all(|one| one.impairments.jitter == Jitter::None)
        };
        match links.iter().find(has_none).filter(|_| !self.control) {
            Some(link) => Err(format!("link {}: overtake has no effect without jitter", link.name)),
            None => Ok(links),
        }
    }

    /// Returns the options as the members of a settings file.
    fn settings(&self) -> Map<String, Value> {
        let texts = [
            ("rate", &self.rate),
            ("delay", &self.delay),
            ("jitter", &self.jitter),
            ("loss", &self.loss),
            ("duplicate", &self.duplicate),
            ("corrupt", &self.corrupt),
        ];
        let pairs = texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), json!(text.as_ref()?))));
        let mut settings: Map<String, Value> = pairs.collect();
        if self.overtake {
            settings.insert("overtake".to_owned(), json!(true));
        }
        if let Some(reorder) = &self.reorder {
            settings.insert("reorder".to_owned(), json!(reorder.split(',').collect::<Vec<_>>()));
        }
        if !self.qdisc.is_empty() {
            settings.insert("qdisc".to_owned(), json!(self.qdisc));
        }
        if !self.limit.is_empty() {
            settings.insert("limit".to_owned(), json!(self.limit));
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(line: &str) -> Result<Vec<LinkSettings>, String> {
        Args::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())?.links()
    }

    #[test]
    fn endless_devices_are_refused() {
        let error = links("weir-link --links /dev/zero").unwrap_err();
        assert_eq!(error, "/dev/zero: it is larger than 16 MiB");
    }

    #[test]
    fn options_are_settings_of_both_directions() {
        let line = "weir-link v1 v2@blue --rate 10Mbit --delay 5ms --loss 1% --reorder 1%,2ms --limit 10p --limit 1kB";
        let link = &links(line).unwrap()[0];
        assert_eq!(
            (link.ends[0].to_string(), link.ends[1].to_string()),
            ("v1".into(), "v2@/run/netns/blue".into())
        );
        for direction in &link.directions {
            assert_eq!(
                (direction.delay, direction.limit().packets, direction.limit().bytes),
                (5_000_000, 10, 1000)
            );
            assert_eq!(direction.rate, Some(10_000_000));
            assert_eq!(direction.impairments.reorder, Some((0.01, 2_000_000)));
        }
        assert!(links("weir-link --control").unwrap().is_empty());
        for (options, packets) in
            [("", 100_000), ("--rate 1Mbit", 1000), ("--rate 1Mbit --limit 1MB", 100_000)]
        {
            let link = &links(&format!("weir-link v1 v2 {options}")).unwrap()[0];
            assert_eq!(link.directions[1].limit().packets, packets, "{options}");
        }
    }

    #[test]
    fn wrong_command_lines_are_explained() {
        for (line, expected) in [
            ("weir-link", "expected two interfaces"),
            ("weir-link v1", "expected another interface"),
            ("weir-link v1 v2@", "INTERFACE@NETNS"),
            ("weir-link v1 v2 --delay 5", "has no unit; did you mean \"5ms\"?"),
            ("weir-link v1 v2 --delay 0", "has no unit; did you mean \"0ms\"?"),
            ("weir-link v1 v2 --delay -5ms", "delay '-5ms'"),
            ("weir-link v1 v2 --rate 0", "rate '0' lets nothing through, and has no unit"),
            ("weir-link v1 v2 --loss 0.1", "did you mean \"10%\" or \"0.1%\"?"),
            ("weir-link v1 v2 --loss 200%", "outside 0% to 100%"),
            ("weir-link v1 v2 --rate 1Mbit --qdisc codell", "did you mean \"codel\"?"),
            ("weir-link v1 v2 --qdisc codel", "set \"rate\" too"),
            (
                "weir-link v1 v2 --reorder 1%",
                "--reorder: expected a share and a time such as 1%,5ms, found \"1%\"",
            ),
            ("weir-link v1 v2 --reorder 1%,5ms,2", "found \"1%,5ms,2\""),
            ("weir-link v1 v2 --limit 5p --limit 6p", "2 limits in packets: expected at most one"),
            ("weir-link v1 v2 --limit 5kB --limit 1p --limit 6kB", "2 limits in bytes"),
            ("weir-link v1 v2 --overtake", "link v1<->v2: overtake has no effect without jitter"),
            ("weir-link v1 v2 --links x.json", "cannot be used with"),
            ("weir-link --links does-not-exist.json", "does-not-exist.json: "),
        ] {
            let error = links(line).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
