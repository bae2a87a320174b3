//! Topologies with several mistakes: each is listed once, without consequences of others.

use crate::common::{changed, read_text};

#[test]
fn all_mistakes_of_a_file_are_listed_in_order() {
    let text = r#"{
  "hosts": {
    "h1": {"ip": "10.0.1.1/24", "mac": "08:00:00:00:01:11"},
    "h2": {"ip": "10.0.2.2", "mac": "08:00:00:00:02:22"},
    "h3": {"ip": "10.0.3.3/24", "mac": "08:00:00:00:03"}
  },
  "switches": {"s1": {}, "s2": {"cpu_prot": 510}},
  "links": [
    ["h1", "s1-p1", "fast"],
    ["h2", "s1-p2"],
    ["s1-p3", "s2-p1"],
    ["s1-p1", "s1-p4", 0, "much"]
  ]
}"#;
    let error = read_text(text).unwrap_err().to_string();
    assert_eq!(
        places(&error),
        [
            "4: $.hosts.h2.ip",
            "5: $.hosts.h3.mac",
            "7: $.switches.s2.cpu_prot",
            "9: $.links[0][2]",
            // The port of the first link, whatever other mistakes the link has.
            "12: $.links[3][0]",
            "12: $.links[3][3]",
        ],
        "{error}"
    );
}

/// Returns the line and the path of each mistake.
fn places(error: &str) -> Vec<String> {
    let place = |line: &str| {
        let parts: Vec<_> = line.splitn(5, ':').collect();
        format!("{}:{}", parts[1], parts[3])
    };
    error.lines().map(place).collect()
}

#[test]
fn all_mistakes_of_an_element_are_listed() {
    let text = r#"{
  "hosts": {
    "h1": {"ip": "10.0.1", "macc": "x", "mtu": "1B", "gateway": 1, "arp": {"x": "y"}, "color": "red",
      "programs": [{"class": "x", "udp": 0, "tcp": [1, "x"], "frame": true}], "processing": 5},
    "h2": {"ipp": "10.0.2.2/24", "interfaces": [{"mac": 7, "mtu": true}, {"ip": "x"}]},
    "h3": {"ip": "10.0.3.3/24", "commands": ["ping h1", "route add default gw 10.0.3.1", "tc x"]}
  },
  "switches": {
    "s1": {"queue_rate": 1, "queue_depth": 0, "priorities": 9, "cpu_port": 4294967296, "profile": 1,
      "program": "x.p4", "p4": "y.p4", "runtime_json": "z.json", "ports": 2}
  },
  "links": [
    {"end": ["h1", "s1-p1"], "rate": 1, "delay": "1", "jitter": true, "loss": "200%", "duplicate": 1,
      "corrupt": "x", "reorder": ["1", 2], "queue": "1", "mtu": 1500, "overtake": 1, "up": "no"},
    {"ends": ["h4", "s1-p4294967296"], "qdisc": {"h1": "x"}},
    ["h5", "s1-p2", "x", "y"]
  ],
  "link": []
}"#;
    let error = read_text(text).unwrap_err().to_string();
    let listed: Vec<_> = read_text(text).unwrap_err().all().iter().map(ToString::to_string).collect();
    let h1 =
        ["ip", "macc", "mtu", "gateway", "arp.x", "arp.x", "color"].map(|key| format!("3: $.hosts.h1.{key}"));
    let programs =
        [".class", ".udp", ".tcp[1]", ".frame"].map(|key| format!("4: $.hosts.h1.programs[0]{key}"));
    // The key of the missing address is known to be misspelt. If a host's address is known, all of
    // its commands are checked.
    let others = [
        "4: $.hosts.h1.processing",
        "5: $.hosts.h2.ipp",
        "5: $.hosts.h2.interfaces[0].mac",
        "5: $.hosts.h2.interfaces[0].mtu",
        "5: $.hosts.h2.interfaces[1].ip",
        "6: $.hosts.h3.commands[0]",
        "6: $.hosts.h3.commands[2]",
    ];
    let s1 = ["queue_rate", "queue_depth", "priorities", "cpu_port", "profile"]
        .map(|key| format!("9: $.switches.s1.{key}"));
    let files =
        ["program", "p4", "p4", "runtime_json", "ports"].map(|key| format!("10: $.switches.s1.{key}"));
    let links =
        ["end", "rate", "delay", "jitter", "loss", "duplicate"].map(|key| format!("13: $.links[0].{key}"));
    let rest = ["corrupt", "reorder[0]", "reorder[1]", "queue", "mtu", "overtake", "up"]
        .map(|key| format!("14: $.links[0].{key}"));
    let last = [
        "15: $.links[1].ends[0]",
        "15: $.links[1].ends[1]",
        "16: $.links[2][0]",
        "16: $.links[2][2]",
        "16: $.links[2][3]",
        "18: $.link",
    ];
    let expected: Vec<String> = h1
        .into_iter()
        .chain(programs)
        .chain(others.map(str::to_owned))
        .chain(s1)
        .chain(files)
        .chain(links)
        .chain(rest)
        .chain(last.map(str::to_owned))
        .collect();
    assert_eq!(places(&listed.join("\n")), expected, "{}", listed.join("\n"));
    assert_eq!(error.lines().last(), Some(&*format!("and {} more mistakes", expected.len() - 20)));
}

