// Headers that are extracted twice, and headers that can be valid but are never emitted.
#include <core.p4>
#include <v1model.p4>

header item_h { bit<8> kind; bit<8> count; }
header other_h { bit<8> kind; bit<8> count; }
header wide_h { bit<16> both; }
@controller_header("packet_out")
header command_h { bit<16> port; }
header_union either_u { other_h other; wide_h wide; }

struct inner_t {
    item_h deep;                                        // WARNING never-emitted
    item_h deep_too;
}
struct headers_t {
    item_h first;
    item_h lost;                                        // WARNING never-emitted
    item_h made;                                        // WARNING never-emitted
    item_h removed;
    item_h never;
    item_h invalid;
    item_h late;
    item_h copied;
    item_h copy;
    wide_h wide;
    other_h[3] stack;                                   // WARNING never-emitted
    other_h[2] sent;
    command_h command;
    inner_t inner;
    either_u either;
}
struct meta_t { bit<8> next; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    item_h skipped;
    state start {
        packet.extract(hdr.first);
        packet.extract(hdr.lost);
        packet.extract(hdr.removed);
        packet.extract(hdr.copied);
        packet.extract(hdr.stack.next);
        packet.extract(hdr.stack.next);
        packet.extract(hdr.command);
        packet.extract(hdr.inner.deep);
        packet.extract(hdr.inner.deep_too);
        packet.extract(hdr.wide);
        packet.extract(skipped);
        packet.extract(skipped);
        transition select(hdr.first.kind) {
            1: again;
            2: again_possibly;
            3: loop;
            4: in_union;
            5: late;
            default: accept;
        }
    }
    state again {
        packet.extract(hdr.first);                      // WARNING extracted-twice
        transition again_possibly;
    }
    state again_possibly {
        packet.extract(hdr.sent[0]);
        packet.extract(hdr.sent[1]);
        packet.extract(hdr.copy);
        transition accept;
    }
    state loop {
        packet.extract(hdr.copy);                       // WARNING extracted-twice
        transition select(hdr.copy.kind) {
            0: accept;
            default: loop;
        }
    }
    // Not valid before, although a field is read.
    state late {
        hdr.first.count = hdr.late.count;               // WARNING invalid-header-read
        packet.extract(hdr.late);
        transition accept;
    }
    state in_union {
        packet.extract(hdr.either.other);
        packet.extract(hdr.either.wide);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.made.setValid();
        hdr.made = { 1, 2 };
        hdr.copy = hdr.copied;
        hdr.removed.setInvalid();
        hdr.never.setValid();
        hdr.invalid.kind = 1;                           // WARNING invalid-header-write
        if (hdr.first.kind == 7) {
            hdr.never.setInvalid();
        } else {
            hdr.never.setInvalid();
        }
    }
}

control Emit(packet_out packet, in wide_h any) {
    apply { packet.emit(any); }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply {} }
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) {
    Emit() emit;
    apply {
        packet.emit(hdr.first);
        packet.emit(hdr.copy);
        packet.emit(hdr.late);
        emit.apply(packet, hdr.wide);
        packet.emit(hdr.sent);
        packet.emit(hdr.inner.deep_too);
        packet.emit(hdr.either);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
