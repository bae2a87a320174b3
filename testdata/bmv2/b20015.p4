#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<6> k0;
    bit<3> k1;
    bit<16> k2;
    int<5> f0;
    int<17> f1;
    bit<17> f2;
    int<8> f3;
    int<64> f4;
    bit<24> f5;
    int<32> f6;
}
header b_t {
    int<5> f0;
    int<7> f1;
    bit<4> pad;
}
header c_t {
    bit<8> kind;
    bit<16> f0;
    bit<16> f1;
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
    @field_list(2, 3)
    bit<3> m0;
    @field_list(1)
    bool m1;
    @field_list(2)
    int<7> m2;
    @field_list(2, 3)
    bit<1> m3;
    @field_list(1)
    bit<32> m4;
    @field_list(3)
    bit<31> m5;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2, 3)
    bit<2> color;
    inner_t inner;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        transition select(h.a.k1) {
            3w0x4: at_c;
            default: at_c;
        }
    }
    state at_b {
        p.extract(h.b);
        m.m2 = (-(h.b.f1 << 7w0b100111));
        h.b.f0 = h.b.f0;
        transition at_c;
    }
    state at_c {
        p.extract(h.c);
        h.c.f0 = (-(h.c.kind ++ h.c.kind));
        h.c.f1 = h.c.f0;
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.bytes) cnt1;
    action act2(bit<40> x0) {
        if ((h.r.code <= (((bit<7>) ((bit<1>) m.m1)) ++ m.m3))) {
            if (m.again < 3 && (m.inner.x > 16w1)) { m.again = m.again + 1; clone(CloneType.I2E, 32w1); }
            int<5> v3 = (-(m.m1 ? h.a.f0 : h.a.f0));
        }
        if ((12w0x7ff >= (((bit<12>) (int<12>) h.a.f3) ^ ((bit<12>) h.a.f2)))) {
            h.r.small[8:4] = ((5w0xf & ((bit<5>) h.r.wide)) |+| (5w12 ^ ((bit<5>) m.m5)));
        }
    }
    table t4 {
        key = {
            h.a.f5: ternary @name("k0");
            h.a.f4: ternary @name("k1");
            h.a.f2: optional @name("k2");
        }
        actions = {
            NoAction;
            act2;
        }
        default_action = act2(40w0x9bf1d5c7a8);
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
        h.a.k2[14:1] = ((14w0b11001010101 & ((bit<14>) m.inner.x)) >> 9);
        h.c.setInvalid();
        cnt1.count((bit<32>) 3w0x1);
        switch (t4.apply().action_run) {
            NoAction: {
                s.egress_spec = (bit<9>) ((((bit<1>) h.r.right) ++ m.m3) ^ (m.m1 ? m.color : m.color));
            }
            act2: {
                int<7> v5 = ((m.m2 |-| m.m2) >> 3);
            }
            default: {
                m.m5 = ((((bit<10>) m.m4) >> ((bit<5>) m.inner.x)) ++ (((bit<48>) m.inner.x))[37:17]);
                h.c.setValid();
                h.c.kind = m.again;
                h.c.f0 = (m.inner.x << 12);
                h.c.f1 = (h.r.small & h.r.small);
            }
        }
        h.r.left[5:2] = ((bit<4>) (128w1)[127:1]);
        if ((h.r.right > (-32w0x7fffffff))) {
            s.egress_spec = (bit<9>) ((m.m1 ? m.m3 : ((bit<1>) (bit<64>) h.a.f4)) ++ (~((bit<1>) m.m1)));
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets_and_bytes) cnt6;
    counter(1, CounterType.packets_and_bytes) cnt7;
    action act8(out bit<127> d0, inout bit<7> d1, bit<8> x0, int<40> x1) {
        d0 = 127w0x3fffffffffffffffffffffffffffffff;
        h.a.f2 = ((bit<17>) (((bit<127>) m.inner.x) | d0));
        if (h.c.isValid()) {
            h.a.f2 = (17w0b1111111111111111 |-| (-((bit<17>) m.m3)));
        }
    }
    action act9() {
        int<13> v10 = ((~13s1) |+| (~13s4095));
        m.m3 = m.m3;
    }
    table t11 {
        key = {
            h.r.code: optional @name("k0");
        }
        actions = {
            NoAction;
            act9;
        }
        default_action = NoAction();
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
        switch (((m.m1 ? s.egress_port : 9w0) >> 5w0b0)) {
            9w0x18: {
                if (((-((int<13>) (bit<13>) m.m3)) > -13s4043)) {
                    bit<16> v12 = m.inner.x;
                }
            }
            default: {
                if (t11.apply().hit) {
                    h.r.right = ((128w106340071982430392834343189032853296521 >> 23))[93:62];
                    if (((!(s.egress_port > ((bit<9>) (int<9>) h.a.f6))) || ((s.instance_type > s.instance_type) && m.m1))) { exit; }
                } else {
                    act9();
                }
                if ((h.r.left != ((bit<32>) 127w120921780372585898303398608690708206905))) {
                    h.a.f5 = (~h.a.f5);
                }
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.again);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid() && (!(h.a.k2 <= h.a.k2)), { h.a.k0, h.a.f1, h.a.f3, 1w0x0 }, h.r.small, HashAlgorithm.crc16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
