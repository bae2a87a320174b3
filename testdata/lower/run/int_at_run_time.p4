// Values cast to int and back: computed without limits in between.
#include "pipe.p4"

header number_t { bit<8> u; int<8> s; }
struct headers { number_t n; }
struct meta_t { }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.n);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        bit<8> u = hdr.n.u;
        int<8> s = hdr.n.s;
        const bit<8> SIX = 6;
        show((bit<8>)((int)u + 1));
        show((bit<16>)((int)u + 1));
        show((bit<16>)((int)u * (int)s - 2 * 3));
        show((int<16>)(-(int)s));
        show((bit<8>)((int)SIX + 1));
        show((bit<24>)((int)u * ((int)u * (int)u) - (int)SIX));
        show((bit<4>)((int)s));
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> ff 80
//= log 0 100 807a 80 7 fd02f9 0
//= out ff80
//> 02 ff
//= log 3 3 fff8 1 7 2 f
//= out 02ff
