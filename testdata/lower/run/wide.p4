// Wide numbers: saturation, slices, shifts, comparisons, products.
#include "pipe.p4"

header wide_t { bit<256> u; int<200> s; }
struct headers { wide_t w; }
struct meta_t { bit<8> m; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { packet.extract(hdr.w); transition accept; }
}

const int HUGE = (1 << 255) - 1;
const int ODD = (-7) >> 1;

control C(inout headers hdr, inout meta_t meta) {
    apply {
        bit<256> u = hdr.w.u;
        int<200> s = hdr.w.s;
        show((u |+| (bit<256>)HUGE)[255:248]);
        show((u |-| 256w5)[7:0]);
        show((bit<8>)(bit<200>)(s |+| s));
        show(((bit<200>)(s |+| s))[199:192]);
        show(((bit<200>)(s |-| 200s1))[199:192]);
        show(s < 0);
        show((bit<8>)(bit<200>)(s >> 196));
        show((u << 252)[255:248]);
        show((u * u)[7:0]);
        show(u[131:124]);
        u[135:128] = 0x5a;
        show(u[131:124]);
        show((u[7:0] ++ u[255:248]));
        show((bit<16>)ODD);
        show((bit<8>)(HUGE % 251));
        show((bit<8>)(HUGE / (1 << 250)));
        bit<256> top = 1;
        top = top << 255;
        show(top > u);
        show((u / 3)[7:0]);
        show((u % 3)[7:0]);
        hdr.w.u = u;
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 8000000000000000000000000000000000000000000000000000000000000003 80000000000000000000000000000000000000000000000001
//= log ff fe 0 80 80 1 f8 30 9 0 a0 380 fffc 1f 1f 0 ab 2
//= out 8000000000000000000000000000005a0000000000000000000000000000000380000000000000000000000000000000000000000000000001
//> 0000000000000000000000000000000fffffffffffffffffffffffffffffff04 00000000000000000000000000000000000000000000000040
//= log 80 ff 80 0 0 0 0 40 10 ff af 400 fffc 1f 1f 1 1 1
//= out 0000000000000000000000000000005affffffffffffffffffffffffffffff0400000000000000000000000000000000000000000000000040
