// Header unions: at most one header is valid, whatever is done to them.
#include "pipe.p4"

header tag { bit<8> kind; }
header small { bit<8> a; }
header large { bit<16> b; }
header_union body { small s; large l; }
struct headers { tag t; body u; body v; body[3] row; }
struct meta_t { }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.t);
        transition select(hdr.t.kind) {
            1: parse_small;
            2: parse_large;
            3: parse_row;
            default: reject;
        }
    }
    state parse_small { packet.extract(hdr.u.s); transition accept; }
    state parse_large { packet.extract(hdr.u.l); transition accept; }
    state parse_row {
        packet.extract(hdr.row.next.s);
        packet.extract(hdr.row.next.l);
        transition select(hdr.row.last.l.b) {
            0xffff: over;
            default: accept;
        }
    }
    state over {
        packet.extract(hdr.row.next.s);
        packet.extract(hdr.row.next.s);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        if (hdr.u.isValid()) { note(hdr.u.s.isValid() ? 8w1 : 2); }
        hdr.v = hdr.u;
        if (hdr.v == hdr.u) { note(3); }
        hdr.u.l.setValid();
        hdr.u.l.b = 0x4242;
        note(hdr.u.s.isValid() ? 8w1 : 0);
        if (hdr.t.kind == 2) {
            hdr.v.s = { 0x77 };
            note(hdr.v.l.isValid() ? 8w1 : 0);
        }
        if (hdr.t.kind == 3) {
            bit<8> i = note(1);
            note(hdr.row[i].s.isValid() ? 8w1 : 0);
            hdr.row[i].s.setValid();
            hdr.row[i].s.a = 0x5a;
            hdr.row.push_front(1);
            hdr.row[0].l = { 0x1234 };
            hdr.u.s.setInvalid();
        }
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 01 aa
//= log 1 3 0
//= out 014242aa
//> 02 bb cc dd
//= log 2 3 0 0
//= out 02424277dd
//> 03 01 02 03 04
//= log 3 0 1 0
//= out 031234015a04
//> 03 01 ff ff 03 04
//= reject StackOutOfBounds
//> 04
//= reject NoError
