//! A topology to change, and the files that exist next to it.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};
use weir_json::{Document, Mistakes};

use weir_topology::{Error, FileSystem, Files, Host, NetworkRules, Topology, read};

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

/// Files in the folder `net`.
struct Folder(&'static [&'static str]);

impl FileSystem for Folder {
    fn exists(&self, path: &Path) -> bool {
        self.0.iter().any(|name| path == Path::new("net").join(name))
    }

    fn canonical_path(&self, folder: &Path) -> Option<PathBuf> {
        Some(Path::new("/").join(folder))
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let own = if folder == Path::new("net") { self.0 } else { &[] };
        own.iter().map(|&name| name.to_owned()).collect()
    }
}

/// Accepts only `tc qdisc add dev DEVICE …`.
pub fn check_tc(line: &str) -> Result<Option<String>, String> {
    match line.strip_prefix("tc qdisc add dev ") {
        Some(rest) => Ok(rest.split(' ').next().map(str::to_owned)),
        None => Err(format!("\"{line}\": not understood")),
    }
}

/// A network that refuses group addresses of neighbours, an empty discipline, IPv6 with a small
/// MTU, and all timing profiles but `fast`.
struct Strict;

impl NetworkRules for Strict {
    fn tc(&self, line: &str) -> Result<Option<String>, String> {
        check_tc(line)
    }

    fn host(&self, host: &Host) -> Result<(), String> {
        if host.neighbours.iter().any(|one| one.mac.0[0] & 1 == 1) {
            return Err("a group address".to_owned());
        }
        let mut interfaces = host.interfaces.iter();
        if interfaces.any(|one| one.mtu < 1280 && one.addresses.iter().any(|own| own.address.is_ipv6())) {
            return Err("a small MTU".to_owned());
        }
        match host.tc.iter().find(|line| line.ends_with(" root ")) {
            Some(line) => Err(format!("{line}: no discipline")),
            None => Ok(()),
        }
    }

    fn profile(&self, name: &str) -> Result<(), Error> {
        if name == "fast" { Ok(()) } else { Err(Error::new(format!("no profile {name}"))) }
    }
}

pub fn read_text(text: &str) -> Result<Topology, Mistakes> {
    let files = Folder(&["s1-runtime.json", "s1-commands.txt", "firewall.p4", "basic.p4"]);
    let files = Files::new("net/topology.json", &files);
    read(&Document::parse("topology.json", text)?, &files, &Strict)
}

/// Replaces one text of `GOOD` by another.
pub fn changed(old: &str, new: &str) -> String {
    assert_eq!(GOOD.matches(old).count(), 1, "{old}");
    GOOD.replace(old, new)
}
