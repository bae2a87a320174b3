// Sends what comes in at port 1 out at port 2, and the other way.
#include <core.p4>
#include <v1model.p4>

struct headers_t { }

struct metadata_t { }

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 3 - sm.ingress_port;
        log_msg("from {}", { sm.ingress_port });
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply { }
}

V1Switch(Parse(), Check(), In(), Out(), Check(), Deparse()) main;
