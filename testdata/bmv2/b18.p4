#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<4> k0;
    bit<8> k1;
    bit<6> k2;
    int<64> f0;
    bit<2> f1;
    bit<40> f2;
    int<2> f3;
    bit<100> f4;
    int<7> f5;
    int<48> f6;
    bit<128> f7;
    bit<7> pad;
}
header b_t {
    bit<3> f0;
    bit<40> f1;
    bit<5> pad;
}
header c_t {
    bit<8> kind;
    bit<8> f0;
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
    int<40> f0;
    int<63> f1;
    bit<1> pad;
}
header v_t {
    bit<8> size;
    bit<2> f0;
    bit<6> pad;
    varbit<128> rest;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[4] s;
    v_t v;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1, 2)
    int<3> m0;
    @field_list(2)
    bit<12> m1;
    @field_list(3)
    bit<33> m2;
    @field_list(1)
    bit<128> m3;
    @field_list(1, 2, 3)
    bit<8> again;
    bit<2> color;
    inner_t inner;
}
bit<31> fun1(inout bit<63> p0) {
    p0 = ((~64w0xffffffffffffffff))[62:0];
    p0 = ((!(p0 <= p0)) ? (~63w613229666551411852) : (22w0x3fffff ++ ((bit<41>) p0)));
    if ((p0 > (p0 << 56))) { return ((!(p0 == 63w0x7fffffffffffffff)) ? (17w0x17584 ++ 14w0b0) : (((bit<128>) p0))[39:9]); }
    return ((-((16s1 > 16s23171) ? ((bit<31>) p0) : ((bit<31>) p0))) << 8w26);
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set3;
    state start {
        p.extract(h.a);
        int<24> v2 = (((int<24>) h.a.f6) * (24s3769427 << 1w0x0));
        transition select(h.a.k0) {
            4w0x9 .. 4w0b1101: at_c;
            4w0: at_c;
            4w0b1: accept;
            4w0b111: at_b;
            default: at_s;
        }
    }
    state at_c {
        p.extract(h.c);
        m.again = (~(((bit<6>) (int<6>) m.m0) ++ m.color));
        m.m3 = (((bit<128>) ((bit<31>) m.m2)) * ((bit<128>) 9w0x180));
        transition select(h.c.f0) {
            _: at_v;
            8w0xca: accept;
            8w0x4a: at_v;
            8w0xa8: at_s;
            default: at_v;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f0) {
            3w0b111: accept;
            3w0b0 .. 3w0x0: at_s;
            default: at_s;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            set3: at_s;
            8w0x3c .. 8w0b111100: at_v;
            _: at_v;
            8w255: at_v;
            8w0b11001010: accept;
            default: at_s;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w15) << 3);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    counter(8, CounterType.bytes) cnt4;
    register<bit<1>>(16) reg5;
    action act6(bit<16> x0) {
        if ((m.m2 <= (m.m2 ^ m.m2))) {
            a.f2[1:1] = ((8w61)[7:7] |-| ((bit<1>) a.k1));
        } else {
            m.m2 = (-(~m.m2));
        }
    }
    table t7 {
        key = {
            a.k0: exact @name("k0");
            a.f1: range @name("k1");
        }
        actions = {
            @defaultonly NoAction;
            act6;
        }
        const entries = {
            (4w0x7, 2w0x2 .. 2w0x3): act6(16w43389);
            (4w0, 2w0b0 .. 2w0b1): act6(16w0x7fff);
            (4w0b1111, 2w0 .. 2w0b11): act6(16w0b111111111111111);
        }
        default_action = NoAction();
    }
    apply {
        if ((!(m.m2 < m.m2))) {
            a.f1 = ((!(((bit<32>) a.k0) < ((bit<32>) a.k0))) ? a.f1 : m.color);
            a.f3 = ((int<2>) (int<12>) m.m1);
        } else {
            switch (((~a.f1) ++ ((bit<1>) 32w0x55c57ca1))) {
                3w0x4: {
                    m.color = a.f1;
                    cnt4.count((bit<32>) (~((bit<3>) m.inner.x)));
                }
            }
            switch (t7.apply().action_run) {
                NoAction: {
                    a.f4[15:14] = (((bit<2>) ((bit<33>) a.k1)) >> 8w9);
                    a.k2 = ((-6w0b1) & (m.color ++ a.k0));
                }
                act6: {
                    cnt4.count((bit<32>) (~((bit<3>) (int<3>) a.f5)));
                }
                default: {
                    a.f3 = (((int<2>) (int<128>) ((bit<128>) (int<128>) a.f5)) | ((int<2>) (bit<2>) 31w0x7fffffff));
                }
            }
        }
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<3>>(1) reg8;
    meter(4, MeterType.packets) mtr9;
    action act10(out bit<63> d0, in int<13> d1, bit<100> x0, bit<32> x1) {
        d0 = 63w0x52f5bc22034b0e67;
        h.a.f0 = h.a.f0;
        if ((d0 > ((s.ingress_port == s.ingress_port) ? d0 : d0))) {
            m.m1 = ((((bit<3>) m.m1) |+| ((bit<3>) s.instance_type)) ++ (s.instance_type)[10:2]);
            d0 = d0;
        }
    }
    action act11(bit<9> x0) {
        if (h.c.isValid()) {
            s.egress_spec = (bit<9>) (((bit<1>) m.color) ++ (~((bit<1>) h.a.pad)));
            m.m0 = (~((int<3>) (bit<3>) h.r.small));
        } else {
            h.a.f0 = ((int<64>) (int<5>) (1w0x1 ++ h.a.k0));
            s.egress_spec = (bit<9>) ((s.packet_length < h.r.left) ? (((bit<1>) h.a.f1) ++ ((bit<1>) h.r.code)) : (((bit<2>) h.r.left) >> 5w31));
        }
        h.a.f7 = m.m3;
    }
    action_profile(64) p13;
    table t12 {
        key = {
            h.a.pad: exact @name("k0");
            h.r.right: optional @name("k1");
            h.r.code: exact @name("k2");
        }
        actions = {
            NoAction;
            @defaultonly act11;
        }
        implementation = p13;
    }
    action_profile(64) p15;
    table t14 {
        key = {
            h.a.f3: exact @name("k0");
        }
        actions = {
            NoAction;
            act11;
        }
        implementation = p15;
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
            if (!h.a.isValid()) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if ((s.instance_type == (h.r.left >> ((bit<5>) m.m1)))) {
            if (((!(((int<16>) (bit<16>) m.color) < ((int<16>) (int<64>) h.r.wide))) && (m.color < h.a.f1))) {
                h.a.f0 = (h.a.f0 |+| ((int<64>) (int<40>) h.a.f2));
            }
        } else {
            hash(m.m1, HashAlgorithm.crc16, 32w42, { h.r.code }, 17w0x1);
            s.egress_spec = (bit<9>) (-(1w0b1 ++ 1w0b1));
        }
        if ((h.a.f5 >= (-((int<7>) h.a.pad)))) {
            if ((((bit<13>) (int<13>) ((int<31>) (int<4>) h.a.k0)) == ((bit<13>) (int<13>) ((int<63>) h.a.f3)))) {
                if (h.s[3].isValid()) {
                    m.m3 = ((-m.m3) - (128w218993114288885698271520497314762701171 | m.m3));
                    random(h.a.k1, 8w236, 8w236);
                }
            }
        }
        int<65> v16 = (-65s3414326746002665807 - ((int<65>) (bit<65>) ((bit<17>) m.again)));
        t12.apply();
        t14.apply();
        sub1.apply(h.a, m, (~m.again));
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<128>>(16) reg17;
    register<bit<5>>(4) reg18;
    action act19(bit<12> x0) {
        if (h.s[2].isValid()) {
            bit<65> v20 = (((bit<50>) x0) ++ (h.r.small)[15:1]);
            if ((((h.a.f1 == 2w0x0) && (-16s4607 <= -16s23632)) || ((h.a.f2 != 40w0x5e7246c244) && (h.a.pad == 7w0x2f)))) { return; }
        }
        bit<128> v21 = ((bit<128>) (4w0x8 - ((bit<4>) m.inner.x)));
        if (h.s[2].isValid()) {
            h.a.pad[0:0] = ((~1w0b0) | (~1w0x1));
        }
    }
    action act22(bit<64> x0) {
        if ((h.a.f2 != 40w1089238240500)) {
            m.m3 = (-((m.inner.x != h.r.small) ? h.a.f7 : 128w0x0));
            h.r.right = (((h.a.f5 != 7s1) || h.s[2].isValid()) ? (~h.r.left) : (h.a.f7)[100:69]);
        }
    }
    action act23(int<5> x0, bit<64> x1) {
        if (h.s[1].isValid()) {
            h.r.right = ((~h.a.f7))[52:21];
        }
        if (h.s[3].isValid() && h.s[1].isValid()) {
            reg18.write((bit<32>) (~h.a.f1), ((~((bit<5>) s.ingress_port)) + ((bit<5>) m.inner.x)));
            h.a.k2[0:0] = ((h.s[3].pad | h.s[3].pad) << 8w8);
        }
    }
    table t24 {
        key = {
            h.a.k1: ternary @name("k0");
            h.a.k0: range @name("k1");
            h.a.pad: exact @name("k2");
        }
        actions = {
            NoAction;
            act19;
            act22;
        }
        default_action = act22(64w0x291fac0aee6fbe76);
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
        h.a.f1 = ((-((bit<1>) h.r.small)) ++ 1w0x0);
        m.m3 = ((bit<128>) (int<128>) h.a.f3);
        if (t24.apply().miss) {
            if (h.c.isValid()) {
                h.a.f7 = ((bit<128>) (m.m3)[127:1]);
                hash(h.c.f0, HashAlgorithm.crc16_custom, 32w52, { h.r.wide }, 17w0x64);
            }
        }
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
