// Without copies, egress gets the headers that ingress leaves.
#include <core.p4>
#include <v1model.p4>

header item_h { bit<8> kind; bit<8> count; }

struct headers_t {
    item_h first;
    item_h removed;
    item_h added;
}
struct meta_t {}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.first);
        packet.extract(hdr.removed);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply { hdr.removed.setInvalid(); }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.first.kind = hdr.removed.kind;      // WARNING invalid-header-read
        hdr.first.count = hdr.added.kind;       // WARNING invalid-header-read
        hdr.added.setValid();
        hdr.added.kind = 1;
        hdr.added.count = 7;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
