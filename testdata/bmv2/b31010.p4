#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<6> k1;
    bit<8> k2;
    bit<32> f0;
    bit<1> f1;
    bit<31> f2;
    bit<2> f3;
    bit<5> pad;
}
header b_t {
    bit<31> f0;
    int<12> f1;
    bit<5> pad;
}
header c_t {
    bit<8> kind;
    int<33> f0;
    int<63> f1;
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
    int<9> f0;
    bit<48> f1;
    bit<7> pad;
}
header v_t {
    bit<8> size;
    varbit<64> rest;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[2] s;
    v_t v;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1, 3)
    bit<8> m0;
    bool m1;
    @field_list(1, 2)
    bit<100> m2;
    @field_list(3)
    bool m3;
    @field_list(2, 3)
    bit<31> m4;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1)
    bit<2> color;
    inner_t inner;
}
bit<24> fun1(out bit<12> p0) {
    p0 = 12w0x2cb;
    p0 = (~((bit<12>) ((bit<24>) p0)));
    p0 = p0;
    if ((!(p0 > p0))) { return (((bit<2>) ((bit<48>) p0)) ++ (-((bit<22>) p0))); }
    return ((bit<24>) (((bit<1>) p0) ++ (-((bit<1>) p0))));
}
bit<5> fun2(out bit<127> p0, out bit<7> p1, inout bit<24> p2) {
    p0 = 127w170141183460469231731687303715884105727;
    p1 = 7w0x1;
    p1 = ((bit<7>) (int<7>) ((int<64>) (bit<64>) 4w10));
    p1 = ((bit<7>) (int<7>) ((int<17>) (int<65>) 65w0x1));
    return (~(((bit<5>) p1) | ((((bit<4>) p0) <= ((bit<4>) p2)) ? ((bit<5>) p1) : 5w0x17)));
}
parser Sub(packet_in p, out c_t c, inout meta m) {
    state start {
        p.extract(c);
        m.inner.x = m.inner.x + 1;
        transition select(c.kind) { 0: more; default: accept; }
    }
    state more { m.inner.x[7:0] = c.kind + 7; transition accept; }
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    Sub() sub;
    state start {
        p.extract(h.a);
        transition select(h.a.k0, h.a.k1) {
            (3w0x1, 6w24): at_v;
            (3w0x2, _): at_s;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        transition at_v;
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w15) * 8);
        transition select(h.v.size) {
            8w0x1: accept;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w212: at_c;
            default: accept;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act3(bit<7> x0, bit<4> x1) {
        h.a.k0 = ((((bit<1>) m.m2) ++ m.color) >> ((bit<7>) h.a.k2));
        h.a.f1 = ((m.m3 || (h.a.k2 == h.a.k2)) ? h.a.f1 : (-((bit<1>) s.packet_length)));
    }
    action act4(bit<33> x0) {
        bit<16> v5 = ((bit<16>) (h.a.f1 << 0));
    }
    action act6(bit<12> x0) {
        if (h.s[0].isValid()) {
            m.inner.x[13:10] = ((h.a.f1 ++ h.a.k0) & ((bit<4>) ((bit<1>) m.m1)));
            m.m3 = (!(h.c.isValid() && (h.r.right == 32w0xffffffff)));
        }
        h.r.code = ((bit<8>) (int<8>) (-((int<9>) (int<2>) m.color)));
        if (m.again < 2 && ((h.a.f2 <= m.m4) || m.m3)) { m.again = m.again + 1; resubmit_preserving_field_list(1); }
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
        h.a.f3 = (((bit<2>) m.inner.x) << 8w9);
        if (h.s[0].isValid()) {
            if ((!(m.m4 > h.a.f2))) {
                h.r.wide[34:25] = (((bit<10>) 63w1) << h.s[0].kind);
            }
            h.v.setInvalid();
        }
        h.c.setInvalid();
        if ((h.v.isValid() || (m.m0 != m.again))) {
            if (h.s[1].isValid()) {
                bit<33> v7 = ((h.r.wide)[47:15] + ((m.m4 == 31w1) ? ((bit<33>) m.inner.x) : 33w26035807));
                s.egress_spec = (bit<9>) ((bit<2>) (((bit<128>) h.a.pad))[104:5]);
            }
            if ((!(m.color < h.a.f3))) {
                h.a.f2 = (~(31w1015862545 << 4));
            }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) cnt8;
    action act9(int<8> x0, int<48> x1) {
        cnt8.count((bit<32>) m.color);
        if ((((bit<8>) (int<8>) ((int<128>) (int<3>) h.a.k0)) >= m.m0)) {
            cnt8.count((bit<32>) (h.a.f1 ++ h.a.f1));
            bool v10 = ((~((bit<3>) s.ingress_port)) == (1w1 ++ 2w0b1));
        }
        if ((((bit<12>) ((bit<1>) m.m1)) < 12w1152)) {
            if (h.d.isValid()) { exit; }
            m.color = ((h.a.f1 ++ h.a.f1) + (h.r.wide)[47:46]);
        }
    }
    action act11(in bit<64> d0, int<63> x0) {
        bit<3> v12 = ((h.a.k0 >> h.a.pad) + ((bit<3>) ((bit<7>) ((bit<1>) m.m3))));
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
        h.a.f1 = (~h.a.f1);
        h.r.left = ((16w0b0)[7:4] ++ ((bit<28>) (bit<12>) ((int<12>) (bit<12>) h.a.k1)));
        h.r.wide = h.r.wide ^ ((bit<64>) m.inner.x);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); p.emit(h.v); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
