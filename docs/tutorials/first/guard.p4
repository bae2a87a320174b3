#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers { ethernet_t ethernet; }
struct metadata { }

parser MyParser(packet_in packet, out headers hdr, inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyIngress(inout headers hdr, inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    counter(8, CounterType.packets_and_bytes) blocked_at;

    action forward(bit<9> port) { standard_metadata.egress_spec = port; }
    action flood() { standard_metadata.mcast_grp = 1; }
    action block() {
        blocked_at.count((bit<32>)standard_metadata.ingress_port);
        mark_to_drop(standard_metadata);
    }

    table guard {
        key = { hdr.ethernet.src: exact; }
        actions = { block; NoAction; }
        default_action = NoAction();
    }

    table mac {
        key = { hdr.ethernet.dst: exact; }
        actions = { forward; flood; }
        default_action = flood();
    }

    apply {
        if (guard.apply().miss) {
            mac.apply();
        }
    }
}

control MyEgress(inout headers hdr, inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    action drop() { mark_to_drop(standard_metadata); }
    apply {
        // A flooded packet does not go back to where it came from.
        if (standard_metadata.egress_port == standard_metadata.ingress_port) {
            drop();
        }
    }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyDeparser(packet_out packet, in headers hdr) {
    apply { packet.emit(hdr.ethernet); }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(),
         MyComputeChecksum(), MyDeparser()) main;
