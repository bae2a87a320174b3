// Metadata of the architecture that is read before the switch sets it, or written after it was read.
#include <core.p4>
#include <v1model.p4>

header item_h { bit<8> kind; bit<8> count; bit<16> port; }
struct headers_t { item_h item; }
struct meta_t { bit<19> depth; bit<9> port; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        meta.port = standard.egress_port;           // WARNING read-too-early
        transition select(standard.parser_error) {  // WARNING read-too-early
            error.NoError: accept;
            default: reject;
        }
    }
}

void fill(out bit<19> depth) { depth = 1; }
void add(inout bit<16> group) { group = group + 1; }

// What a control may do depends on the block that applies it.
control Depth(inout standard_metadata_t any, out bit<19> depth) {
    apply { depth = any.deq_qdepth; }               // WARNING read-too-early
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    Depth() inner;
    action mark() { hdr.item.kind = 7; }
    table t {
        key = {
            standard.enq_qdepth: range;             // WARNING read-too-early
            standard.parser_error: exact;
        }
        actions = { mark; NoAction; }
        default_action = NoAction();
    }
    // A table that does nothing shows values in the log.
    table shown {
        key = { standard.enq_qdepth: exact; }
        actions = { NoAction; }
        default_action = NoAction();
    }
    apply {
        t.apply();
        shown.apply();
        inner.apply(standard, meta.depth);
        standard.egress_spec = meta.port;
        add(standard.mcast_grp);
        standard.priority = 3;
        fill(standard.deq_qdepth);                  // WARNING written-too-early
        standard.egress_rid = hdr.item.port;        // WARNING written-too-early
        hdr.item.port[8:0] = (bit<9>)standard.egress_rid;   // reads what it wrote itself
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    Depth() inner;
    action drop() { mark_to_drop(standard); }
    action undo() {
        standard.egress_spec = standard.egress_port;    // WARNING written-too-late
    }
    apply {
        inner.apply(standard, meta.depth);
        if (standard.enq_qdepth > meta.depth) {
            standard.priority = 0;                  // WARNING written-too-late
            add(standard.mcast_grp);                // WARNING written-too-late
        }
        standard.mcast_grp = 0;
        if (hdr.item.kind == 1) {
            undo();
        } else if (hdr.item.kind == 2) {
            standard.egress_spec = 511;
        } else if (hdr.item.kind == 3) {
            standard.egress_spec[8:0] = 2;          // WARNING written-too-late
        } else if (hdr.item.kind == 4) {
            drop();
            undo();                                 // takes the drop back
        }
        standard.egress_port = 3;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
