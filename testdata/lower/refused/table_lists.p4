// Names and priorities of tables that no control plane could work with.
#include "pipe.p4"

header byte_t { bit<8> a; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { packet.extract(hdr.h); transition accept; }
}

control C(inout headers hdr, inout meta_t meta) {
    action a() { meta.m = 1; }
    @name("a") action b() { meta.m = 2; }
    table named {
        actions = { a; b; }
        default_action = a();
    }
    table mixed {
        key = { hdr.h.a: ternary; }
        actions = { a; }
        default_action = a();
        entries = {
            priority = 5: 1: a();
            priority = 7: 2: a() @priority(3);
        }
    }
    table wide {
        key = { hdr.h.a: ternary; }
        actions = { a; }
        default_action = a();
        const entries = {
            1: a() @priority(5000000000);
            2: a() @priority("high");
        }
    }
    apply { named.apply(); mixed.apply(); wide.apply(); }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;
//! 16: two actions of this table have the control-plane name `C.a`
//! 19: `@priority` and `priority =` cannot be used in the same table
//! 33: a priority must be between 0 and 4294967295
