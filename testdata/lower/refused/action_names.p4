// Different actions of one name in different tables.
#include "pipe.p4"

header byte_t { bit<8> a; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { packet.extract(hdr.h); transition accept; }
}

control Sub(inout meta_t meta) {
    @name(".copied") action copied(bit<8> value) { meta.m = value; }
    @name(".changed") action changed(bit<4> value) { meta.m = (bit<8>) value; }
    table copies {
        key = { meta.m: exact; }
        actions = { copied; }
        default_action = copied(1);
    }
    table changes {
        key = { meta.m: exact; }
        actions = { changed; }
        default_action = changed(2);
    }
    apply { copies.apply(); changes.apply(); }
}

control C(inout headers hdr, inout meta_t meta) {
    @name("set") action a(bit<8> value) { meta.m = value; }
    @name("set") action b(bit<8> value) { meta.m = value; }
    @name("set") @hidden action c() { meta.m = 3; }
    @name(".copied") action copied(bit<8> value) { meta.m = value; }
    @name(".changed") action changed(bit<8> value) { meta.m = value; }
    Sub() sub;
    table one {
        key = { hdr.h.a: exact; }
        actions = { a; copied; }
        default_action = a(1);
    }
    table other {
        key = { hdr.h.a: exact; }
        actions = { b; changed; }
        default_action = b(1);
    }
    table again {
        key = { hdr.h.a: exact; }
        actions = { a; copied; }
        default_action = a(2);
    }
    table last {
        key = { hdr.h.a: exact; }
        actions = { c; changed; }
        default_action = c();
    }
    apply { sub.apply(meta); one.apply(); other.apply(); again.apply(); last.apply(); }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;
//! 22: two actions with different parameters have the control-plane name `changed`
//! 42: two actions have the control-plane name `C.set`
