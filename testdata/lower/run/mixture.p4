// Tables in conditions of loops, data with members, externs that write where an index says, choices of headers.
#include "pipe.p4"

enum bit<4> level_t { low = 1, high = 9 }
enum colour_t { red, green }
header byte_t { bit<8> a; }
header pair_t { bit<8> x; bit<8> y; }
header_union body_t { byte_t b; pair_t p; }
struct data_t { bit<8> n; pair_t h; level_t level; bit<8>[2] row; }
struct headers { byte_t h; pair_t[2] ps; body_t[2] us; byte_t last; }
struct meta_t { bit<8> m; colour_t c; }

bit<8> count(inout bit<8> x) { x = x + 1; return x; }
pair_t other(in pair_t p, inout bit<8> x) { x = x + 0x10; return { x, p.x }; }

control C(inout headers hdr, inout meta_t meta) {
    bit<8> calls = 0;
    action step(bit<8> by) { meta.m = meta.m + by; }
    action take(inout bit<8> sum, data_t d) {
        sum = sum + d.n + d.row[1] + (d.h.isValid() ? d.h.y : 8w0x80) + (bit<8>)(bit<4>)d.level;
        if (d.level == level_t.low) { return; }
        sum = sum + 0x40;
    }
    table more {
        key = { count(calls) & 0xf: exact @name("calls"); meta.m: ternary; }
        actions = { step; NoAction; }
        default_action = NoAction();
        const entries = {
            (1, _): step(1);
            (2, 1 &&& 1): step(2);
            (3, 3): step(4);
            (5, _): step(0x20);
        }
    }
    table datas {
        key = { meta.c: exact; }
        actions = { take(hdr.h.a); }
        default_action = take(hdr.h.a, { 1, { 2, 3 }, level_t.high, { 4, 5 } });
        const entries = { colour_t.green: take(hdr.h.a, { 1, {#}, level_t.low, { 4, 5 } }); }
    }
    apply {
        bit<8> rounds = 0;
        for (; more.apply().hit && rounds < 9; rounds = rounds + 1) {
            if (rounds == 7) { break; }
        }
        show({ rounds, calls, meta.m });
        if (more.apply().miss || more.apply().hit) { note(0x11); }
        show({ calls, meta.m });
        datas.apply();
        note(hdr.h.a);
        meta.c = colour_t.green;
        datas.apply();
        note(hdr.h.a);
        take(meta.m, { 0x10, hdr.ps[0], level_t.low, { 0, 1 } });
        note(meta.m);
        bit<8> i = hdr.h.a[0:0] == 1 ? 8w1 : 0;
        // The index is the one from before the call.
        bump(hdr.ps[i].x);
        next(hdr.ps[count(i) - 1].y);
        forge(hdr.us[i - 1].p);
        show(hdr.us[i - 1].b.isValid());
        swap(hdr.ps[0], hdr.ps[1]);
        bit<8> x = 1;
        pair_t chosen = hdr.ps[0].x > 4 ? other(hdr.ps[0], x) : hdr.ps[1];
        show({ chosen.x, chosen.y, x });
        hdr.ps[0] = x == 1 ? hdr.ps[1] : (pair_t){#};
        hdr.ps[count(x)[0:0]].y += 0x30;
        bit<8>[3] row = { 1, 2, 3 };
        i = 0;
        row[count(i)] |= 0x40;
        row[count(i)][7:4] = row[0][3:0];
        bit<16> w = 0xffff;
        bit<8> at = 12;
        w[at+:8] = 0;
        show({ row[0], row[1], row[2], w[15:8] });
        at = 200;
        w[at+:8] = 0;
        show(w[7:0] >> at);
        show((w ++ w) << (bit<64>)16);
        hdr.last = hdr.us[0].b.isValid() ? hdr.us[0].b : hdr.h;
    }
}

parser Fill(packet_in packet, inout pair_t[2] ps, out byte_t b) {
    state start {
        packet.extract(ps.next);
        b.setValid();
        b.a = ps.last.x + (bit<8>)ps.lastIndex;
        transition accept;
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    Fill() fill;
    state start {
        packet.extract(hdr.h);
        hdr.us[1].p = { 1, 2 };
        fill.apply(packet, hdr.ps, hdr.us[1].b);
        fill.apply(packet, hdr.ps, hdr.us[0].b);
        note(hdr.us[1].p.isValid() ? 8w1 : 0);
        transition accept;
    }
}

control Emit(packet_out packet, in headers hdr)(bool twice) {
    apply {
        packet.emit(hdr.ps);
        if (twice) { packet.emit(hdr.ps[1]); }
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    Emit(true) both;
    Emit(false) one;
    apply {
        packet.emit(hdr.h);
        both.apply(packet, hdr);
        one.apply(packet, hdr);
        for (bit<8> i in 8w0..2) {
            if (i == 1) { continue; }
            packet.emit(hdr.us[i]);
        }
        byte_t mark = { 0xaa };
        packet.emit(mark);
        mark.setInvalid();
        packet.emit(mark);
        packet.emit(hdr.last);
    }
}

Pipe(P(), C(), D()) main;

//> 00 0102 0304 ff
//= log 0 3 4 7 6 27 52 d9 3b 0 1 2 1 1 42 13 f 0 fff0000
//= out d90132010201020132010204aa04ff
//> 01 0506 0708 ff
//= log 0 3 4 7 6 27 53 da 3f 0 11 7 11 1 42 13 f 0 fff0000
//= out da060106010601ffffaadaff
