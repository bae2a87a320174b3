#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<6> k1;
    bit<3> k2;
    int<13> f0;
    int<40> f1;
    int<5> f2;
    int<100> f3;
    bit<8> f4;
    bit<1> pad;
}
header b_t {
    bit<8> f0;
    int<3> f1;
    bit<5> pad;
}
header c_t {
    bit<8> kind;
    bit<12> f0;
    bit<2> f1;
    bit<2> pad;
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
    bit<16> f0;
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
    @field_list(1)
    bit<65> m0;
    @field_list(3)
    bit<1> m1;
    @field_list(3)
    bit<4> m2;
    bit<3> m3;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
}
bit<128> fun1(in bit<63> p0) {
    return ((!(p0 <= p0)) ? (((bit<128>) p0) |+| (((bit<128>) p0) << 8w11)) : ((((bit<77>) p0) ++ ((bit<51>) p0)))[127:0]);
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
    value_set<bit<8>>(4) set3;
    Sub() sub;
    state start {
        p.extract(h.a);
        m.m2 = ((m.m3 ++ m.m1) + (((bit<4>) m.again) |-| m.m2));
        int<128> v2 = (-(-((int<128>) (bit<128>) m.color)));
        transition select(h.a.k0) {
            set3: at_b;
            _: at_v;
            8w170: reject;
            8w0x39: at_c;
            8w0xff .. 8w0xff: at_b;
            default: accept;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        transition select(h.c.f1) {
            2w0b10 .. 2w3: accept;
            _: accept;
            _: accept;
            2w2: at_b;
            default: at_v;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w15) << 3);
        m.m1 = ((bit<1>) h.v.f0);
        transition select(h.v.f0) {
            16w0b111111111111111: accept;
            16w0xe283: accept;
            16w39561: reject;
            16w0b1: at_b;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<48>>(1) reg4;
    register<bit<16>>(16) reg5;
    action act6(int<7> x0) {
        h.a.f0 = h.a.f0;
        h.r.small = ((bit<16>) (~((bit<5>) h.r.code)));
        if ((h.r.wide >= 64w0x76e3de52a67dcb45)) {
            reg4.write(0, ((bit<48>) (~((bit<31>) h.a.k2))));
            h.r.left = ((bit<32>) fun1(((h.r.wide)[63:1] << ((bit<7>) x0))));
        }
    }
    action act7() {
        h.a.f3 = h.a.f3;
        h.a.f3 = (~((int<100>) (bit<100>) 12w0b111011101010));
        if (h.v.isValid()) {
            h.a.pad = ((1w0x1 | h.a.pad) ^ (h.a.pad |+| m.m1));
        }
    }
    action act8(bit<127> x0) {
        if ((!(h.a.k2 != ((bit<3>) m.m2)))) {
            m.color = ((~((bit<2>) h.r.code)) |-| m.color);
            h.a.f3 = (~((int<100>) (bit<100>) m.color));
        }
        if (h.c.isValid()) {
            h.a.f3 = ((int<100>) (bit<100>) fun1((((bit<63>) (int<63>) h.a.f0) ^ (-((bit<63>) h.c.kind)))));
            h.a.f2 = ((int<5>) (bit<5>) fun1((((bit<52>) m.again) ++ 11w0b1111111111)));
        }
        bit<127> v9 = ((bit<127>) ((bit<3>) ((bit<48>) (bit<100>) h.a.f3)));
    }
    direct_meter<bit<2>>(MeterType.bytes) dm;
    action act10(bit<100> x0) {
        dm.read(m.color);
        if (((!h.c.isValid()) || (((int<127>) (bit<127>) s.packet_length) == -127s77631872454529165989603508547378665441))) {
            h.r.code = ((bit<8>) fun1(((bit<63>) h.r.code)));
        }
    }
    action act11(bit<64> x0) {
        dm.read(m.color);
        if (h.c.isValid()) {
            mark_to_drop(s);
        }
        if ((!(h.a.k2 > m.m3))) {
            h.r.small[5:0] = ((h.a.k1 * ((bit<6>) (int<6>) h.a.f0)) |+| (128w140541595867003109373761552109622843413)[60:55]);
            m.m3 = (((bit<3>) ((bit<127>) h.a.k0)) |+| h.a.k2);
        } else {
            m.inner.x = (m.inner.x << 9);
            h.a.k2 = (((bit<3>) s.instance_type) * ((h.r.left <= ((bit<32>) m.m1)) ? h.a.k2 : m.m3));
        }
    }
    table t12 {
        key = {
            h.a.f4: exact @name("k0");
            m.inner.x: range @name("k1");
            h.r.wide: optional @name("k2");
        }
        actions = {
            act10;
            @defaultonly NoAction;
        }
        default_action = act10(100w0);
        meters = dm;
        size = 1024;
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
        h.r.code = h.a.k0;
        if (!t12.apply().miss) {
            if ((s.packet_length <= (((bit<64>) h.a.f4))[49:18])) { exit; }
            bit<3> v13 = ((m.color ++ 1w0b1) |+| (1w0 ++ m.color));
        }
        m.m2 = (4w1 * ((h.r.left == s.instance_type) ? m.m2 : m.m2));
        m.inner.x = ((bit<16>) fun1(((h.r.wide)[63:0])[63:1]));
        bit<40> v14 = (~(~((bit<40>) h.r.right)));
        h.a.f0 = ((int<13>) (int<9>) (s.ingress_port | ((bit<9>) h.r.code)));
        m.m2 = ((m.color ++ m.color) - m.m2);
        h.r.code[1:0] = m.color;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) cnt15;
    counter(1, CounterType.packets) cnt16;
    action act17(int<5> x0) {
        if ((s.instance_type != (s.instance_type | s.instance_type))) { return; }
        h.a.f2 = ((int<5>) (int<128>) fun1(((bit<63>) h.a.pad)));
    }
    action act18(in bit<24> d0, bit<3> x0, bit<16> x1) {
        cnt15.count((bit<32>) m.color);
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
        switch ((((bit<16>) m.m1))[3:2]) {
            2w0b1: {
                int<64> v19 = (~(((int<64>) h.a.f2) + -64s1));
                bool v20 = ((!(m.m2 < m.m2)) && h.d.isValid());
            }
        }
        if ((((h.a.pad <= m.m1) ? ((bit<48>) h.r.wide) : ((bit<48>) h.a.k1)) <= (((bit<48>) m.m2) ^ ((bit<48>) (bit<100>) h.a.f3)))) {
            bool v21 = (h.a.f2 > h.a.f2);
        }
        int<13> v22 = ((int<13>) (((int<48>) (int<64>) h.r.wide) << 8w25));
        h.r.wide = h.r.wide ^ ((bit<64>) m.again);
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
