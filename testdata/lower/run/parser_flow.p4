// Parsers applied in loops, which become states; `break` and `continue` of such loops.
#include "pipe.p4"

header item { bit<8> kind; bit<8> value; }
header tail { bit<8> value; }
struct headers { item[6] items; tail t; }
struct meta_t { bit<8> sum; bit<8> rounds; }

parser Item(packet_in packet, inout headers hdr, inout meta_t meta, out bool last)(bit<8> bias) {
    state start {
        bit<8> seen;
        note(seen);
        seen = 9;
        packet.extract(hdr.items.next);
        meta.sum = meta.sum + hdr.items.last.value + bias;
        transition select(hdr.items.last.kind) {
            0: accept;
            1: end;
            2: reject;
            default: accept;
        }
    }
    state end { last = true; transition accept; }
}

parser Tail(packet_in packet, out tail t) {
    state start { packet.extract(t); transition accept; }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    Item(0) plain;
    Item(100) biased;
    Tail() rest;
    state start {
        bool last = false;
        // continue skips the round's count, break the tail.
        for (bit<8> i = 0; i < 4; i = i + 1) {
            if (i == 3) {
                plain.apply(packet, hdr, meta, last);
            } else {
                bit<8> kind = packet.lookahead<bit<8>>();
                if (kind == 7) {
                    packet.advance(8);
                    continue;
                }
                plain.apply(packet, hdr, meta, last);
                if (last) { break; }
                if (hdr.items.last.kind == 3) { continue; }
                for (bit<8> j in 8w1..3) {
                    if (j == 2) { continue; }
                    if (j == 3) { break; }
                    meta.rounds = meta.rounds + 0x10;
                }
            }
            meta.rounds = meta.rounds + 1;
        }
        transition select(last) {
            true: accept;
            false: more;
        }
    }
    state more {
        bit<8> value = hdr.items.last.value;
        if (value == 2) {
            rest.apply(packet, hdr.t);
        } else if (value == 3 || value == 5) {
            for (bit<8> i in (list<bit<8>>){ 8w5, 6 }) {
                bool ignored;
                biased.apply(packet, hdr, meta, ignored);
                note(i);
            }
        } else {
            meta.rounds = meta.rounds + 0x80;
        }
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply { note(meta.sum); note(meta.rounds); }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

// The first item ends the loop.
//> 0105 ee
//= log 0 5 0
//= out 0105ee
// Four items, the second followed by `continue`, then the tail.
//> 0001 0302 0003 0002 44 99
//= log 0 0 0 0 8 23
//= out 00010302000300024499
// Two bytes of kind 7 are skipped, two items, then two biased ones.
//> 07 07 0001 0003 0005 0107 99
//= log 0 0 0 5 0 6 d8 12
//= out 000100030005010799
// Neither tail nor biased items.
//> 0000 0000 0000 0009
//= log 0 0 0 0 9 b4
//= out 0000000000000009
// Rejected within.
//> 0001 0200
//= log 0 0
//= reject NoError
