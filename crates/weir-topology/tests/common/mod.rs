//! A topology to change, and the files that exist next to it.

#![allow(dead_code, reason = "each test file uses a part")]

use weir_json::{Diagnostic, Document};
use weir_topology::{Files, Topology, read};

pub const GOOD: &str = r#"{
  "hosts": {
    "h1": {
      "ip": "10.0.1.1/24",
      "mac": "08:00:00:00:01:11",
      "commands": ["route add default gw 10.0.1.10 dev eth0", "arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00"]
    },
    "h2": { "ip": "10.0.2.2/24", "mac": "08:00:00:00:02:22" }
  },
  "switches": { "s1": { "runtime_json": "s1-runtime.json" }, "s2": { "cpu_port": "510" } },
  "links": [["h1", "s1-p1"], ["s2-p7", "h2", "5ms", 10], ["s1-p2", "s2-p1", 0.5, 0.5]]
}
"#;

/// Files next to the topology.
pub struct Folder(pub &'static [&'static str]);

impl Files for Folder {
    fn topology(&self) -> &str {
        "topology.json"
    }

    fn find(&self, name: &str) -> Option<String> {
        self.0.contains(&name).then(|| format!("net/{name}"))
    }

    fn siblings(&self, _name: &str) -> Vec<String> {
        self.0.iter().map(|&name| name.to_owned()).collect()
    }
}

/// Understands only `tc qdisc add dev DEVICE …`.
pub fn check_tc(line: &str) -> Result<Option<String>, String> {
    match line.strip_prefix("tc qdisc add dev ") {
        Some(rest) => Ok(rest.split(' ').next().map(str::to_owned)),
        None => Err(format!("\"{line}\": not understood")),
    }
}

pub fn read_text(text: &str) -> Result<Topology, Diagnostic> {
    let files = Folder(&["s1-runtime.json", "s1-commands.txt", "firewall.p4", "basic.p4"]);
    read(&Document::parse("topology.json", text)?, &files, &check_tc)
}

/// `GOOD` with one text replaced by another.
pub fn changed(old: &str, new: &str) -> String {
    assert_eq!(GOOD.matches(old).count(), 1, "{old}");
    GOOD.replace(old, new)
}