#[test]
fn wrong_nodes_cause_no_mistakes_in_their_links_and_commands() {
    for (hosts, expected) in [
        // The host's interfaces are not known.
        (r#""h1": {"ip": "10.0.1.1/24", "interfaces": 2}"#, "3: $.hosts.h1.interfaces"),
        (r#""h1": {"ip": 1, "commands": ["ip addr del 10.0.1.1/24 dev eth0"]}"#, "3: $.hosts.h1.ip"),
        // This may be the host that links call h1.
        (r#""h-1": {"ip": "10.0.1.1/24"}"#, "3: $.hosts.h-1"),
        // Both hosts have an address that a third host has.
        (r#""h1": {"ip": "10.0.1.1/24", "mtu": 1}"#, "3: $.hosts.h1.mtu"),
    ] {
        let text = format!(
            r#"{{
  "hosts": {{
    {hosts},
    "h2": {{"ip": "10.0.2.2/24"}}
  }},
  "switches": {{"s1": {{}}}},
  "links": [["h1-eth0", "s1-p1"], ["h2", "s1-p2"]]
}}"#
        );
        let error = read_text(&text).unwrap_err().to_string();
        assert_eq!(places(&error), [expected], "{error}");
    }
}

#[test]
fn a_misspelt_section_hides_no_mistakes_of_the_others() {
    let text =
        changed("\"hosts\"", "\"host\"").replace("\"510\"", "4294967296").replace("}, \"s2\"", "}, \"s/2\"");
    let error = read_text(&text).unwrap_err().to_string();
    assert_eq!(places(&error), ["2: $.host", "10: $.switches.\"s/2\""], "{error}");
    let text = changed("\"switches\"", "\"swiches\"").replace("10.0.2.2/24", "10.0.1.1/24");
    let error = read_text(&text).unwrap_err().to_string();
    assert_eq!(places(&error), ["8: $.hosts.h2", "10: $.swiches"], "{error}");
}

#[test]
fn mistakes_in_a_p4app_are_listed_too() {
    let text = r#"{
  "p4_src": "x.p4", "clii": true, "exec_scripts": [1], "tasks_file": "t",
  "topology": {
    "assignment_strategy": "l4", "auto_gw_arp": 1, "default_bw": "x", "defaults": {},
    "hosts": {"h1": {"dhcp": true, "defaultRoute": 1, "x": 1}, "h2": {}},
    "switches": {"s1": {"cpu_port": 1, "device_id": "x", "sw_bin": "y", "priority_queues_num": 9}, "s2": {}},
    "links": [["h1", "s1", {"delay": 5, "loss": 101, "port1": "x", "weigth": 1}], ["h2", "s3", {"addr1": 1}]]
  }
}"#;
    let error = read_text(text).unwrap_err();
    let listed: Vec<_> = error.all().iter().map(ToString::to_string).collect();
    let expected = [
        "2: $.p4_src",
        "2: $.clii",
        "2: $.exec_scripts",
        "2: $.tasks_file",
        "4: $.topology.assignment_strategy",
        "4: $.topology.auto_gw_arp",
        // Both links use the default rate; its mistake is reported once.
        "4: $.topology.default_bw",
        "4: $.topology.defaults",
        "5: $.topology.hosts.h1.dhcp",
        "5: $.topology.hosts.h1.defaultRoute",
        "5: $.topology.hosts.h1.x",
        "6: $.topology.switches.s1.cpu_port",
        "6: $.topology.switches.s1.device_id",
        "6: $.topology.switches.s1.sw_bin",
        "6: $.topology.switches.s1.priority_queues_num",
        "7: $.topology.links[0][2].delay",
        "7: $.topology.links[0][2].loss",
        "7: $.topology.links[0][2].port1",
        "7: $.topology.links[0][2].weigth",
        "7: $.topology.links[1][1]",
        "7: $.topology.links[1][2].addr1",
    ];
    assert_eq!(places(&listed.join("\n")), expected, "{}", listed.join("\n"));
}
