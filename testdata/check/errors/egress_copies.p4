// Copies of packets reach egress with other headers than packets from ingress.
#include <core.p4>
#include <v1model.p4>

header item_h { bit<8> kind; bit<8> count; }

struct headers_t {
    item_h first;
    item_h removed;
    item_h added;
    item_h made;
    item_h never;
}
struct meta_t {}

const bit<32> COPY_OF_INGRESS = 1;
const bit<32> COPY_OF_EGRESS = 2;

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.first);
        packet.extract(hdr.removed);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.removed.setInvalid();
        hdr.made.setValid();
        hdr.made = { 1, 2 };
        clone(CloneType.I2E, 1);
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.instance_type == COPY_OF_INGRESS) {
            hdr.first.kind = hdr.removed.count;
            hdr.first.kind = hdr.made.kind;         // WARNING invalid-header-read
        } else if (standard.instance_type == COPY_OF_EGRESS) {
            hdr.first.kind = hdr.added.count;
            hdr.first.kind = hdr.made.kind;
        } else {
            hdr.first.kind = hdr.made.count;
            clone(CloneType.E2E, 1);
        }
        hdr.first.count = hdr.never.count;          // WARNING invalid-header-read
        hdr.first.kind = hdr.removed.kind;          // WARNING maybe-invalid-header
        if (hdr.added.isValid()) {
            hdr.added.count = hdr.added.count - 1;
        } else {
            hdr.added.setValid();
            hdr.added.kind = 1;
            hdr.added.count = 7;
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
