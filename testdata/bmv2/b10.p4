#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<16> k1;
    bit<3> k2;
    int<31> f0;
    bit<32> f1;
    int<40> f2;
    int<64> f3;
    bit<40> f4;
    bit<3> f5;
    bit<2> f6;
    bit<128> f7;
    bit<1> pad;
}
header b_t {
    int<8> f0;
    bit<32> f1;
    bit<13> f2;
    bit<3> pad;
}
header c_t {
    bit<8> kind;
    int<24> f0;
    int<7> f1;
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
    bit<2> f0;
    bit<33> f1;
    bit<1> f2;
    bit<4> pad;
}
header v_t {
    bit<8> size;
    bit<5> f0;
    bit<3> pad;
    varbit<64> rest;
}
header_union u_t { b_t x; c_t y; }
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[4] s;
    v_t v;
    u_t u;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1)
    bit<1> m0;
    @field_list(2, 3)
    bit<4> m1;
    @field_list(2)
    int<24> m2;
    @field_list(2)
    int<2> m3;
    @field_list(2)
    bit<128> m4;
    @field_list(2)
    bit<32> m5;
    @field_list(1)
    bit<5> m6;
    @field_list(1, 2, 3)
    bit<8> again;
    bit<2> color;
    inner_t inner;
}
bit<7> fun1(out int<3> p0, in bit<40> p1, inout bit<13> p2) {
    p0 = -3s1;
    p0 = (-(-p0));
    if ((p0 > (-p0))) {
        p2 = ((bit<13>) (-32w3040748925));
        p2 = ((((bit<128>) p2))[61:14])[23:11];
    } else {
        p0 = ((int<3>) (bit<3>) p2);
    }
    if (((!(((bit<2>) p1) > 2w3)) || false)) { return ((~((bit<7>) p1)) << ((bit<8>) p1)); }
    return ((-(((bit<32>) (bit<3>) p0))[8:2]) - (((bit<48>) (bit<3>) p0))[30:24]);
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set2;
    state start {
        p.extract(h.a);
        transition select(h.a.f5, h.a.k1) {
            (3w0x3, 16w0b111111111111111): at_s;
            (_, 16w0x0): at_s;
            (3w0x3 .. 3w0b101, 16w0b1 &&& 16w23468): at_u;
            (3w5 &&& 3w0b1, 16w0x6e76): at_s;
            default: at_s;
        }
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition accept; }
    state at_uy { p.extract(h.u.y); transition accept; }
    state at_b {
        p.extract(h.b);
        m.m4[91:24] = ((bit<68>) m.m1);
        m.m0 = (((bit<1>) (bit<24>) m.m2) - (-((bit<1>) h.b.f1)));
        transition select(h.b.f2, p.lookahead<bit<4>>()) {
            (13w0x1c8e .. 13w0x1c8e, _): accept;
            (13w0b1 .. 13w0b1000111001110, _): at_s;
            (13w7310, _): at_s;
            (13w0b1, _): accept;
            default: at_v;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            set2: at_s;
            8w103: at_s;
            8w0x1: at_v;
            8w255 &&& 8w54: at_v;
            default: at_s;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w15) << 3);
        bool v3 = ((!(m.m5 == 32w1389660556)) || (((bit<12>) h.v.pad) <= ((bit<12>) m.m1)));
        transition select(h.v.size) {
            8w0b1101000: accept;
            default: at_c;
        }
    }
    state at_c {
        p.extract(h.c);
        bit<127> v4 = ((13w0x1389 & ((bit<13>) m.m0)) ++ ((bit<114>) m.m1));
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
        verify_checksum_with_payload(h.a.isValid(), { h.a.k1, h.a.k0, 8w0x0 }, h.a.k1, HashAlgorithm.csum16);
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    counter(1, CounterType.packets_and_bytes) cnt5;
    register<bit<65>>(4) reg6;
    register<bit<40>>(16) reg7;
    action act8(in bit<1> d0, inout int<127> d1) {
        hash(a.f5, HashAlgorithm.identity, 32w0xd, { m.again, a.k2 }, 32w0x10000);
    }
    table t9 {
        key = {
            m.m4: range @name("k0");
        }
        actions = {
            NoAction;
        }
        const entries = {
            128w170141183460469231731687303715884105727 .. 128w0x7fffffffffffffffffffffffffffffff: NoAction();
            128w340282366920938463463374607431768211455 .. 128w340282366920938463463374607431768211455: NoAction();
        }
        default_action = NoAction();
        size = 64;
    }
    apply {
        m.m5 = (((a.f0 == ((int<31>) (bit<31>) a.f1)) ? ((bit<64>) m.again) : 64w0xffffffffffffffff))[49:18];
        bool v10 = (((a.f0 == -31s27683130) ? ((int<65>) (bit<65>) a.f4) : ((int<65>) m.m3)) < ((int<65>) a.f0));
        switch (t9.apply().action_run) {
            default: {
                if ((a.k2 >= (m.m0 ++ m.color))) {
                    m.inner.x[3:3] = (a.f1)[11:11];
                    a.k1 = ((m.inner.x |+| a.k1) + ((a.pad <= ((bit<1>) a.k0)) ? 16w0x9a95 : ((bit<16>) m.color)));
                } else {
                    a.f1 = (((bit<32>) (int<32>) a.f0) * ((m.m4 <= m.m4) ? a.f1 : m.m5));
                    bit<63> v11 = (((bit<19>) (bit<12>) ((int<12>) m.m2)) ++ (~((bit<44>) (bit<31>) a.f0)));
                }
                m.m2 = ((int<24>) (((int<8>) (bit<8>) m.m0) & 8s14));
            }
        }
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.bytes) cnt12;
    counter(1, CounterType.packets_and_bytes) cnt13;
    register<bit<31>>(1) reg14;
    meter(4, MeterType.bytes) mtr15;
    action act16() {
        hash(h.a.k2, HashAlgorithm.csum16, 16w19, { h.a.k0, m.again, h.a.f2, h.a.f1 }, 32w100);
        if (h.d.isValid()) {
            m.inner.x = ((((bit<10>) m.again) | ((bit<10>) (bit<24>) m.m2)) ++ (((bit<6>) h.d.f1) << 8w3));
            h.a.f2 = ((h.a.f2 - h.a.f2) |+| (h.a.f2 >> 8w22));
        }
    }
    table t17 {
        actions = {
            NoAction;
            act16;
        }
        default_action = NoAction();
        size = 64;
    }
    action_profile(64) p19;
    table t18 {
        key = {
            m.m3: ternary @name("k0");
            h.r.code: range @name("k1");
        }
        actions = {
            NoAction;
        }
        implementation = p19;
    }
    Sub2() sub1;
    Sub2() sub2;
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
        if (h.v.isValid()) {
            if (((m.color == 2w1) || (m.m3 > m.m3))) {
                h.a.f6 = (((bit<2>) h.r.code) |+| (m.color | m.color));
                sub2.apply(h.a, m, (h.a.k0 * h.a.k0));
            }
        }
        if (t18.apply().miss) {
            act16();
        }
        h.a.f3 = h.a.f3;
        h.s[0].setValid();
        h.s[0].kind = (h.r.code - m.again);
        h.s[0].f0 = m.color;
        h.s[0].f1 = (((bit<33>) h.a.pad) << ((bit<7>) s.packet_length));
        h.s[0].f2 = (m.m0 |+| ((bit<1>) (bit<40>) h.a.f2));
        h.s[0].pad = m.m1;
        h.u.x.setValid();
        h.u.x.f0 = (((int<8>) (int<32>) h.a.f1) ^ ((int<8>) (int<2>) m.color));
        h.u.x.f1 = (32w0x6cf45653 >> 8w40);
        h.u.x.f2 = (((bit<7>) h.a.f1) ++ ((bit<6>) h.a.pad));
        h.u.x.pad = (h.v.isValid() ? h.a.k2 : 3w0x5);
        if ((h.r.wide < (~h.r.wide))) {
            cnt13.count(0);
            s.egress_spec = (bit<9>) ((((bit<1>) h.a.k0) ++ m.m0) | (m.m0 ++ m.m0));
        } else {
            bit<100> v20 = (((bit<100>) 48w0x1) + (((bit<100>) h.r.right) ^ ((bit<100>) h.r.wide)));
        }
        switch ((((h.a.k2 == 3w3) ? m.m1 : ((bit<4>) m.inner.x)) + m.m1)) {
            4w0: {
                bit<3> v21 = ((h.a.f5 << h.r.code) << 8w5);
            }
            4w0x3:
            4w0b1000: {
                m.m6 = ((m.m6 << 8w0) | (((bit<5>) (bit<24>) m.m2) >> 5));
                if (h.c.isValid() && h.u.y.isValid()) {
                    switch (((bit<8>) ((((int<16>) (int<32>) h.r.right) <= 16s32530) ? h.a.f1 : h.r.left))) {
                        8w0x1: {
                            if (h.s[2].isValid()) { h.s[1] = h.s[2]; }
                        }
                        8w0b10001010: {
                            int<13> v22 = ((int<13>) (bit<13>) h.c.pad);
                            act16();
                        }
                        8w0xff: {
                            if (h.c.isValid()) { h.u.y = h.c; }
                        }
                        default: {
                            h.r.right = ((~((bit<32>) m.m6)) << 9);
                            h.s[1].setValid();
                            h.s[1].kind = (h.r.code << 7);
                            h.s[1].f0 = (m.m0 ++ m.m0);
                            h.s[1].f1 = (-((bit<33>) h.a.f6));
                            h.s[1].f2 = (~m.m0);
                            h.s[1].pad = (~m.m1);
                        }
                    }
                    bit<32> v23 = (((((bit<12>) h.r.left) == ((bit<12>) (int<12>) h.a.f0)) ? s.instance_type : h.r.left) | (h.s[2].isValid() ? 32w2147483647 : ((bit<32>) h.a.f5)));
                }
            }
            default: {
                s.egress_spec = (bit<9>) ((bit<2>) (m.m6 - m.m6));
            }
        }
        sub1.apply(h.a, m, (h.a.k0 << h.a.k0));
        if (t17.apply().hit) {
            bit<31> v24;
            reg14.read(v24, 0);
            m.m6 = ((bit<5>) v24);
            h.r.left = (-(s.instance_type - s.instance_type));
        } else {
            if (h.d.isValid()) { h.u.x = h.d; }
            if ((((bit<5>) (int<5>) h.a.f3) == (m.m6 |+| m.m6))) { return; }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets_and_bytes) cnt25;
    meter(4, MeterType.packets) mtr26;
    action act27() {
        if (h.u.y.isValid()) {
            h.a.f0 = -31s27683130;
            m.m3 = ((int<2>) ((int<17>) (int<24>) 24w11073791));
        }
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
        h.a.k1[4:4] = (-(h.a.pad |-| m.m0));
        h.s[0].setValid();
        h.s[0].kind = ((bit<8>) (bit<5>) ((int<5>) (bit<5>) m.m0));
        h.s[0].f0 = (((bit<2>) m.inner.x) |+| ((bit<2>) m.m5));
        h.s[0].f1 = (-((bit<33>) (bit<2>) m.m3));
        h.s[0].f2 = (1w0x0 | 1w1);
        h.s[0].pad = m.m1;
        if (h.b.isValid()) { h.d = h.b; }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m1);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum_with_payload(h.r.isValid() && h.a.isValid() && (!(h.a.f4 <= h.a.f4)), { h.a.f0, h.a.pad }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
