#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<4> k0;
    bit<3> k1;
    bit<6> k2;
    bit<128> f0;
    bit<31> f1;
    bit<32> f2;
    bit<5> f3;
    bit<100> f4;
    bit<33> f5;
    int<40> f6;
    bit<2> pad;
}
header b_t {
    bit<9> f0;
    bit<16> f1;
    bit<7> pad;
}
header c_t {
    bit<8> kind;
    bit<100> f0;
    bit<64> f1;
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
    int<31> f0;
    bit<1> pad;
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
    @field_list(2)
    bit<64> m0;
    @field_list(3)
    bool m1;
    @field_list(2)
    bit<33> m2;
    bool m3;
    bit<128> m4;
    bit<17> m5;
    @field_list(2)
    bool m6;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1)
    bit<2> color;
    inner_t inner;
}
bit<5> fun1(inout bit<31> p0) {
    if (((7w0b1 >> 8w6) < ((p0 == 31w0x3fffffff) ? 7w0x7f : 7w1))) {
        p0 = ((p0 |-| p0) |-| ((bit<31>) (bit<24>) ((int<24>) (bit<24>) p0)));
        p0 = ((p0 & p0) | p0);
    } else {
        p0 = (-((p0 == 31w0x7fffffff) ? p0 : p0));
        p0 = (((p0 < 31w0x7fffffff) || false) ? (p0 ^ p0) : (~p0));
    }
    return (((-((int<13>) (int<31>) p0)) < ((int<13>) ((int<4>) (bit<4>) p0))) ? ((((bit<3>) p0) ++ ((bit<2>) p0)) >> 5) : ((p0 >= p0) ? ((bit<5>) ((bit<13>) p0)) : (true ? 5w0x5 : ((bit<5>) p0))));
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
        h.a.f0[94:74] = (64w6272172340444742585)[20:0];
        m.m1 = (h.a.k2 >= h.a.k2);
        transition select(h.a.k0, h.a.f3) {
            (4w10 .. 4w0b1010, 5w0x0): at_b;
            (4w0, 5w0b101): at_b;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        bit<31> v2 = (~31w0x62a087f4);
        transition select(h.b.f1) {
            16w54152: at_v;
            16w34679 &&& 16w1: accept;
            default: at_c;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        bit<13> v3 = ((13w6380 << 8w15) & ((bit<13>) h.c.f1));
        transition select(h.c.kind) {
            8w0xb6: accept;
            8w0b10110110 &&& 8w255: at_v;
            8w0b110010 .. 8w0xac: reject;
            _: accept;
            default: at_v;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w31) << 3);
        h.v.pad = ((!(h.v.f0 < 31s0)) ? ((bit<1>) ((bit<12>) (int<12>) h.v.f0)) : (h.v.pad >> ((bit<2>) h.v.size)));
        verify((17w0 > 17w0b11111111111111111) || h.v.size != 1, error.Second);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) cnt4;
    action act5(inout bit<63> d0, bit<40> x0, bit<9> x1) {
        if (((h.r.left < s.packet_length) || (m.m4 == h.a.f0))) {
            h.a.f2[11:4] = (h.r.code |+| (h.r.code >> 8w13));
        } else {
            h.r.code[4:1] = (h.r.wide)[52:49];
        }
        if (h.v.isValid()) {
            h.a.f3 = fun1(h.a.f1);
        }
        bool v6 = (!(h.a.f6 == h.a.f6));
    }
    action_profile(64) p8;
    table t7 {
        key = {
            m.m5: optional @name("k0");
        }
        actions = {
            NoAction;
        }
        implementation = p8;
    }
    table t9 {
        key = {
            ((bit<8>) h.a.pad): lpm @name("k0");
        }
        actions = {
            NoAction;
        }
        const entries = {
            8w0b111001 &&& 8w0xff: NoAction();
        }
        default_action = NoAction();
    }
    table t10 {
        key = {
            ((m.m4)[72:61] ^ ((bit<12>) h.a.f1)): ternary @name("k0");
            ((((bit<48>) m.again))[24:15] ++ m.color): optional @name("k1");
        }
        actions = {
            NoAction;
        }
        default_action = NoAction();
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
        cnt4.count((bit<32>) (m.color << 8w2));
        h.d.setValid();
        h.d.f0 = (((bit<1>) h.a.f0) ++ 8w0b0);
        h.d.f1 = ((bit<16>) ((bit<48>) (int<48>) h.a.f6));
        h.d.pad = (((bit<7>) h.a.f4) << 8w14);
        h.r.wide = h.r.wide;
        h.a.f3 = fun1(h.a.f1);
        switch (((bit<9>) (h.r.left * ((bit<32>) m.m4)))) {
            9w237: {
                h.a.f3 = fun1(h.a.f1);
            }
            9w0b100001101: {
                if (t7.apply().miss) {
                    if (h.c.isValid() && ((((int<5>) (int<8>) h.c.kind) >= -5s1) && (40s0 >= h.a.f6))) {
                        m.inner.x = ((bit<16>) (int<16>) ((int<12>) (bit<12>) 65w3830309149328781069));
                        hash(h.a.f2, HashAlgorithm.crc32, 16w0b10001, { m.m0, m.m2, h.a.k2, m.color, 9w0x71 }, 32w0x0);
                    }
                }
                if ((h.a.f5 == (m.m3 ? h.a.f5 : 33w2514694248))) { return; }
            }
            9w0x1ff: {
                if (m.again < 3 && (h.a.f1 > ((bit<31>) m.color))) { m.again = m.again + 1; clone_preserving_field_list(CloneType.I2E, 32w2, 3); }
            }
            default: {
                if (((!(h.a.f4 != 100w217014116397398944789108887038)) || (!h.v.isValid()))) { exit; }
            }
        }
        h.a.f3 = fun1(h.a.f1);
        if (t9.apply().miss) {
            if (h.b.isValid()) { h.d = h.b; }
            int<13> v11 = (~-13s2650);
        } else {
            h.a.f3 = fun1(h.a.f1);
            if (h.v.isValid()) {
                bit<5> v12 = h.a.f3;
                h.a.f3 = (v12 << 2);
            }
        }
        t10.apply();
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.bytes) cnt13;
    counter(1, CounterType.packets_and_bytes) cnt14;
    action act15(bit<100> x0, int<33> x1) {
        if (m.m1) {
            h.a.k1 = ((1w0 ++ ((bit<2>) h.r.code)) ^ (h.a.k1 ^ h.a.k1));
            h.a.f3 = fun1(h.a.f1);
        }
        if (h.c.isValid()) {
            h.a.f4 = ((bit<100>) (int<100>) (~((int<32>) (bit<32>) h.r.wide)));
            if (m.again < 2 && (x1 > x1)) { m.again = m.again + 1; recirculate_preserving_field_list(2); }
        }
        int<4> v16 = (-4s1 * (-((int<4>) (int<16>) m.inner.x)));
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
        if (m.m3) {
            if (h.v.isValid()) {
                bit<4> v17 = (((bit<1>) ((bit<24>) m.m5)) ++ (((bit<3>) h.a.k0) << 8w9));
                m.m4 = ((m.m4)[127:0])[127:0];
            }
            if ((m.m2 <= h.a.f5)) {
                if (m.again < 2 && ((h.a.f5 == 33w2265970179) || (m.m2 == m.m2))) { m.again = m.again + 1; recirculate_preserving_field_list(2); }
            }
        } else {
            h.a.f3 = fun1(h.a.f1);
        }
        if (h.d.isValid()) { h.b = h.d; }
        h.r.wide = h.r.wide ^ ((bit<64>) m.again);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid(), { h.a.f5, h.a.k1, h.a.f4, h.a.k2, 2w0x0 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
