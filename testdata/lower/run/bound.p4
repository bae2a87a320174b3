// An action to which tables bind different arguments is one action, which copies the right ones in and out.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; bit<8> c; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

action grow(inout bit<8> x, in bit<8> y, bit<8> by) { x = x + y + by; }

control Sub(inout bit<8> x) {
    table third {
        actions = { grow(x, 3); }
        default_action = grow(x, 3, 0x30);
    }
    apply { third.apply(); }
}

control C(inout headers hdr, inout meta_t meta) {
    Sub() sub;
    action set(out bit<8> x, bit<8> to) {
        x = to;
        if (to == 0xff) { exit; }
    }
    table first {
        key = { hdr.h.a: exact; }
        actions = { grow(hdr.h.a, 1); set(hdr.h.b); }
        default_action = grow(hdr.h.a, 1, 0x10);
        const entries = { 7: set(hdr.h.b, 0xff); 8: set(hdr.h.b, 0x88); }
    }
    table second {
        key = { hdr.h.b: exact; }
        actions = { grow(hdr.h.b, hdr.h.a); set(hdr.h.c); }
        default_action = grow(hdr.h.b, hdr.h.a, 0x20);
        const entries = { 9: set(hdr.h.c, 0xff); 0x88: set(hdr.h.c, 0x99); }
    }
    apply {
        first.apply();
        switch (second.apply().action_run) {
            grow: { note(1); }
            set: { note(2); }
        }
        sub.apply(hdr.h.c);
        first.apply();
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { packet.extract(hdr.h); transition accept; }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 000000
//= log 1
//= out 223133
//> 070000
//= out 07ff00
//> 080500
//= log 2
//= out 0888cc
//> 000900
//= out 1109ff
