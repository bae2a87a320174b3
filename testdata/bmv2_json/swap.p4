// Swaps the addresses of a frame and sends it to the port that a table says, by default 2.
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> kind;
}

struct headers { ethernet_t ethernet; }
struct metadata { }

parser P(packet_in p, out headers hdr, inout metadata meta, inout standard_metadata_t s) {
    state start {
        p.extract(hdr.ethernet);
        transition accept;
    }
}

control V(inout headers hdr, inout metadata meta) { apply { } }

control I(inout headers hdr, inout metadata meta, inout standard_metadata_t s) {
    counter(4, CounterType.packets) seen;
    action to_port(bit<9> port) {
        s.egress_spec = port;
    }
    action drop() {
        mark_to_drop(s);
    }
    table ports {
        key = { hdr.ethernet.kind: exact; }
        actions = { to_port; drop; }
        default_action = to_port(2);
    }
    apply {
        bit<48> old = hdr.ethernet.dst;
        hdr.ethernet.dst = hdr.ethernet.src;
        hdr.ethernet.src = old;
        seen.count((bit<32>) s.ingress_port);
        ports.apply();
    }
}

control E(inout headers hdr, inout metadata meta, inout standard_metadata_t s) { apply { } }
control U(inout headers hdr, inout metadata meta) { apply { } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr.ethernet); } }

V1Switch(P(), V(), I(), E(), U(), D()) main;
