// Tables: keys of all kinds, entries and priorities, default actions, bound arguments, hit, miss, action_run.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
struct headers { byte_t h; }
struct meta_t { @noWarn("unwritten-metadata") bit<8> m; bit<8> n; }

action top_level(bit<8> value) {
    note(value);
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    action set(bit<8> value) { hdr.h.b = value; }
    action add(inout bit<8> x, in bit<8> y, bit<8> z) {
        x = x + y + z;
        hdr.h.b = hdr.h.b + 1;
    }
    action stop() { note(0x5f); exit; }

    table exact_table {
        key = { hdr.h.a: exact; }
        actions = { set; add(meta.m, hdr.h.a); @defaultonly NoAction; }
        const entries = {
            1: set(0x11);
            2: add(0x20);
            3: add(0x30);
        }
        const default_action = NoAction();
        size = 1 << 4;
    }
    table lpm_table {
        key = { hdr.h.a: lpm @name("address"); }
        actions = { set; top_level; }
        default_action = top_level(0x99);
        const entries = {
            0x10 &&& 0xf0: set(1);
            0x12: set(2);
            0 &&& 0x80: top_level(0x80);
        }
    }
    table ternary_table {
        key = { hdr.h.a: ternary; note(meta.m) + hdr.h.b: range @name("sum"); hdr.h.isValid(): optional; }
        actions = { set; stop; NoAction; }
        largest_priority_wins = false;
        entries = {
            priority = 10: (_, 0..5, _): set(0x77);
            priority = 5: (1 &&& 1, _, true): set(0x78);
            priority = 7: (0x40, _, _): stop();
        }
    }
    table no_key {
        actions = { top_level; }
        default_action = top_level(0x42);
    }
    apply {
        if (exact_table.apply().hit) { note(0xa1); }
        if (lpm_table.apply().miss) { note(0xa2); } else { note(hdr.h.b); }
        switch (ternary_table.apply().action_run) {
            set: { note(0xb1); }
            stop:
            default: { note(0xb2); }
        }
        no_key.apply();
        bool both = exact_table.apply().hit && lpm_table.apply().hit;
        show(both);
        show(meta);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr.h); }
}

Pipe(P(), C(), D()) main;

//> 01 00
//= log a1 80 11 0 b1 42 80 1 0 0
//= out 0111
//> 02 00
//= log a1 80 1 22 b2 42 80 1 44 0
//= out 0202
//> 03 04
//= log a1 80 5 33 b1 42 80 1 66 0
//= out 0379
//> 12 00
//= log 2 0 b1 42 0 0 0
//= out 1277
//> 14 09
//= log 1 0 b1 42 0 0 0
//= out 1477
//> 40 00
//= log 80 0 0 5f
//= out 4000
//> 80 00
//= log 99 a2 0 b1 42 0 0 0
//= out 8077
