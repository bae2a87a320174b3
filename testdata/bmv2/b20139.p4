#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<6> k0;
    bit<3> k1;
    bit<4> k2;
    bit<12> f0;
    bit<24> f1;
    bit<9> f2;
    bit<6> pad;
}
header b_t {
    bit<13> f0;
    bit<100> f1;
    bit<40> f2;
    bit<7> pad;
}
header c_t {
    bit<8> kind;
    bit<33> f0;
    int<13> f1;
    bit<2> pad;
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
    int<16> f0;
    bit<17> f1;
    bit<7> pad;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[3] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(2)
    bit<13> m0;
    @field_list(1, 2, 3)
    bool m1;
    @field_list(2)
    bit<63> m2;
    @field_list(2)
    bit<2> m3;
    @field_list(1, 2, 3)
    bit<8> m4;
    @field_list(2)
    bit<1> m5;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
}
int<8> fun1(in bit<17> p0, in bit<40> p1) {
    if ((((p1 != 40w0x7fffffffff) ? ((bit<31>) p0) : ((bit<31>) p1)) < ((p1 <= p1) ? ((bit<31>) p1) : 31w0x53f8d0c0))) { return (-(((int<8>) (int<40>) p1) |-| ((int<8>) (bit<8>) p1))); }
    return ((int<8>) (bit<8>) p1);
}
bit<13> fun2(in bit<13> p0, in bit<31> p1) {
    return p0;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        h.a.k1 = (((h.a.pad != h.a.pad) || m.m1) ? (~h.a.k1) : (-h.a.k1));
        m.m2 = ((h.a.pad > h.a.pad) ? (m.m2 ^ m.m2) : m.m2);
        transition select(h.a.k1) {
            _: at_s;
            3w4: at_b;
            3w7: at_s;
            default: at_b;
        }
    }
    state at_c {
        p.extract(h.c);
        transition select(h.c.kind) {
            8w0x1 &&& 8w115: accept;
            default: at_b;
        }
    }
    state at_s {
        p.extract(h.s.next);
        p.advance(16);
        transition select(h.s.last.kind) {
            8w0x84: accept;
            8w197: at_b;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.f2 = ((h.b.f2 & h.b.f2) * (-h.b.f2));
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt3;
    action act4(in bit<17> d0, inout bit<9> d1, bit<8> x0) {
        h.a.k1 = ((-h.a.k1) ^ ((bit<3>) ((bit<65>) h.a.f2)));
        m.m0 = ((bit<13>) (int<13>) fun1(((d0 * d0) & ((bit<17>) 7w14)), (5w0b11000 ++ (~((bit<35>) h.a.k1)))));
    }
    action act5(inout bit<48> d0, inout bit<40> d1, bit<17> x0, bit<31> x1) {
        s.egress_spec = (bit<9>) (-(m.m1 ? ((bit<2>) d1) : m.m3));
    }
    action act6() {
        if ((m.m1 || (48s140737488355327 > ((int<48>) (int<2>) m.color)))) {
            if (((!false) && (h.a.k2 <= h.a.k2))) { return; }
            m.inner.x = (h.r.small & (m.inner.x - ((bit<16>) m.color)));
        } else {
            h.a.f2 = (~(m.m5 ++ m.again));
            h.r.code = ((bit<8>) m.m2);
        }
        int<31> v7 = (((int<31>) (int<63>) m.m2) & (m.m1 ? ((int<31>) (int<2>) m.m3) : ((int<31>) (int<24>) h.a.f1)));
    }
    direct_meter<bit<2>>(MeterType.packets) dm;
    action act8(int<4> x0) {
        dm.read(m.color);
        if (h.d.isValid()) {
            m.m1 = ((h.s[0] != h.s[1]) || (!(h.d.f1 <= h.d.f1)));
        }
    }
    action act9(bit<1> x0) {
        dm.read(m.color);
        h.a.pad = ((bit<6>) (int<6>) fun1(((m.m1 ? 16w0 : h.r.small) ++ (m.m5 << 8w0)), ((((bit<37>) m.m5) + 37w68719476735) ++ (((bit<16>) h.a.f1))[10:8])));
        if ((s.ingress_port == (~((bit<9>) m.m5)))) {
            h.a.pad = ((16w38401 & ((bit<16>) h.a.f0)))[9:4];
            bit<5> v10 = ((((bit<5>) h.r.small) << 5) << 5w24);
        } else {
            h.r.code = ((m.again * m.m4) |+| (m.m4 << ((bit<7>) m.m2)));
        }
        hash(h.a.k0, HashAlgorithm.identity, 16w0b1010110, { h.a.k1, 1w0b0 }, 17w0x7);
    }
    table t11 {
        key = {
            h.a.k0: range @name("k0");
            h.a.k1: exact @name("k1");
        }
        actions = {
            act8;
            act9;
            @defaultonly NoAction;
        }
        entries = {
            priority=368: (6w0b1000 .. 6w52, 3w0b11): act8(4s6);
        }
        default_action = act8(4s0);
        meters = dm;
        size = 128;
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
            if (true) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        h.a.pad = ((~((bit<4>) h.a.f0)) ++ (1w1 ++ m.m5));
        m.color = ((bit<2>) 2s1);
        t11.apply();
        h.r.code[1:0] = m.color;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) cnt12;
    register<bit<64>>(1) reg13;
    register<bit<7>>(16) reg14;
    action act15(in bit<16> d0, out int<128> d1) {
        d1 = 128s170141183460469231731687303715884105727;
        m.m5 = (((bit<1>) h.a.f0) ^ m.m5);
        if (h.b.isValid()) {
            reg14.write((bit<32>) ((bit<4>) h.a.f2), ((!m.m1) ? h.b.pad : (((bit<7>) h.a.k0) | h.b.pad)));
            m.m1 = (h.b.f2 != h.b.f2);
        }
    }
    table t16 {
        key = {
            ((((bit<8>) h.a.f0) |+| m.m4) ^ ((bit<8>) (bit<65>) ((int<65>) (int<63>) m.m2))): range @name("k0");
        }
        actions = {
            NoAction;
        }
        const default_action = NoAction();
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
        m.m5 = ((bit<1>) (m.inner.x << ((bit<5>) m.m2)));
        t16.apply();
        h.r.wide = h.r.wide ^ ((bit<64>) m.m2);
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
