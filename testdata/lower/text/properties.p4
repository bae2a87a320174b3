// Properties of tables that call an action, with arguments and without.
#include "pipe.p4"

header byte_t { bit<8> a; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    action set(bit<8> value) { meta.m = value; }
    table chosen {
        key = { hdr.h.a: exact; }
        actions = { set; @defaultonly NoAction; }
        empty_group_action = set(8w7);
        const missing_group_action = NoAction;
    }
    apply { chosen.apply(); }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr.h); }
}

Pipe(P(), C(), D()) main;
