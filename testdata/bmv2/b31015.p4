#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<4> k1;
    bit<16> k2;
    bit<12> f0;
    bit<65> f1;
    bit<2> f2;
    bit<3> f3;
    bit<1> f4;
    bit<5> f5;
    bit<4> f6;
    bit<5> pad;
}
header b_t {
    bit<1> f0;
    bit<7> pad;
}
header c_t {
    bit<8> kind;
    bit<1> f0;
    bit<7> pad;
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
    int<24> f0;
    bit<63> f1;
    bit<1> pad;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[4] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1, 3)
    bit<7> m0;
    @field_list(2)
    int<128> m1;
    bit<5> m2;
    bit<7> m3;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
}
bit<2> fun1(in int<2> p0) {
    if ((p0 >= (p0 | -2s1))) { return ((((bit<2>) p0) + ((bit<2>) p0)) >> 8w4); }
    return (((8w0xac & 8w197))[7:6] - ((p0 != 2s0) ? ((bit<2>) (int<2>) 128s1) : 2w0x0));
}
bit<32> fun2(in bit<40> p0, out bit<128> p1) {
    p1 = 128w0x7fffffffffffffffffffffffffffffff;
    if ((p1 < ((bit<128>) (bit<40>) ((int<40>) p0)))) {
        p1 = ((bit<128>) ((bit<7>) (bit<13>) 13s0));
        p1 = ((p1 << ((bit<5>) p1)) - (p1)[127:0]);
    }
    p1 = (~(p1)[127:0]);
    if (((!(p0 == p0)) && (!(((bit<33>) p0) > 33w7603389038)))) { return ((((bit<32>) p1) |-| ((bit<32>) p0)))[31:0]; }
    return 32w2008387243;
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
    value_set<bit<1>>(4) set3;
    Sub() sub;
    state start {
        p.extract(h.a);
        transition select(h.a.f4, h.a.k1) {
            (1w1, 4w0b1111): at_c;
            (1w0x1, 4w12 &&& 4w1): at_c;
            (_, _): at_c;
            (1w0 &&& 1w0, 4w1): accept;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0b11000101 &&& 8w242: at_s;
            8w0b1 .. 8w127: at_s;
            default: at_b;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        h.c.kind = ((m.again |-| h.c.kind) & (h.c.kind * h.c.kind));
        transition select(h.c.f0) {
            set3: at_b;
            1w0x0: accept;
            1w0x0: at_b;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
        verify_checksum(h.a.isValid(), { h.a.k1, h.a.k1, h.a.k1, 4w0 }, h.a.k2, HashAlgorithm.csum16);
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    action act4(out bit<17> d0, bit<63> x0, int<65> x1) {
        d0 = 17w0b1111111111111111;
        a.f5 = m.m2;
    }
    table t5 {
        key = {
            a.k2: ternary @name("k0");
        }
        actions = {
            NoAction;
        }
        const default_action = NoAction();
    }
    apply {
        if ((((16w0b1100000110000 > a.k2) && (m.m1 == m.m1)) || (!(m.m0 < m.m0)))) {
            switch (t5.apply().action_run) {
                default: {
                    bool v6 = ((!(a.f5 == 5w0b1111)) || ((a.f2 == 2w1) && true));
                }
            }
        } else {
            a.f3 = ((((bit<13>) a.f6) == 13w0b1) ? (~((bit<3>) a.pad)) : (~a.k0));
        }
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets_and_bytes) cnt7;
    action act8(bit<24> x0) {
        if ((h.a.pad != h.a.f5)) {
            h.a.f3 = ((s.instance_type != s.instance_type) ? (m.inner.x)[4:2] : (h.a.k0 << 3));
        } else {
            h.a.f2 = fun1((((int<2>) (int<32>) ((bit<32>) h.a.pad)) >> 2));
        }
    }
    action act9(in bit<1> d0, int<127> x0) {
        h.r.code = ((h.a.f6 + h.a.k1) ++ (false ? h.a.f6 : ((bit<4>) m.m2)));
        h.a.f5[2:0] = ((bit<3>) (int<3>) ((int<17>) (int<16>) h.r.small));
    }
    action act10(out int<9> d0, inout int<13> d1, bit<9> x0, bit<3> x1) {
        d0 = -9s7;
        if ((m.m1 > (-m.m1))) {
            h.a.f2 = fun1(((((int<2>) (bit<2>) h.a.f3) - 2s1) | ((int<2>) (bit<2>) ((bit<24>) h.a.k0))));
            h.r.right = (h.s[0].isValid() ? (~s.packet_length) : (h.a.f3 ++ 29w18984320));
        }
        cnt7.count((bit<32>) (h.r.small)[2:0]);
    }
    action_profile(64) p12;
    table t11 {
        key = {
            h.d.isValid(): ternary @name("k0");
            h.r.code: ternary @name("k1");
            h.a.k0: range @name("k2");
        }
        actions = {
            @defaultonly NoAction;
            act8;
            act9((((m.m1 == m.m1) ? h.a.f4 : ((bit<1>) h.r.wide)) |+| (~h.a.f4)));
        }
        implementation = p12;
    }
    table t13 {
        key = {
            h.a.f0: ternary @name("k0");
        }
        actions = {
            act8;
            act9((((m.m1 == m.m1) ? h.a.f4 : ((bit<1>) h.r.wide)) |+| (~h.a.f4)));
        }
        const default_action = act9((((m.m1 == m.m1) ? h.a.f4 : ((bit<1>) h.r.wide)) |+| (~h.a.f4)), 127s3294510092107058343240099982333611801);
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
            if (!h.a.isValid()) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        h.r.code[2:2] = ((h.a.f5 >= h.a.f5) ? (h.a.f4 << h.a.f4) : (~h.a.f4));
        h.a.f0 = (((bit<128>) h.r.left))[36:25];
        mark_to_drop(s);
        sub1.apply(h.a, m, ((m.color == 2w3) ? h.r.code : m.again));
        t13.apply();
        t11.apply();
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt14;
    action act15(bit<13> x0) {
        if ((!(!h.c.isValid()))) {
            h.r.right = ((32w4049936921 << 8w34) >> h.a.f3);
        }
        if ((!(h.s[2].isValid() && (h.a.k2 != 16w0b10000110110010)))) {
            h.a.f2 = fun1((-((int<2>) (bit<2>) m.m2)));
            m.m1 = (~(~m.m1));
        }
    }
    action act16(inout int<7> d0, in int<4> d1) {
        h.r.right = ((h.c.isValid() ? ((bit<24>) h.r.small) : 24w0xc1ba50) ++ (h.r.code >> 6));
        cnt14.count((bit<32>) (h.a.k2)[7:6]);
        if ((h.r.left == ((bit<32>) 24w0xc1ba50))) {
            h.r.code = ((((bit<63>) h.a.f1) <= 63w4611686018427387903) ? (-m.again) : (h.r.code << 1));
            h.a.f4 = ((~h.a.f4) - (-((bit<1>) h.a.f3)));
        } else {
            m.color = fun1((~(~((int<2>) (int<12>) h.a.f0))));
            h.a.k2 = s.egress_rid;
        }
    }
    action act17(int<40> x0, bit<128> x1) {
        if (h.s[0].isValid()) {
            h.a.pad = ((bit<5>) (bit<40>) x0);
        } else {
            h.r.left = ((bit<32>) m.color);
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
        h.c.setInvalid();
        h.r.wide = h.r.wide ^ ((bit<64>) (int<64>) m.m1);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
