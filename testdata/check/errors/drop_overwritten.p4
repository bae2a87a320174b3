// Dropped packets that a later write of a port sends after all.
#include <core.p4>
#include <v1model.p4>

header item_h { bit<8> kind; bit<8> count; bit<16> port; }
struct headers_t { item_h item; }
struct meta_t { bool denied; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        transition accept;
    }
}

// Tables one after the other: the second sends what the first dropped.
control Sequence(in headers_t hdr, inout standard_metadata_t standard) {
    action deny() { mark_to_drop(standard); }
    action send(bit<9> port) {
        standard.egress_spec = port;            // WARNING drop-overwritten
    }
    table filter {
        key = { hdr.item.kind: exact; }
        actions = { deny; NoAction; }
        default_action = NoAction();
    }
    table forward {
        key = { hdr.item.port: exact; }
        actions = { send; deny; }
        default_action = deny();
    }
    apply {
        filter.apply();
        forward.apply();
    }
}

// A drop that comes first is a default.
control Default(in headers_t hdr, inout standard_metadata_t standard) {
    action send(bit<9> port) { standard.egress_spec = port; }
    action group(bit<16> number) { standard.mcast_grp = number; }
    table first {
        key = { hdr.item.kind: exact; }
        actions = { send; NoAction; }
        default_action = NoAction();
    }
    table second {
        key = { hdr.item.port: exact; }
        actions = { send; group; NoAction; }
        default_action = NoAction();
    }
    apply {
        if (hdr.item.isValid()) {
            mark_to_drop(standard);
            first.apply();
            second.apply();
        }
    }
}

// Packets that were dropped do not get to the write.
control Guarded(in headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    action deny() { mark_to_drop(standard); }
    action flag() { mark_to_drop(standard); meta.denied = true; }
    action deny_at_once() { mark_to_drop(standard); exit; }
    action send(bit<9> port) { standard.egress_spec = port; }
    action none() { standard.mcast_grp = 0; }
    table filter {
        key = { hdr.item.kind: exact; }
        actions = { flag; deny_at_once; none; }
        default_action = none();
    }
    table forward {
        key = { hdr.item.port: exact; }
        actions = { send; deny; }
        default_action = deny();
    }
    apply {
        meta.denied = false;
        filter.apply();
        if (!meta.denied) {
            switch (forward.apply().action_run) {
                deny: { standard.egress_spec = 9; }     // replaces the drop on purpose
                default: { none(); }
            }
        }
    }
}

// A condition in which only some packets were dropped.
control Mixed(in headers_t hdr, inout standard_metadata_t standard) {
    apply {
        if (hdr.item.kind == 1) {
            mark_to_drop(standard);
        } else {
            standard.egress_spec = 2;
        }
        if (hdr.item.count > 7) {
            standard.mcast_grp = 1;                     // WARNING drop-overwritten
        }
        standard.egress_spec = 511;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    Sequence() sequence;
    Default() default_drop;
    Guarded() guarded;
    Mixed() mixed;
    apply {
        if (hdr.item.count == 1) {
            sequence.apply(hdr, standard);
        } else if (hdr.item.count == 2) {
            default_drop.apply(hdr, standard);
        } else if (hdr.item.count == 3) {
            guarded.apply(hdr, meta, standard);
        } else {
            mixed.apply(hdr, standard);
        }
    }
}

// A new block begins with packets that were not dropped.
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.item.port == 7) {
            mark_to_drop(standard);
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
