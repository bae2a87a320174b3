// Arrays as fields of headers: on the wire their elements lie one behind the other.
#include "pipe.p4"

struct point_t { bit<4> x; bit<4> y; }
header vector_t { bit<8> n; bit<8>[3] v; point_t[2] p; }
struct headers { vector_t[2] rows; vector_t one; }
struct meta_t { bit<8>[3] kept; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.rows.next);
        vector_t ahead = packet.lookahead<vector_t>();
        note(ahead.v[1]);
        packet.extract(hdr.rows.next);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        bit<8> i = hdr.rows[0].n;
        meta.kept = hdr.rows[1].v;
        note(hdr.rows[i].v[i]);
        hdr.rows[i].v[i + 1] = 0x77;
        hdr.rows[i].p[i] = { 0xa, 0xb };
        // An invalid header's fields take values, too.
        hdr.one.v[i] = 0x66;
        note(hdr.one.v[i]);
        hdr.one = hdr.rows[i];
        hdr.one.v = meta.kept;
        hdr.one.p[1].x = 0xf;
        show(hdr.one.v);
        note(hdr.one == hdr.rows[1] ? 8w1 : 0);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 00 010203 1234 01 040506 5678 ff
//= log 5 1 66 4 5 6 0
//= out 00017703ab3401040506567800040506abf4ff
//> 01 010203 1234 01 040506 5678
//= log 5 5 66 4 5 6 0
//= out 0101020312340104057756ab0104050656fb
//> 02 010203 1234 01 040506 5678
//= log 5 0 66 4 5 6 0
//= out 020102031234010405065678
