#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<4> k1;
    bit<6> k2;
    bit<63> f0;
    bit<3> f1;
    bit<8> f2;
    bit<17> f3;
    bit<5> f4;
    int<3> f5;
}
header b_t {
    int<9> f0;
    bit<31> f1;
}
header c_t {
    bit<8> kind;
    bit<12> f0;
    bit<4> pad;
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
    bit<24> f0;
}
header v_t {
    bit<8> size;
    bit<9> f0;
    bit<7> pad;
    varbit<128> rest;
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
    bit<64> m0;
    @field_list(2)
    bit<9> m1;
    @field_list(1, 3)
    int<9> m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<9>>(4) set1;
    state start {
        p.extract(h.a);
        transition select(h.a.f1) {
            3w1: at_u;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        m.m2 = ((~h.b.f0) + ((int<9>) (int<24>) 24w4199705));
        m.m2 = (~(-m.m2));
        transition at_c;
    }
    state at_c {
        p.extract(h.c);
        m.again = ((-h.c.kind) >> 5w0b11100);
        h.c.pad[1:1] = ((-1w0) << m.color);
        transition select(h.c.f0) {
            12w0b11111111111: at_s;
            12w0b111111111111 .. 12w0xfff: reject;
            12w0b11110011100 .. 12w0xfff: at_v;
            default: at_s;
        }
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition at_s; }
    state at_uy { p.extract(h.u.y); transition at_s; }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w15) * 8);
        m.m0 = ((128w0xd03d5e843e3f801f454ac3b7587cae96 |-| 128w81722934620536025870142614277897049189))[119:56];
        verify((!(m.m2 <= m.m2)) || h.v.size != 1, error.First);
        transition select(h.v.f0) {
            set1: at_s;
            9w356: accept;
            default: at_s;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0b1001100 &&& 8w156: at_s;
            default: at_s;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    counter(4, CounterType.packets_and_bytes) cnt2;
    counter(8, CounterType.packets) cnt3;
    meter(4, MeterType.packets) mtr4;
    action act5(in int<64> d0, out int<13> d1) {
        d1 = 13s0;
        if ((a.k1 > (16w0xffff)[7:4])) {
            a.f1 = (a.f1 << 8w2);
            a.f2[5:0] = (~((d0 > d0) ? a.k2 : a.k2));
        }
        m.inner.x = ((~m.inner.x) << 12);
    }
    action act6(bit<17> x0) {
        if (((!(arg == 8w0x9c)) && (a.f0 < a.f0))) {
            int<2> v7 = ((int<2>) (bit<2>) (m.inner.x)[14:14]);
            bit<63> v8 = ((-a.f0) << 8w55);
        }
    }
    apply {
        cnt3.count((bit<32>) (((bit<3>) m.again) + a.k0));
        switch (((16w9557)[15:0] >> a.k0)) {
            16w10395: {
                if ((m.m1 <= (a.k0 ++ 6w0b100100))) {
                    mtr4.execute_meter<bit<2>>((bit<32>) (m.color | m.color), m.color);
                    cnt3.count((bit<32>) (a.k0 << 8w7));
                }
                a.f1 = ((((bit<128>) arg) & ((bit<128>) (bit<3>) a.f5)))[75:73];
            }
            16w31939: {
                if ((!(!(m.m0 == 64w8630329961616488671)))) {
                    m.m0 = (~(m.m0 << 0));
                }
            }
        }
        switch ((-(((bit<8>) (bit<3>) a.f5) ++ ((bit<1>) a.f0)))) {
            9w0xff: {
                if (((a.k1 < a.k1) && (m.inner.x > m.inner.x))) {
                    mtr4.execute_meter<bit<2>>((bit<32>) (~m.color), m.color);
                    m.m0 = m.m0;
                }
                mtr4.execute_meter<bit<2>>((bit<32>) ((bit<2>) 127w1), m.color);
            }
            default: {
                switch ((~(((bit<128>) (int<128>) a.f5))[33:18])) {
                    16w0x1: {
                        a.f1[1:0] = 2w0x3;
                        hash(m.inner.x, HashAlgorithm.xor16, 16w0b1100000, { a.f4, a.f1, a.f4 }, 17w1);
                    }
                }
            }
        }
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<127>>(1) reg9;
    register<bit<128>>(4) reg10;
    action act11(in bit<12> d0, inout bit<63> d1, bit<24> x0) {
        if (h.u.x.isValid() && (h.a.k2 != h.a.k2)) {
            h.a.k0 = h.a.f1;
            h.u.x.f1 = ((m.inner.x ++ ((bit<15>) s.instance_type)) >> 8w9);
        }
        if (((!(x0 > x0)) || (m.m0 > h.r.wide))) {
            h.a.f5 = (-(h.a.f5 - h.a.f5));
            bit<128> v12;
            reg10.read(v12, (bit<32>) ((d0 < d0) ? m.color : 2w0b1));
            m.m1 = ((bit<9>) v12);
        }
        if ((h.a.f5 <= h.a.f5)) {
            bit<127> v13;
            reg9.read(v13, 0);
            h.a.k1 = ((bit<4>) v13);
            d1[49:43] = (7w0x0 |-| 7w0b1);
        }
    }
    action act14(bit<128> x0, bit<64> x1) {
        if (h.u.x.isValid()) {
            h.a.k2 = ((bit<6>) h.a.f0);
            h.r.right = ((h.a.f3 < 17w0x122c2) ? (5w16 ++ ((bit<27>) h.a.f3)) : (x0)[82:51]);
        }
        h.a.f1 = ((3w7 << h.a.k0) << h.a.f4);
        if (h.c.isValid()) {
            h.r.left = ((32w4047727100 + h.r.right) >> 8w30);
            s.egress_spec = (bit<9>) ((bit<2>) h.a.f3);
        }
    }
    action act15(bit<64> x0) {
        if ((m.m0 < x0)) {
            hash(h.a.f0, HashAlgorithm.crc16, 32w0x30, { h.r.right }, 32w0x64);
        }
        h.a.f3 = ((-((bit<128>) h.r.right)))[17:1];
    }
    direct_counter(CounterType.packets_and_bytes) dc17;
    table t16 {
        key = {
            h.r.code: optional @name("k0");
            h.r.left: optional @name("k1");
        }
        actions = {
            NoAction;
            act11(12w0b110011110000, h.a.f0);
            act15;
        }
        entries = {
            priority=184: (_, _): act11(12w0b110011110000, h.a.f0, 24w8877372);
            priority=233: (8w0b1111111, _): act15(64w0xc56e18efd77059ae);
            priority=306: (8w0x0, 32w3975341837): act11(12w0b110011110000, h.a.f0, 24w0xf589da);
            priority=379: (_, 32w0xffffffff): act15(64w0xbf0c110207388797);
            priority=396: (8w255, 32w2147483647): act15(64w10700041428418614474);
        }
        default_action = act11(12w0b110011110000, h.a.f0, 24w0xba8403);
        counters = dc17;
    }
    table t18 {
        key = {
            h.r.right: range @name("k0");
            m.m1: ternary @name("k1");
            h.a.f0: lpm @name("k2");
        }
        actions = {
            NoAction;
            act11(12w0b110011110000, h.a.f0);
        }
        const default_action = NoAction();
        size = 128;
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
            if (!h.a.isValid()) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        m.m0 = (((h.a.f0 == h.a.f0) ? ((bit<64>) h.a.k2) : m.m0) ^ (h.r.wide >> 8w23));
        h.u.y.setValid();
        h.u.y.kind = ((bit<8>) ((bit<1>) m.color));
        h.u.y.f0 = (((bit<12>) h.a.f3) |-| 12w0b1100000101);
        h.u.y.pad = ((bit<4>) m.again);
        t16.apply();
        switch ((((2w0x0 >= 2w0x2) ? 3w0x7 : h.a.k0) ++ (h.a.f4 - h.a.f4))) {
            8w0b0: {
                if (h.s[3].isValid()) {
                    if (!t18.apply().miss) {
                        h.a.f5 = ((int<3>) (int<127>) (((bit<127>) m.m0) + ((bit<127>) s.ingress_port)));
                        bit<12> v19 = ((h.a.k2 ++ ((bit<26>) (bit<9>) m.m2)))[31:20];
                    } else {
                        bit<64> v20 = ((((bit<4>) s.ingress_port) < h.a.k1) ? (m.m0 |+| m.m0) : (h.r.wide >> ((bit<7>) m.color)));
                        log_msg("value21 {}", { s.instance_type });
                    }
                }
                if ((s.ingress_port >= s.ingress_port)) {
                    if (h.s[1].isValid()) {
                        s.egress_spec = (bit<9>) m.color;
                        h.s[2].setInvalid();
                    }
                    s.egress_spec = (bit<9>) ((bit<2>) (int<2>) (-((int<31>) h.a.f5)));
                }
            }
            8w0x93: {
                h.s[0].setInvalid();
            }
            8w0b11111111: {
                if ((h.a.f4 != (h.a.f4 ^ ((bit<5>) h.a.k2)))) {
                    s.egress_spec = (bit<9>) ((-m.color) |+| ((bit<2>) 2s0));
                }
                if (h.c.isValid()) { h.u.y = h.c; }
            }
            default: {
                sub2.apply(h.a, m, (h.r.small)[8:1]);
                h.a.f3 = (((bit<5>) h.r.right) ++ (12w0xfff >> 10));
            }
        }
        h.r.left = ((bit<32>) (int<32>) (-((int<64>) (int<63>) h.a.f0)));
        sub1.apply(h.a, m, (h.r.code << 0));
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets_and_bytes) cnt22;
    meter(4, MeterType.packets) mtr23;
    action act24(in bit<64> d0) {
        mtr23.execute_meter<bit<2>>((bit<32>) (2w0 |+| m.color), m.color);
        if ((s.instance_type == (-h.r.left))) {
            h.r.right = ((bit<32>) (7w0b1 * ((bit<7>) h.a.f4)));
        } else {
            h.a.k2 = ((h.r.code)[7:0])[5:0];
        }
        if (m.again < 2 && (!h.c.isValid())) { m.again = m.again + 1; recirculate_preserving_field_list(2); }
    }
    table t25 {
        key = {
            h.b.isValid(): ternary @name("k0");
        }
        actions = {
            @defaultonly NoAction;
            act24(((((bit<29>) h.a.f0) ++ 35w0x56520fae1) << 8w35));
        }
        default_action = NoAction();
        size = 64;
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
        int<32> v26 = ((int<32>) ((int<9>) (bit<9>) h.a.k1));
        t25.apply();
        h.r.wide = h.r.wide ^ ((bit<64>) m.inner.x);
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
