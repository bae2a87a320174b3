// A table that controllers switch on with an entry, and a check that does nothing.
#include <v1model.p4>

header item_t {
    bit<8> kind;
}

struct headers_t {
    item_t item;
}

struct metadata_t {
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        verify(true, error.NoError);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action send() {
        standard.egress_spec = 1;
    }
    table forwarding_is_on {
        key = {
            1w1: ternary @name("any");
        }
        actions = {
            send;
            NoAction;
        }
    }
    apply {
        forwarding_is_on.apply();
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control C(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.item);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
