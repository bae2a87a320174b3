// A deparser that ends before it emits a header, so that the packet loses this header.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> flags;
    bit<8> count;
}

struct headers_t {
    h_t h;
}

struct meta_t {}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        standard_metadata.egress_spec = 1;
        hdr.h.count = hdr.h.count + 1;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard_metadata) {
    apply {}
}

control C(inout headers_t hdr, inout meta_t meta) {
    apply {}
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        if (hdr.h.flags[0:0] == 1) {
            exit;
        }
        if (hdr.h.flags[1:1] == 1) {
            return;
        }
        packet.emit(hdr.h);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
