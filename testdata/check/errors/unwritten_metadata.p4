// Fields of the program's own metadata that are read and never written.
#include <core.p4>
#include <v1model.p4>

enum bit<8> Kind { First = 1, Second = 2 }
header item_h { bit<8> kind; bit<8> count; bit<16> port; }
struct headers_t { item_h item; }
struct inner_t {
    bit<8> set;
    bit<8> unset;                       // WARNING unwritten-metadata
    Kind kind;                          // WARNING unwritten-metadata
    @noWarn("unwritten-metadata")
    bit<8> zero;
}
struct pair_t { bit<8> left; bit<8> right; }
struct meta_t {
    bit<8> missing;                     // WARNING unwritten-metadata
    bit<8> by_out;
    bit<8> by_slice;
    bit<8> by_extern;
    bit<8> by_control;
    bit<8> only_given;                  // WARNING unwritten-metadata
    bool flag;                          // WARNING unwritten-metadata
    bit<8> idle;
    inner_t inner;
    inner_t copy;
    pair_t pair;
}
// A struct of the program that is not metadata: its variables are the flow analysis' business.
struct local_t { bit<8> value; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        meta.inner.set = hdr.item.kind;
        meta.by_slice[3:0] = hdr.item.count[3:0];
        transition select(meta.missing) {
            1: reject;
            default: accept;
        }
    }
}

void fill(out bit<8> value) { value = 1; }
void use(in pair_t pair, inout bit<8> sum) { sum = sum + pair.left + pair.right; }

control Set(out bit<8> value) {
    apply { value = 2; }
}

control Add(in bit<8> value, inout bit<8> sum) {
    apply { sum = sum + value; }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    Set() set;
    Add() add;
    table t {
        key = {
            meta.flag: exact;
            meta.by_out: exact;
            meta.missing: exact;
        }
        actions = { NoAction; }
        default_action = NoAction();
    }
    apply {
        fill(meta.by_out);
        set.apply(meta.by_control);
        add.apply(meta.only_given, hdr.item.count);
        random(meta.by_extern, 0, 9);
        meta.copy = meta.inner;
        meta.pair = { 1, hdr.item.count };
        use(meta.pair, hdr.item.count);
        t.apply();
        hdr.item.port = meta.inner.set ++ meta.inner.unset;
        if (meta.inner.kind == Kind.Second) {
            hdr.item.kind = meta.inner.zero;
            hdr.item.count = meta.by_slice + meta.by_out + meta.by_extern + meta.by_control;
        }
        local_t here = { 3 };
        hdr.item.kind = here.value;
        standard.egress_spec = 1;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply {} }
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
