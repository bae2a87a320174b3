// Tables without `default_action` whose misses decide nothing, where all other packets are decided.
#include <core.p4>
#include <v1model.p4>

header item_h { bit<8> kind; bit<8> count; bit<16> port; }
struct headers_t { item_h item; }
struct meta_t {}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    action drop() { mark_to_drop(standard); }
    action send(bit<9> port) { standard.egress_spec = port; }
    action mark(bit<8> value) { hdr.item.count = value; }
    table forward {                             // WARNING implied-default
        key = { hdr.item.port: exact; }
        actions = { send; drop; }
    }
    // Its misses go on to `forward`.
    table first {
        key = { hdr.item.port: lpm; }
        actions = { send; }
    }
    // Decides about no packet.
    table count {
        key = { hdr.item.kind: exact; }
        actions = { mark; }
    }
    // Without a key, the control plane has to set the default.
    table other {
        actions = { send; drop; }
    }
    apply {
        count.apply();
        if (hdr.item.kind == 1) {
            drop();
        } else if (hdr.item.kind == 2) {
            other.apply();
            if (standard.egress_spec == 0) { standard.egress_spec = 1; }
            else { standard.mcast_grp = 1; }
        } else if (!first.apply().hit) {
            forward.apply();
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply {} }
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
