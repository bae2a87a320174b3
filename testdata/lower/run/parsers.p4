// Parsers: select of every kind, sub-parsers, look-ahead, advance, varbit, verify, value sets, locals.
#include "pipe.p4"

error { TooMuch }

header kind_t { bit<8> kind; }
header pair_t { bit<8> x; bit<8> y; }
header option_t { bit<8> len; varbit<32> data; }
struct headers { kind_t k; pair_t p; pair_t q; option_t o; }
struct both_t { bit<4> hi; bit<4> lo; }
struct meta_t { bit<8> m; }

parser Pair(packet_in packet, out pair_t pair, inout bit<8> count)(bit<8> step) {
    bit<8> seen;
    state start {
        packet.extract(pair);
        seen = seen + 1;
        note(seen);
        count = count + step;
        transition select(pair.x) {
            0xee: reject;
            0xef: more;
            default: accept;
        }
    }
    state more {
        verify(pair.y != 0, error.TooMuch);
        transition start;
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    Pair(3) pair;
    Pair(5) twice;
    value_set<bit<8>>(4) sevens;
    value_set<both_t>(4) pairs;
    bit<8> count = 1;
    state start {
        kind_t ahead = packet.lookahead<kind_t>();
        note(ahead.kind);
        note((bit<8>)packet.length());
        packet.extract(hdr.k);
        transition select(hdr.k.kind[7:4], hdr.k.kind[3:0]) {
            (0, 1): one;
            (0, 2..3): two;
            pairs: on_set;
            (4 &&& 0xc, _): options;
            (0, 7): on_value;
            (8, 0): advancing;
            (8, 1): branching;
            (9, meta.m[3:0]): dynamic;
            (10, default): reject;
        }
    }
    state one {
        pair.apply(packet, hdr.p, count);
        note(count);
        transition accept;
    }
    state two {
        twice.apply(packet, hdr.p, count);
        twice.apply(packet, hdr.q, count);
        note(count);
        transition accept;
    }
    state options {
        packet.extract(hdr.o, (bit<32>)hdr.k.kind[3:0] * 4);
        transition accept;
    }
    state on_value {
        transition select(packet.lookahead<bit<8>>()) {
            sevens: on_set;
            default: accept;
        }
    }
    state on_set {
        note(0x7e);
        transition accept;
    }
    state advancing {
        packet.advance(packet.lookahead<pair_t>().x ++ 24w0 == 0 ? 32w8 : 16);
        transition accept;
    }
    state branching {
        bit<8> n = packet.lookahead<bit<8>>();
        if (n == 1) {
            pair.apply(packet, hdr.p, count);
            note(0xf1);
        } else {
            if (n == 2) {
                twice.apply(packet, hdr.q, count);
            }
            note(0xf2);
        }
        note(count);
        transition accept;
    }
    state dynamic {
        note(0xd1);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply { }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 01 aa bb cc
//= log 1 4 1 4
//= out 01aabbcc
//> 01 ee bb
//= log 1 3 1
//= reject NoError
//> 01 ef 01 22 33
//= log 1 5 1 2 7
//= out 012233
//> 01 ef 00 22 33
//= log 1 5 1
//= reject TooMuch
//> 02 11 22 33 44 55
//= log 2 6 1 1 b
//= out 021122334455
//> 03 11 22 ee 44
//= log 3 5 1 1
//= reject NoError
//> 46 04 aa bb cc dd
//= log 46 6
//= out 4604aabbccdd
//> 4a 05 aa bb cc dd ee
//= log 4a 7
//= reject HeaderTooShort
//> 42 00 aa
//= log 42 3
//= out 4200aa
//> 07 07
//= log 7 2 7e
//= out 0707
//> 07 08
//= log 7 2
//= out 0708
//> 77
//= log 77 1 7e
//= out 77
//> 47 00
//= log 47 2
//= reject ParserInvalidArgument
//> 80 00 01 02
//= log 80 4
//= out 800102
//> 80 01 02 03
//= log 80 4
//= out 8003
//> 81 01 02
//= log 81 3 1 f1 4
//= out 810102
//> 81 02 03
//= log 81 3 1 f2 6
//= out 810203
//> 81 03 04
//= log 81 3 f2 1
//= out 810304
//> 90
//= log 90 1 d1
//= out 90
//> 91
//= log 91 1
//= reject NoMatch
//> a0
//= log a0 1
//= reject NoError
//> f0
//= log f0 1
//= reject NoMatch
//>
//= reject PacketTooShort
