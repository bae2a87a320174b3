//! The index of a topology: parts that it finds, and duplicates that it refuses.

use weir_json::{Kind, Value};
use weir_topology::{End, Error, Host, HostAddress, Index, Mac, Nodes, end};

fn host(name: &str, mac: u8, address: &str) -> Host {
    let address = HostAddress { address: address.parse().unwrap(), prefix: 24 };
    Host::new(name, Mac([8, 0, 0, 0, 0, mac]), address)
}

fn end(index: &Index, text: &str) -> End {
    end::read(&Value::from(Kind::Text(text.to_owned())), index).unwrap()
}

fn add_link(index: &mut Index, a: &str, b: &str) -> Result<usize, Error> {
    let (a, b) = (end(index, a), end(index, b));
    index.add_link(&a, &b)
}

/// Creates h1 and h2 at s1, and two links between s1 and s2.
fn example() -> Index {
    let mut index = Index::default();
    index.add_host(&host("h1", 1, "10.0.0.1")).unwrap();
    index.add_host(&host("h2", 2, "10.0.0.2")).unwrap();
    index.add_switch("s1");
    index.add_switch("s2");
    for (number, (a, b)) in
        [("h1", "s1-p1"), ("s1-p3", "h2"), ("s1-p4", "s2-p1"), ("s2-p2", "s1-p5")].into_iter().enumerate()
    {
        assert_eq!(add_link(&mut index, a, b), Ok(number));
    }
    index
}

#[test]
fn addresses_are_unique() {
    let mut index = example();
    let mut refused = |host: &Host| index.add_host(host).unwrap_err().to_string();
    assert_eq!(refused(&host("h3", 3, "10.0.0.2")), "h2 already has the address 10.0.0.2");
    assert_eq!(refused(&host("h3", 1, "10.0.0.3")), "h1 already has the MAC address 08:00:00:00:00:01");
    let mut twice = host("h3", 3, "10.0.0.3");
    twice.interfaces.push(twice.interfaces[0].clone());
    assert_eq!(refused(&twice), "h3 already has the address 10.0.0.3");
    twice.interfaces[1].addresses[0].address = "10.0.0.4".parse().unwrap();
    assert_eq!(refused(&twice), "h3 already has the MAC address 08:00:00:00:00:03");
    assert_eq!(refused(&host("h3", 3, "fe80::1")), "h3 has no IPv4 address at eth0");
    assert_eq!(index.counts(), (2, 2, 4));
}

#[test]
fn a_host_can_be_added_again() {
    let mut index = example();
    let mut h1 = host("h1", 1, "10.0.0.1");
    let second = host("h1", 9, "10.0.9.1").interfaces.remove(0);
    h1.interfaces.push(second);
    index.add_host(&h1).unwrap();
    assert_eq!(index.counts(), (2, 2, 4));
    assert_eq!(end(&index, "h1-eth1"), End::Host { name: "h1".to_owned(), interface: 1 });
    assert_eq!(
        index.add_host(&host("h3", 3, "10.0.9.1")).unwrap_err().to_string(),
        "h1 already has the address 10.0.9.1"
    );
    // Addresses that the host no longer has are free.
    index.add_host(&host("h1", 1, "10.0.0.7")).unwrap();
    index.add_host(&host("h3", 9, "10.0.0.1")).unwrap();
    assert_eq!(index.names(), ["h1", "h2", "h3", "s1", "s2"]);
}

#[test]
fn the_next_mac_address_is_free() {
    let mut index = example();
    index.add_host(&host("h3", 4, "10.0.0.3")).unwrap();
    assert_eq!(index.next_mac().to_string(), "08:00:00:00:00:03");
    index.add_host(&host("h4", 3, "10.0.0.4")).unwrap();
    assert_eq!(index.next_mac().to_string(), "08:00:00:00:00:05");
}

#[test]
fn ends_have_one_link() {
    let mut index = example();
    let mut refused = |a, b| add_link(&mut index, a, b).unwrap_err().to_string();
    assert_eq!(refused("s2-p9", "s1-p3"), "port 3 of s1 is already linked (s1-p3 <-> h2)");
    assert_eq!(
        refused("h1", "s1-p9"),
        "host h1 is already linked (h1 <-> s1-p1); Topology.add_interface gives h1 another interface"
    );
    assert_eq!(refused("s1-p8", "s1-p9"), "a link needs two nodes, both ends are on s1");
    assert_eq!(index.counts(), (2, 2, 4));
    assert_eq!(index.link_at(&end(&index, "s1-p4")), Some(2));
    assert_eq!(index.link_at(&end(&index, "s1-p9")), None);
}

#[test]
fn ports_are_free_from_1_on() {
    let mut index = example();
    assert_eq!((index.ports("s1"), index.ports("s9")), (vec![1, 3, 4, 5], vec![]));
    assert_eq!((index.free_port("s1"), index.free_port("s2")), (Ok(2), Ok(3)));
    // Programs with wide ports can have as many links.
    for port in 1..=600 {
        let (name, s1) = (format!("x{port}"), End::Switch { name: "s1".to_owned(), port: Some(port) });
        index.add_switch(&name);
        index.place_link(&End::Switch { name, port: Some(1) }, &s1);
    }
    assert_eq!(index.free_port("s1"), Ok(601));
    assert_eq!(end(&index, "s1-p4294967295").to_string(), "s1-p4294967295");
}

#[test]
fn links_are_found_by_nodes_or_ends() {
    let index = example();
    let find = |a, b| index.find_link(&end(&index, a), &end(&index, b), [a, b]);
    for (a, b, number) in [
        ("h1", "s1", 0),
        ("s1", "h1", 0),
        ("h2", "s1-p3", 1),
        ("s1-p4", "s2", 2),
        ("s2", "s1-p5", 3),
        ("s2-p2", "s1-p5", 3),
    ] {
        assert_eq!(find(a, b), Ok(number), "{a} {b}");
    }
    let refused = |a, b| find(a, b).unwrap_err().to_string();
    assert_eq!(refused("s1", "s2"), "2 links join s1 and s2: name one by its ports, such as s1-p4 and s2-p1");
    assert_eq!(refused("h1", "h2"), "no link joins h1 and h2 (h1 has h1 <-> s1-p1)");
    assert_eq!(
        refused("s2-p1", "h1"),
        "no link joins s2-p1 and h1 (s2 has s1-p4 <-> s2-p1, s2-p2 <-> s1-p5)"
    );
    assert_eq!(
        refused("s2-p1", "s1-p5"),
        "no link joins s2-p1 and s1-p5 (s2 has s1-p4 <-> s2-p1, s2-p2 <-> s1-p5)"
    );
}
