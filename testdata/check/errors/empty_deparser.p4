// A deparser that emits nothing gets one warning.
#include <core.p4>
#include <v1model.p4>

header item_h { bit<8> kind; bit<8> count; }
struct headers_t { item_h first; item_h second; item_h third; }
struct meta_t {}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.first);
        transition select(hdr.first.kind) {
            1: more;
            default: accept;
        }
    }
    state more {
        packet.extract(hdr.second);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply { standard.egress_spec = 1; }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply {} }
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply {} }     // WARNING never-emitted

V1Switch(P(), V(), I(), E(), C(), D()) main;
