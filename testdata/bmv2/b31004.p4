#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<6> k1;
    bit<4> k2;
    bit<32> f0;
    int<9> f1;
    bit<24> f2;
    bit<5> pad;
}
header b_t {
    bit<4> f0;
    bit<8> f1;
    bit<4> pad;
}
header c_t {
    bit<8> kind;
    int<48> f0;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    bit<16> m0;
    bit<8> m1;
    @field_list(1)
    int<64> m2;
    @field_list(1, 3)
    bit<127> m3;
    @field_list(1)
    bit<16> m4;
    @field_list(2)
    bit<9> m5;
    @field_list(2)
    bit<13> m6;
    @field_list(1, 2, 3)
    bit<8> again;
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
        h.a.k0[1:0] = (1w0b1 ++ (((bit<1>) m.again) - ((bit<1>) m.m3)));
        transition select(h.a.k1, h.a.k2) {
            (6w25 &&& 6w1, 4w0xa): reject;
            (6w0b1 &&& 6w0b101100, 4w0x7): at_b;
            default: at_c;
        }
    }
    state at_b {
        p.extract(h.b);
        p.advance(24);
        h.b.f1 = ((-((bit<8>) m.m6)) << ((bit<3>) m.m4));
        m.m5[0:0] = (true ? ((bit<1>) m.m4) : 1w0b1);
        transition select(h.b.f1) {
            8w0xff: accept;
            8w0b1010100: accept;
            8w0x85: accept;
            8w0b1111111 .. 8w0b1111111: accept;
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
    meter(4, MeterType.bytes) mtr1;
    action act2(inout bit<12> d0, int<65> x0) {
        h.a.k0[7:0] = (((bit<128>) m.m3))[56:49];
        if ((((m.m5 != 9w0b111001001) ? 128w170141183460469231731687303715884105727 : 128w0xd692180aecdbc7afc8861376e9cf0dda) > (121w332501235638930761697567958327220141 ++ 7w0x7f))) {
            mark_to_drop(s);
            bit<65> v3 = (((bit<65>) ((bit<40>) m.m1)) << ((bit<1>) (bit<64>) m.m2));
        } else {
            m.m5 = ((m.m5 * s.ingress_port) << 6);
            hash(m.color, HashAlgorithm.crc16_custom, 16w0b1010110, { h.a.pad, 17w0x1 }, 32w0x0);
        }
        if (((m.m4)[13:12] == (m.color * ((bit<2>) h.r.right)))) {
            h.a.k1 = (h.a.k1 |+| (h.a.k1 << h.r.code));
        } else {
            bit<16> v4 = h.a.k0;
        }
    }
    action act5(bit<65> x0, bit<40> x1) {
        if (h.c.isValid()) { exit; }
        if (h.c.isValid() && (h.a.k0 <= m.m0)) {
            h.a.f2 = (((bit<17>) h.r.wide) ++ (((bit<7>) m.m6) - 7w82));
            h.a.f1 = ((int<9>) (bit<9>) ((bit<40>) 128w170141183460469231731687303715884105727));
        }
    }
    action act6(in bit<8> d0, inout bit<9> d1, bit<40> x0) {
        if ((!(x0 != x0))) {
            m.m5[7:4] = ((1w0x1 ++ 1w0x1) ++ (m.color & m.color));
        }
    }
    direct_meter<bit<2>>(MeterType.bytes) dm;
    action act7(bit<1> x0) {
        dm.read(m.color);
        if (((-4s4 & ((int<4>) (int<16>) m.m0)) > (((int<4>) (int<24>) h.a.f2) | ((int<4>) (int<6>) h.a.k1)))) {
            h.r.left = (h.r.right >> 8w21);
            h.r.right = ((h.r.right << 2w0x0) |+| h.r.left);
        }
        s.egress_spec = (bit<9>) (((m.m2 != 64s5153107650649670922) ? m.again : 8w0x72))[6:5];
        s.egress_spec = (bit<9>) ((bit<2>) (((bit<75>) h.r.code) ++ ((bit<52>) s.ingress_port)));
    }
    action act8(bit<16> x0) {
        dm.read(m.color);
        if (h.b.isValid()) {
            m.m2 = (-((m.m2 > m.m2) ? m.m2 : m.m2));
            h.a.f0 = (((h.a.f0 <= s.instance_type) ? s.instance_type : h.r.right) + ((h.a.f0 != h.r.left) ? h.a.f0 : h.a.f0));
        }
        h.a.k0[6:2] = (((bit<64>) ((bit<48>) h.a.k0)))[60:56];
        if ((m.m1 != 8w0b1010100)) {
            s.egress_spec = (bit<9>) (m.color << ((bit<7>) s.packet_length));
        } else {
            m.m0[11:0] = ((12w0xaff << h.a.pad) |+| ((bit<12>) 3w0x5));
            h.a.f1 = ((int<9>) (-16s473 & 16s1));
        }
    }
    table t9 {
        key = {
            h.r.small: ternary @name("k0");
        }
        actions = {
            act7;
            act8;
        }
        default_action = act8(16w0b110100011100000);
        meters = dm;
        size = 128;
    }
    direct_counter(CounterType.packets_and_bytes) dc11;
    table t10 {
        key = {
            (~(-((bit<12>) m.m0))): range @name("k0");
            h.a.k2: ternary @name("k1");
        }
        actions = {
            @defaultonly NoAction;
            act5;
            act6((((m.again > m.m1) ? h.r.code : m.m1) |-| ((bit<8>) h.r.wide)), m.m5);
        }
        const entries = {
            (12w0b111001000000 .. 12w0xe40, 4w0x1 &&& 4w1): act5(65w0xfb5c3336e65f558d, 40w0x0);
            (12w4095 .. 12w4095, 4w0x8 &&& 4w0b1001): act5(65w12661795180911227439, 40w1099511627775);
            (12w0b111111111111 .. 12w0b111111111111, _): act6((((m.again > m.m1) ? h.r.code : m.m1) |-| ((bit<8>) h.r.wide)), m.m5, 40w836109509518);
        }
        default_action = NoAction();
        counters = dc11;
        size = 64;
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
            if (!h.a.isValid()) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (t9.apply().hit) {
            switch (((1w0x0 ^ 1w0) ++ (3w0x1 * 3w0b111))) {
                4w0b1: {
                    if (t10.apply().hit) {
                        m.color = ((m.color |+| m.color) | (~m.color));
                    } else {
                        m.m0 = ((-((bit<11>) h.r.left)) ++ (~5w0x0));
                    }
                }
                4w0b1010: {
                    bit<9> v12 = (((bit<9>) h.a.k2) & s.ingress_port);
                }
                default: {
                    if (h.c.isValid() && (h.c.f0 >= 48s1846726801286)) {
                        if (h.b.isValid()) { h.d = h.b; }
                    }
                    if ((m.m0 <= (~16w32767))) {
                        m.m5 = ((s.ingress_port << 8w3) ^ ((h.r.code == 8w0b0) ? s.ingress_port : s.ingress_port));
                    }
                }
            }
            h.r.code = ((bit<8>) (h.r.wide >> 16));
        }
        h.a.k2[3:2] = (m.color ^ (~m.color));
        if (((((bit<31>) (int<31>) m.m2) >> 8w33) < (((bit<32>) m.m0))[31:1])) {
            bit<5> v13 = (((bit<5>) ((bit<40>) h.r.right)) << 8w4);
            h.r.small = (((-24s6971493 <= ((int<24>) (bit<24>) m.m1)) || (s.packet_length > h.a.f0)) ? ((h.a.f1 < ((int<9>) (bit<9>) m.m3)) ? h.a.k0 : h.a.k0) : (((bit<16>) m.again) * m.m0));
        }
        h.r.code[1:0] = m.color;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.bytes) cnt14;
    meter(4, MeterType.bytes) mtr15;
    action act16(inout bit<24> d0, inout bit<48> d1, bit<2> x0, bit<32> x1) {
        if (h.c.isValid() && (m.inner.x <= ((bit<16>) h.a.f2))) {
            h.a.pad = ((d1)[44:13])[29:25];
        }
        hash(h.a.f2, HashAlgorithm.xor16, 32w16, { m.again, s.egress_rid }, 17w0x3);
        cnt14.count(0);
    }
    action act17(in bit<16> d0, bit<16> x0) {
        if ((x0 < (((bit<16>) h.a.pad) & h.r.small))) {
            h.a.f0 = (-((s.egress_port != m.m5) ? h.r.right : h.r.left));
        }
    }
    table t18 {
        key = {
            h.r.code: lpm @name("k0");
        }
        actions = {
            NoAction;
            act17((((bit<16>) s.ingress_port) & (5w0xa ++ ((bit<11>) s.ingress_port))));
        }
        default_action = act17((((bit<16>) s.ingress_port) & (5w0xa ++ ((bit<11>) s.ingress_port))), 16w0b1100100110111111);
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
        t18.apply();
        if (h.b.isValid()) {
            h.r.wide = ((h.r.wide << 51))[63:0];
        }
        switch (((bit<3>) (true ? h.a.f0 : h.r.right))) {
            3w0: {
                bit<4> v19 = ((bit<4>) m.m3);
                if ((!(m.inner.x == m.inner.x))) {
                    int<9> v20 = (((int<9>) (int<16>) h.r.small) >> 9);
                    mark_to_drop(s);
                }
            }
            3w0x4: {
                m.m1 = (m.again >> 8w9);
                if ((s.egress_port >= ((bit<9>) m.m6))) {
                    m.m1 = (((bit<3>) m.m6) ++ (h.a.pad & h.a.pad));
                    h.a.f1 = ((int<9>) (int<12>) (-12w0b1));
                } else {
                    assume(h.a.isValid());
                }
            }
            default: {
                h.c.setInvalid();
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m3);
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
