// Two tables with the same name, of which an argument of the constructor chooses one.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
struct headers { byte_t h; }
struct meta_t { }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Route(inout byte_t h)(bool wide, bit<8> kind) {
    action set(bit<8> value) { h.b = value; }
    @name("routes") table narrow_routes {
        key = { h.a: exact; }
        actions = { set; NoAction; }
    }
    @name("routes") table wide_routes {
        key = { h.a: ternary; }
        actions = { set; NoAction; }
    }
    apply {
        if (h.a == 1) {
            h.b = 2;
        } else if (wide && kind == 2) {
            if (wide_routes.apply().hit) { h.a = 0; }
        } else {
            narrow_routes.apply();
        }
    }
}

control C(inout headers hdr, inout meta_t meta) {
    Route(true, 2) wide;
    Route(true, 3) narrow;
    apply {
        wide.apply(hdr.h);
        narrow.apply(hdr.h);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;
