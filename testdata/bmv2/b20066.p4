#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<16> k1;
    bit<6> k2;
    bit<40> f0;
    bit<65> f1;
    bit<1> f2;
    bit<64> f3;
    int<5> f4;
    bit<3> pad;
}
header b_t {
    int<4> f0;
    int<24> f1;
    bit<33> f2;
    bit<3> pad;
}
header c_t {
    bit<8> kind;
    int<127> f0;
    bit<16> f1;
    bit<8> f2;
    bit<1> pad;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
header s_t {
    bit<8> kind;
    int<2> f0;
    int<12> f1;
    bit<7> f2;
    bit<3> pad;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[2] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(2)
    bool m0;
    @field_list(2)
    bool m1;
    int<64> m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 2, 3)
    bit<2> color;
    inner_t inner;
}
bit<65> fun2(inout bit<1> p0, in bit<32> p1, in bit<127> p2) {
    bit<33> v1 = (((65w18446744073709551615 < ((bit<65>) p0)) ? ((bit<21>) p2) : ((bit<21>) p0)) ++ (~12w4095));
    if (((false ? ((bit<2>) p2) : 2w0b11) > (2w0b10 ^ ((bit<2>) p2)))) { return ((bit<65>) (((bit<48>) p2) << 8w15)); }
    return ((bit<65>) (~(48w0x3f1540d02f40)[47:0]));
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        transition select(h.a.k0) {
            8w0b110010: at_c;
            _: at_c;
            8w0x32 .. 8w0b10101110: at_s;
            default: accept;
        }
    }
    state at_c {
        p.extract(h.c);
        h.c.f2 = (((bit<8>) (bit<127>) h.c.f0) >> 8w16);
        m.m2 = (((int<64>) (bit<64>) ((bit<33>) h.c.f1)) ^ ((int<64>) (bit<64>) h.c.f2));
        transition select(h.c.kind) {
            8w0xf1: accept;
            8w0x7f: at_s;
            default: at_s;
        }
    }
    state at_b {
        p.extract(h.b);
        m.color = ((m.inner.x > m.inner.x) ? (~m.color) : (m.color >> 8w5));
        h.b.f0 = (-(h.b.f0 + h.b.f0));
        verify((m.m1 && m.m0) || h.b.f0 != 1, error.First);
        transition at_s;
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w138: at_s;
            8w57: accept;
            default: accept;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
        verify_checksum(h.a.isValid(), { h.a.f2, h.a.f3, h.a.k0, h.a.f1, 6w0b0 }, h.a.k1, HashAlgorithm.xor16);
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<33>>(1) reg3;
    register<bit<13>>(1) reg4;
    action act5(in int<127> d0, bit<31> x0, bit<16> x1) {
        m.m1 = (x0 <= (x0 + ((bit<31>) h.a.f1)));
        if (((((bit<48>) h.r.code))[32:2] <= (x0 |+| x0))) {
            h.a.f1 = fun2(h.a.f2, ((((bit<128>) h.a.f3))[60:13])[46:15], ((~((bit<127>) h.a.k0)) << 121));
            m.m0 = (d0 < (d0 >> h.a.f2));
        }
    }
    action act6(bit<7> x0, bit<16> x1) {
        h.a.f1 = fun2(h.a.f2, (((bit<32>) 48w140737488355327) << 27), 127w0x2f38b198e6fde477aee203a34c81b747);
        h.a.f1 = fun2(h.a.f2, s.instance_type, ((((bit<127>) h.r.code) |+| ((bit<127>) h.a.pad)) << 0));
    }
    apply {
        h.r.setValid();
        h.r.code = 0;
        h.r.left = 0;
        h.r.right = 0;
        h.r.small = 0;
        h.r.wide = 0;
        if (s.parser_error != error.NoError) {
            s.egress_spec = 4;
            if (s.parser_error == error.PacketTooShort) { h.r.code = 1; }
            if (s.parser_error == error.NoMatch) { h.r.code = 2; }
            if (s.parser_error == error.StackOutOfBounds) { h.r.code = 3; }
            if (s.parser_error == error.HeaderTooShort) { h.r.code = 4; }
            if (s.parser_error == error.ParserInvalidArgument) { h.r.code = 5; }
            if (s.parser_error == error.First) { h.r.code = 6; }
            if (s.parser_error == error.Second) { h.r.code = 7; }
            if (true) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if ((h.s[1] != h.s[0])) {
            if (((s.packet_length)[22:16] > (((bit<7>) h.a.k2) |-| 7w57))) { exit; }
            if (m.m0) {
                int<100> v7 = ((int<100>) h.a.f4);
                h.a.pad = h.a.pad;
            } else {
                h.s[1].setValid();
                h.s[1].kind = ((bit<8>) ((bit<3>) m.color));
                h.s[1].f0 = ((int<2>) (bit<2>) h.a.f0);
                h.s[1].f1 = ((int<12>) (int<128>) ((bit<128>) h.a.f2));
                h.s[1].f2 = (((bit<7>) h.a.k2) ^ 7w1);
                h.s[1].pad = (m.color ++ h.a.f2);
            }
        }
        bit<65> v8 = ((bit<65>) (h.a.f2 & h.a.f2));
        bit<2> v9 = (((bit<2>) s.ingress_port) & (((bit<2>) s.packet_length) * m.color));
        hash(h.r.wide, HashAlgorithm.crc16, 8w0b1010011, { h.a.k0, m.again, h.r.right }, 17w0b11);
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets) cnt10;
    counter(4, CounterType.bytes) cnt11;
    action act12(int<128> x0, int<16> x1) {
        h.a.f1 = fun2(h.a.f2, ((s.instance_type >> 20) ^ (h.r.left & ((bit<32>) h.r.small))), ((((bit<128>) h.r.wide) ^ ((bit<128>) s.egress_rid)))[126:0]);
    }
    action act13() {
        bit<8> v14 = (((bit<8>) ((bit<7>) h.r.right)) - (((bit<8>) h.r.right) |+| h.r.code));
        if ((s.egress_rid >= s.egress_rid)) { exit; }
    }
    apply {
        if (!h.r.isValid()) {
            h.r.setValid();
            h.r.code = 0;
            h.r.left = 0;
            h.r.right = 0;
            h.r.small = 0;
            h.r.wide = 0;
        }
        if (!h.a.isValid()) { return; }
        h.r.small = (bit<16>) s.instance_type;
        h.a.pad = ((((bit<32>) m.inner.x))[13:11] + (s.egress_rid)[6:4]);
        h.a.f2 = (((bit<32>) m.color))[14:14];
        h.r.wide = h.r.wide ^ ((bit<64>) m.color);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
