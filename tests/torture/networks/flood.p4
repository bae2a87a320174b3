// Every packet leaves by all ports but its own, or by the port in its first byte, or recirculates.
#include <core.p4>
#include <v1model.p4>

header first_t {
    bit<8> what;
    bit<8> port;
}

struct headers {
    first_t first;
}

struct metadata { }

parser P(packet_in pkt, out headers hdr, inout metadata meta, inout standard_metadata_t std) {
    state start {
        pkt.extract(hdr.first);
        transition accept;
    }
}

control V(inout headers hdr, inout metadata meta) {
    apply { }
}

control I(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    apply {
        if (hdr.first.what == 2) {
            std.egress_spec = (bit<9>) hdr.first.port;
        } else if (hdr.first.what == 4) {
            std.egress_spec = std.ingress_port;
        } else {
            std.mcast_grp = 1;
        }
        if (hdr.first.what == 6) {
            resubmit_preserving_field_list(0);
        }
    }
}

control E(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    apply {
        if (hdr.first.what == 8) {
            recirculate_preserving_field_list(0);
        }
        if (hdr.first.what == 10) {
            clone_preserving_field_list(CloneType.E2E, 1, 0);
        }
    }
}

control C(inout headers hdr, inout metadata meta) {
    apply { }
}

control D(packet_out pkt, in headers hdr) {
    apply { pkt.emit(hdr.first); }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
