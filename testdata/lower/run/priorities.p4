// Which of several matching entries wins: by position, by `priority =`, and by the older `@priority`, whose smallest wins.
#include "pipe.p4"

header byte_t { bit<8> a; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

control C(inout headers hdr, inout meta_t meta) {
    action won(bit<8> number) { note(number); }
    @noWarn("covered-entry") table position {
        key = { hdr.h.a: ternary; }
        actions = { won; }
        default_action = won(0);
        const entries = {
            0x10 &&& 0xf0: won(1);
            0x11: won(2);
            0x01 &&& 0x0f: won(3);
        }
    }
    table written {
        key = { hdr.h.a: ternary; }
        actions = { won; }
        default_action = won(0);
        entries = {
            priority = 10: 0x10 &&& 0xf0: won(1);
            priority = 30: 0x11: won(2);
            priority = 20: 0x01 &&& 0x0f: won(3);
        }
    }
    @noWarn("covered-entry") table smallest {
        key = { hdr.h.a: ternary; }
        actions = { won; }
        default_action = won(0);
        largest_priority_wins = false;
        entries = {
            priority = 10: 0x10 &&& 0xf0: won(1);
            priority = 30: 0x11: won(2);
            priority = 20: 0x01 &&& 0x0f: won(3);
        }
    }
    // Without annotations the numbers are 1, 2, 3, 4.
    @noWarn("covered-entry") table annotated {
        key = { hdr.h.a: ternary; }
        actions = { won; }
        default_action = won(0);
        const entries = {
            0x10 &&& 0xf0: won(1) @priority(5);
            0x11: won(2);
            0x01 &&& 0x0f: won(3) @priority(1);
            0x12: won(4);
        }
    }
    apply {
        position.apply();
        written.apply();
        smallest.apply();
        annotated.apply();
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { packet.extract(hdr.h); transition accept; }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 11
//= log 1 2 1 3
//= out 11
//> 12
//= log 1 1 1 4
//= out 12
//> 21
//= log 3 3 3 3
//= out 21
//> 00
//= log 0 0 0 0
//= out 00
