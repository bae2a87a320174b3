//! A switch stays usable when packets stay in it forever.

use std::time::{Duration, Instant};

use weir_device::Device;
use weir_switch::Switch;
use weir_switch::control::{CloneSession, Replica, Update};

use crate::bench::{Bench, executor, frame, running_switch};

/// Packets of this type stay in the switch.
const FOREVER: u16 = 0x1234;

/// Returns a program in which packets from port 1 leave through port 2, and other packets run these
/// statements in ingress and egress.
fn program(ingress: &str, egress: &str) -> Switch {
    running_switch(executor(format!(
        "#include <core.p4>
#include <v1model.p4>
header ethernet_t {{ bit<48> dst; bit<48> src; bit<16> type; }}
struct headers_t {{ ethernet_t ethernet; }}
struct metadata_t {{ @field_list(1) bit<8> kept; }}
parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{
    state start {{ packet.extract(hdr.ethernet); transition accept; }}
}}
control Verify(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{
    apply {{ sm.egress_spec = 2; if (hdr.ethernet.type == {FOREVER}) {{ {ingress} }} }}
}}
control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{
    apply {{ if (hdr.ethernet.type == {FOREVER}) {{ {egress} }} }}
}}
control Compute(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
control Deparse(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.ethernet); }} }}
V1Switch(Parse(), Verify(), In(), Out(), Compute(), Deparse()) main;
"
    )))
}

/// Sends frames that stay in the switch, then frames that cross it. Checks that the switch can
/// still be read and stopped.
fn assert_stays_usable(mut switch: Switch) {
    let replicas = [1, 2].map(|port| Replica::new(port, 0)).to_vec();
    for update in [
        Update::SetMulticastGroup { group: 1, replicas: Some(replicas.clone()) },
        Update::SetCloneSession {
            session: 5,
            config: Some(CloneSession { replicas, ..CloneSession::default() }),
        },
    ] {
        switch.control().change(&update).unwrap();
    }
    let mut bench = Bench::start(switch);
    let forever: Vec<_> = (0..20).map(|number| frame(2, FOREVER, number)).collect();
    bench.send(0, &forever);
    let end = Instant::now() + Duration::from_secs(20);
    let account = || bench.plane.try_with_switch(|switch, _| switch.account()).unwrap();
    while account().repeated < 300_000 && Instant::now() < end {
        std::thread::yield_now();
    }
    assert!(account().repeated >= 300_000, "the frames stay in the switch: {:?}", account());
    let others: Vec<_> = (0..200).map(|number| frame(2, 0x0800, number)).collect();
    bench.send(0, &others);
    assert_eq!(bench.receive(1, 200), others);
    let account = bench.plane.try_with_switch(|switch, _| switch.account()).unwrap();
    assert!(account.in_flight <= (1 << 14) + 1, "{account:?}");
    bench.plane.stop();
    let start = Instant::now();
    bench.workers.take().unwrap().join();
    assert!(start.elapsed() < Duration::from_secs(20), "the workers end");
}

#[test]
fn resubmitted_packets_leave_the_switch_usable() {
    assert_stays_usable(program("resubmit_preserving_field_list(1);", ""));
}

#[test]
fn recirculated_packets_leave_the_switch_usable() {
    assert_stays_usable(program("", "recirculate_preserving_field_list(1);"));
}

#[test]
fn multiplied_packets_leave_the_switch_usable() {
    assert_stays_usable(program("sm.mcast_grp = 1;", "recirculate_preserving_field_list(1);"));
}

#[test]
fn clones_of_recirculated_packets_leave_the_switch_usable() {
    let egress = "if (sm.instance_type != 2) { clone(CloneType.E2E, 5); }
        recirculate_preserving_field_list(1);";
    assert_stays_usable(program("", egress));
}
