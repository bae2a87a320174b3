#include <v1model.p4>

header tag_t { bit<8> kind; }
struct headers_t { tag_t tag; }
struct meta_t { }

parser P(packet_in b, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start { b.extract(h.tag); transition accept; }
}
control V(inout headers_t h, inout meta_t m) { apply { } }
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    action forward(bit<9> port) { s.egress_spec = port; }
    table by_kind {                                     // ERROR action-not-allowed
        key = { h.tag.kind: exact; }
        actions = { forward; @tableonly NoAction; }
    }
    table by_group {                                    // ERROR action-not-allowed
        key = { h.tag.kind: exact; }
        actions = { forward; @groupaction NoAction; }
    }
    apply { by_kind.apply(); by_group.apply(); }
}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out b, in headers_t h) { apply { b.emit(h.tag); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
