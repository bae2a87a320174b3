/* hello.p4 - a switch with two ports: what comes in at one goes out at the other. */
#include <core.p4>
#include <v1model.p4>

struct headers { }
struct metadata { }

parser MyParse(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    state start { transition accept; }
}

control MyChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    apply { standard.egress_spec = 3 - standard.ingress_port; }
}

control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply { } }

control MyDeparse(packet_out packet, in headers hdr) { apply { } }

V1Switch(MyParse(), MyChecksum(), MyIngress(), MyEgress(), MyChecksum(), MyDeparse()) main;
