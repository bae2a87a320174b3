#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<4> k0;
    bit<16> k1;
    bit<8> k2;
    int<128> f0;
    bit<2> f1;
    bit<32> f2;
    int<4> f3;
    bit<6> pad;
}
header b_t {
    bit<12> f0;
    bit<3> f1;
    int<13> f2;
    bit<4> pad;
}
header c_t {
    bit<8> kind;
    bit<8> f0;
    bit<17> f1;
    bit<24> f2;
    bit<7> pad;
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
    varbit<128> rest;
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
    @field_list(2)
    bit<31> m0;
    @field_list(1, 2, 3)
    bit<100> m1;
    @field_list(1, 3)
    bit<40> m2;
    @field_list(3)
    int<32> m3;
    bit<127> m4;
    int<2> m5;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
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
        verify((m.m2 == m.m2) || h.a.k0 != 1, error.First);
        transition select(h.a.k0) {
            4w0b1: at_b;
            4w0x7 .. 4w0x7: reject;
            _: at_b;
            4w0b1110: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.f1[1:1] = ((bit<1>) m.again);
        transition select(h.b.f1, p.lookahead<bit<4>>()) {
            (_, _): accept;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w15) << 3);
        transition select(h.v.size) {
            8w0x7f: reject;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        h.c.f2[7:7] = (((h.c.pad == 7w71) ? ((bit<1>) m.m0) : ((bit<1>) m.m2)) - (((bit<1>) h.c.f1) << ((bit<3>) m.m1)));
        bit<40> v1 = m.m2;
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    counter(4, CounterType.packets) cnt2;
    counter(1, CounterType.bytes) cnt3;
    action act4(inout bit<100> d0, int<65> x0, bit<1> x1) {
        m.m1 = (((bit<100>) ((bit<24>) a.k0)) + (m.m1 & m.m1));
    }
    action act5() {
        a.k1 = ((m.inner.x != a.k1) ? ((bit<16>) ((bit<5>) a.pad)) : m.inner.x);
        a.k0 = ((((bit<128>) a.f0))[30:27] + (128w170141183460469231731687303715884105727)[106:103]);
        hash(m.m2, HashAlgorithm.csum16, 16w4, { m.m1 }, 17w0x0);
    }
    action act6(in int<65> d0, bit<3> x0) {
        if (((!false) && (!(m.m5 != 2s0)))) {
            a.f2 = ((false || (a.k2 == 8w1)) ? a.f2 : (a.f2 | ((bit<32>) m.again)));
            bool v7 = ((((bit<24>) m.m4) ^ 24w0xffffff) <= (arg ++ m.inner.x));
        }
        hash(a.k0, HashAlgorithm.crc32, 32w78, { x0, a.f3 }, 17w0b11);
        cnt3.count(0);
    }
    table t8 {
        key = {
            ((((bit<48>) m.m0) ^ 48w0x135e5af24219))[22:15]: ternary @name("k0");
        }
        actions = {
            NoAction;
            act4(m.m1);
            act5;
            act6(((m.m2 <= m.m2) ? (-((int<65>) (bit<65>) a.k0)) : (((int<65>) (int<31>) m.m0) ^ 65s1)));
        }
        default_action = act6(((m.m2 <= m.m2) ? (-((int<65>) (bit<65>) a.k0)) : (((int<65>) (int<31>) m.m0) ^ 65s1)), 3w3);
    }
    direct_counter(CounterType.packets_and_bytes) dc10;
    table t9 {
        key = {
            a.k2: exact @name("k0");
            a.pad: exact @name("k1");
            ((false ? a.f1 : m.color) ++ (((bit<1>) m.m1) ++ ((bit<9>) m.m2))): ternary @name("k2");
        }
        actions = {
            act4(m.m1);
            @defaultonly act5;
            act6(((m.m2 <= m.m2) ? (-((int<65>) (bit<65>) a.k0)) : (((int<65>) (int<31>) m.m0) ^ 65s1)));
        }
        const entries = {
            (8w0b0, 6w0x2f, 12w0b0 &&& 12w0b11110101000): act4(m.m1, 65s1864341616366798284, 1w1);
            (8w0b11111111, 6w35, _): act4(m.m1, 65s1864341616366798284, 1w0x1);
            (8w127, 6w0b1011, 12w0x7ff &&& 12w0xfff): act4(m.m1, 65s0, 1w0x1);
        }
        const default_action = act5();
        counters = dc10;
    }
    apply {
        hash(a.f1, HashAlgorithm.crc32_custom, 32w0x5c, { a.f0, m.m4, 40w286995572322 }, 17w0x1);
        if ((a.f0 >= a.f0)) {
            switch (((m.m0 < m.m0) ? m.inner.x : m.inner.x)) {
                16w58944: {
                    a.pad = ((((bit<128>) a.f0))[127:0])[84:79];
                }
            }
        } else {
            switch (t8.apply().action_run) {
                NoAction: {
                    m.m2 = (~((bit<40>) (int<40>) ((int<5>) (int<16>) a.k1)));
                    a.k0 = ((((bit<1>) a.f2) * ((bit<1>) m.color)) ++ ((bit<3>) m.m1));
                }
                act4: {
                    cnt2.count((bit<32>) a.f1);
                    act5();
                }
                act6: {
                    if ((m.m2 > (a.k0 ++ 36w41901042236))) { return; }
                    act5();
                }
                default: {
                    a.k2[3:2] = ((!(a.f1 >= a.f1)) ? (-m.color) : (m.color * a.f1));
                    m.m5 = (((int<2>) 31s792205235) |+| (m.m5 ^ ((int<2>) m.color)));
                }
            }
            a.f0 = ((int<128>) (int<127>) (m.m4 >> 19));
        }
        switch (t9.apply().action_run) {
            act4: {
                if ((!(m.m2 > ((bit<40>) (int<40>) a.f3)))) {
                    m.m0[29:15] = (15w12341 |+| ((m.m2 == 40w0) ? 15w0x0 : ((bit<15>) a.k0)));
                } else {
                    cnt2.count((bit<32>) a.f1);
                    a.pad[4:4] = ((bit<1>) (bit<2>) m.m5);
                }
                a.pad = ((3w0b111 ++ 3w0x5) + (((bit<64>) (bit<128>) a.f0))[59:54]);
            }
            act5: {
                switch (((48w83880610786835 ^ 48w0xffffffffffff))[25:17]) {
                    9w0x16d: {
                        bit<33> v11 = ((((bit<5>) a.f2) + 5w0x1) ++ (((bit<28>) (int<28>) m.m5) | ((bit<28>) a.pad)));
                    }
                }
            }
            act6: {
                bit<128> v12 = (-(((bit<128>) m.m1) | ((bit<128>) arg)));
            }
            default: {
                bit<48> v13 = (~((a.k2 < m.again) ? 48w53896691934810 : ((bit<48>) a.k2)));
                m.m3 = m.m3;
            }
        }
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act14(int<33> x0, bit<16> x1) {
        h.a.f0 = ((h.c.isValid() || (((bit<128>) h.a.k2) != ((bit<128>) m.m4))) ? ((int<128>) ((int<9>) (bit<9>) m.color)) : ((h.b == h.d) ? h.a.f0 : h.a.f0));
    }
    action act15(bit<8> x0) {
        h.r.code = (((bit<8>) 1w0) - m.again);
        h.a.f2 = ((((bit<48>) h.a.pad))[47:0])[39:8];
    }
    table t16 {
        key = {
            h.a.f2: lpm @name("k0");
            m.color: exact @name("k1");
        }
        actions = {
            NoAction;
            act14;
            act15;
        }
        const entries = {
            (32w0 &&& 32w0xffffffc0, 2w0x1): act15(8w0x2a);
            (32w0xc0000000 &&& 32w3221225472, 2w3): NoAction();
            (32w2709520384 &&& 32w0xff800000, 2w3): act15(8w0x22);
        }
        default_action = act14(33s0, 16w0x0);
        size = 128;
    }
    table t17 {
        key = {
            h.d.isValid(): exact @name("k0");
            s.packet_length: lpm @name("k1");
            h.r.code: exact @name("k2");
        }
        actions = {
            act14;
            act15;
            @defaultonly NoAction;
        }
        const default_action = act14(33s4294967295, 16w58944);
        size = 1024;
    }
    Sub2() sub1;
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
        h.c.setInvalid();
        h.a.f1 = ((bit<2>) (h.a.k0 ++ ((bit<13>) m.m2)));
        h.a.k2 = (-(((bit<8>) h.a.f1) | h.r.code));
        t16.apply();
        t17.apply();
        sub1.apply(h.a, m, ((h.a.f0 <= ((int<128>) (int<31>) m.m0)) ? 8w0x22 : m.again));
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<32>>(1) reg18;
    meter(4, MeterType.packets) mtr19;
    action act20(out bit<13> d0, int<31> x0) {
        d0 = 13w0b1111100011110;
        m.m1 = (((bit<100>) h.a.k1) << 4);
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
        if (h.d.isValid()) { h.b = h.d; }
        switch (((~3w0) - (((bit<3>) h.r.right) >> 8w3))) {
            3w0x3: {
                h.a.f0 = ((!(m.m3 == -32s365520466)) ? (h.a.f0 + ((int<128>) (bit<128>) h.a.k1)) : (-((int<128>) (bit<128>) m.m1)));
            }
            3w0x5: {
                h.c.setInvalid();
            }
            default: {
                if (h.v.isValid()) {
                    if (((((int<5>) (int<16>) h.a.k1) == -5s3) && (h.d.isValid() && (h.a.pad < h.a.pad)))) { return; }
                    h.r.right = (((m.inner.x != m.inner.x) ? h.r.wide : h.r.wide))[42:11];
                }
            }
        }
        h.a.k2 = h.r.code;
        h.r.wide = h.r.wide ^ ((bit<64>) m.m0);
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
