#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<8> k1;
    bit<4> k2;
    bit<32> f0;
    bit<63> f1;
    bit<13> f2;
    bit<16> f3;
    bit<12> f4;
    bit<24> f5;
    bit<4> pad;
}
header b_t {
    int<63> f0;
    bit<16> f1;
    bit<1> pad;
}
header c_t {
    bit<8> kind;
    bit<7> f0;
    bit<5> f1;
    bit<4> pad;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
header v_t {
    bit<8> size;
    varbit<256> rest;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    v_t v;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    bool m0;
    @field_list(2, 3)
    bit<16> m1;
    @field_list(3)
    bit<100> m2;
    @field_list(1)
    int<13> m3;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 2, 3)
    bit<2> color;
    inner_t inner;
}
bit<64> fun1(in bit<128> p0, in bit<24> p1, in bit<33> p2) {
    if ((!(!(((int<65>) (int<24>) p1) < ((int<65>) (bit<65>) p2))))) { return ((bit<64>) p0); }
    return ((p2 < ((bit<33>) ((bit<64>) p0))) ? (((p0 != p0) ? 64w0x4ad4717e4bdc3d6d : 64w9223372036854775807) * ((p2 == p2) ? ((bit<64>) p1) : ((bit<64>) p0))) : ((~((bit<64>) p0)) & (((bit<64>) p1) & 64w8389415614419450105)));
}
parser Sub(packet_in p, out c_t c, inout meta m) {
    state start {
        p.extract(c);
        m.inner.x = (bit<16>) c.kind;
        transition select(c.kind) { 0: more; default: accept; }
    }
    state more { m.inner.x[7:0] = c.kind + 7; transition accept; }
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    Sub() sub;
    state start {
        p.extract(h.a);
        bit<3> v2 = ((bit<3>) (5w0xb ++ ((bit<11>) h.a.pad)));
        transition select(h.a.k1) {
            8w24: at_c;
            8w255 .. 8w255: at_c;
            8w0b100110 &&& 8w90: accept;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        transition select(h.c.f0, h.c.f1) {
            (_, 5w0b11111 &&& 5w15): at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.pad = (16w0xd7a1)[14:14];
        transition select(h.b.f1, p.lookahead<bit<4>>()) {
            (16w55201, _): at_v;
            (16w0x7fff, _): at_v;
            (16w0xd7a1, _): accept;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w31) * 8);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets_and_bytes) cnt3;
    counter(1, CounterType.packets_and_bytes) cnt4;
    action act5(inout int<7> d0, in bit<7> d1, bit<5> x0) {
        bool v6 = (((bit<32>) h.a.f5) <= (h.r.wide)[58:27]);
        h.r.wide = fun1((~((h.d == h.b) ? ((bit<128>) h.a.k2) : ((bit<128>) ((bit<1>) v6)))), h.a.f5, ((33w0x1 + ((bit<33>) h.a.pad)) << ((bit<3>) (bit<13>) m.m3)));
    }
    action act7(out bit<13> d0, bit<1> x0) {
        d0 = 13w0x52d;
        if (m.again < 3 && (h.a.f0 <= h.r.right)) { m.again = m.again + 1; clone(CloneType.I2E, 32w1); }
        if (h.v.isValid()) {
            m.m3 = (-m.m3);
            bit<7> v8 = ((bit<7>) (-((bit<65>) d0)));
        }
        m.inner.x = ((-m.inner.x) | (m.inner.x - h.a.k0));
    }
    action act9(out bit<12> d0, bit<8> x0, int<4> x1) {
        d0 = 12w0x58d;
        if (h.b.isValid() && h.v.isValid()) {
            d0 = ((~((bit<11>) h.a.k1)) ++ (-h.b.pad));
        }
        if (h.d.isValid()) {
            h.a.k2 = ((bit<4>) (((int<4>) (bit<4>) h.a.k0) |-| x1));
            bool v10 = ((m.m0 || m.m0) || (!m.m0));
        }
        hash(h.a.f4, HashAlgorithm.xor16, 16w0b100010, { h.a.f0 }, 17w0x7);
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
            if (!h.a.isValid()) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        int<12> v11 = (12s2047 - (--12s270));
        if (h.d.isValid() && (!(h.d.f0 >= h.d.f0))) {
            h.r.wide = fun1(((14w0b11111111111111 ++ ((bit<86>) h.d.f1)) ++ 28w62434629), ((~h.a.f5) | (h.a.f5 >> ((bit<3>) h.a.k0))), (((bit<33>) s.instance_type) & (((bit<33>) h.r.left) |+| ((bit<33>) m.inner.x))));
            int<40> v12 = (((h.r.wide <= h.r.wide) && m.m0) ? (-((int<40>) (int<16>) h.d.f1)) : (-40s34951223580));
        }
        if ((((bit<65>) (int<65>) m.m3) != (((bit<65>) h.r.code) << 41))) {
            if ((h.r.left != ((bit<32>) (int<32>) ((int<40>) (bit<40>) s.ingress_port)))) {
                if (m.again < 3 && (((bit<65>) h.r.small) == 65w10178964482491723295)) { m.again = m.again + 1; clone_preserving_field_list(CloneType.I2E, 32w3, 3); }
                h.c = { (-h.r.code), ((bit<7>) h.a.f1), (5w0b1111 * 5w5), (h.a.pad >> 8w9) };
            }
        }
        if (((h.a.f3 < h.a.f3) || (h.a.f3 >= h.a.f3))) {
            h.a.f4 = ((h.a.f4 << 8w4) + (-h.a.f4));
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets_and_bytes) cnt13;
    action act14(in int<17> d0, bit<13> x0, bit<16> x1) {
        h.a.k2 = ((h.a.pad * h.a.k2) >> 3);
    }
    action act15(bit<40> x0) {
        if (((h.r.right + ((bit<32>) h.r.wide)) < ((bit<32>) ((bit<128>) h.a.f5)))) {
            m.m1 = (((h.b != h.d) ? h.r.wide : h.r.wide))[33:18];
            bit<7> v16 = ((-m.color) ++ ((bit<5>) m.m1));
        }
        m.m2 = m.m2;
        truncate(32w45);
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
        h.a.f4 = ((~h.r.wide))[28:17];
        h.r.wide = h.r.wide ^ ((bit<64>) m.again);
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
