#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<6> k0;
    bit<16> k1;
    bit<3> k2;
    int<16> f0;
    bit<48> f1;
    bit<48> f2;
    bit<12> f3;
    bit<3> pad;
}
header b_t {
    bit<8> f0;
    bit<31> f1;
    bit<127> f2;
    int<9> f3;
    bit<1> pad;
}
header c_t {
    bit<8> kind;
    bit<1> f0;
    int<16> f1;
    bit<7> pad;
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
    @field_list(3)
    bool m0;
    @field_list(2)
    bit<2> m1;
    @field_list(1, 2)
    bit<17> m2;
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
    value_set<bit<16>>(4) set1;
    Sub() sub;
    state start {
        p.extract(h.a);
        verify((h.a.k2 < h.a.pad) || h.a.k0 != 1, error.First);
        transition select(h.a.k1) {
            set1: at_b;
            16w0x3a53: at_b;
            default: at_c;
        }
    }
    state at_b {
        p.extract(h.b);
        m.color = (((bit<2>) 127w1251342941307455613369150930680180348) |-| ((bit<2>) 3w0b1));
        transition select(h.b.f0) {
            8w138: reject;
            _: accept;
            8w0b11001001 &&& 8w0b0: at_c;
            _: at_c;
            default: at_c;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        h.c.kind = ((m.m1 ++ ((bit<6>) h.c.pad)) & ((bit<8>) ((bit<13>) m.again)));
        m.m0 = (m.again > (((bit<128>) m.m1))[73:66]);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    counter(1, CounterType.bytes) cnt2;
    register<bit<7>>(4) reg3;
    register<bit<2>>(1) reg4;
    meter(4, MeterType.bytes) mtr5;
    action act6() {
        m.m2[12:2] = ((bit<11>) a.k2);
    }
    action act7(inout int<33> d0) {
        if (((m.m1 < m.m1) || (m.again != m.again))) {
            m.m1 = ((-((bit<2>) (bit<16>) a.f0)) - (-m.m1));
        } else {
            int<16> v8 = (((a.f3 == 12w0xfff) && m.m0) ? (a.f0 ^ a.f0) : (~a.f0));
            m.color = ((bit<2>) ((m.again > 8w127) ? m.again : m.again));
        }
        hash(a.pad, HashAlgorithm.xor16, 8w0x43, { m.again, m.m1, m.m1 }, 17w0x1);
        if ((m.m1 != (-m.m1))) {
            a.f1 = (((((bit<40>) (bit<16>) a.f0) > ((bit<40>) a.k1)) ? a.f1 : a.f1) << ((bit<1>) a.k0));
            d0 = (-((int<33>) (bit<33>) 64w0x7fffffffffffffff));
        } else {
            hash(a.f1, HashAlgorithm.identity, 8w0x3f, { a.k0 }, 32w100);
        }
    }
    action act9(inout int<4> d0, bit<65> x0, bit<1> x1) {
        if (((((int<32>) (bit<32>) a.k0) <= ((int<32>) (int<2>) m.color)) || (a.f3 >= a.f3))) {
            mtr5.execute_meter<bit<2>>((bit<32>) ((bit<2>) 100w0xda68652445cea95a19ba928c9), m.color);
        }
        mtr5.execute_meter<bit<2>>((bit<32>) (m.m0 ? ((bit<2>) (int<2>) d0) : m.m1), m.color);
        m.m0 = (!(a.f1 >= a.f2));
    }
    apply {
        act6();
        m.m1 = (m.m1 + (m.color >> a.k2));
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) cnt10;
    counter(4, CounterType.packets) cnt11;
    register<bit<13>>(1) reg12;
    action act13(out int<24> d0, out bit<31> d1, bit<7> x0, bit<9> x1) {
        d0 = 24s7377980;
        d1 = 31w0x429667bf;
        if (h.c.isValid()) {
            h.a.f2 = h.a.f1;
        }
    }
    action act14(in bit<128> d0, in bit<33> d1, bit<63> x0, bit<2> x1) {
        if (h.b.isValid()) {
            hash(h.a.f3, HashAlgorithm.csum16, 16w0b11, { h.a.k2 }, 17w0);
            h.a.f2 = (((bit<48>) ((bit<100>) h.r.right)))[47:0];
        }
        h.a.k2 = h.a.k2;
        if (((h.a.f3 >= h.a.f3) || (h.r.code != m.again))) {
            h.r.small = (h.r.small >> ((bit<2>) h.a.k0));
            m.inner.x[8:0] = 9w0x0;
        }
    }
    action act15(out bit<2> d0, in bit<31> d1, bit<64> x0) {
        d0 = 2w0x3;
        h.r.small[5:5] = ((h.r.wide >= x0) ? (-((bit<1>) h.a.k0)) : 1w0x0);
        if ((m.inner.x > (m.inner.x & h.r.small))) {
            h.a.f1 = ((m.inner.x != h.r.small) ? (((bit<48>) (bit<16>) h.a.f0) & h.a.f2) : (((bit<48>) h.a.pad) |-| h.a.f2));
        }
    }
    direct_meter<bit<2>>(MeterType.packets) dm;
    action act16(bit<9> x0) {
        dm.read(m.color);
        h.a.f1 = ((bit<48>) (false ? 127w170141183460469231731687303715884105727 : 127w0x381028338690fea9ac57c092a3aee22));
        bit<13> v17;
        reg12.read(v17, 0);
        h.a.f3 = ((bit<12>) v17);
    }
    table t18 {
        key = {
            h.a.k1: exact @name("k0");
            h.a.pad: lpm @name("k1");
        }
        actions = {
            act16;
        }
        const default_action = act16(9w0);
        meters = dm;
        size = 64;
    }
    table t19 {
        key = {
            h.a.k1: exact @name("k0");
        }
        actions = {
            NoAction;
            act14((((bit<49>) s.ingress_port) ++ ((bit<79>) (int<79>) 8s0)), ((bit<33>) (bit<128>) (h.b.isValid() ? ((int<128>) (bit<128>) h.r.wide) : ((int<128>) (bit<128>) s.ingress_port))));
            act15(m.color, ((bit<31>) h.a.f1));
        }
        const entries = {
            16w0xde2b: act15(m.color, ((bit<31>) h.a.f1), 64w0x628dc6327a0fc02d);
            16w0x5125: NoAction();
        }
        default_action = act14((((bit<49>) s.ingress_port) ++ ((bit<79>) (int<79>) 8s0)), ((bit<33>) (bit<128>) (h.b.isValid() ? ((int<128>) (bit<128>) h.r.wide) : ((int<128>) (bit<128>) s.ingress_port))), 63w0x1, 2w0x3);
    }
    table t20 {
        key = {
            h.a.k1: range @name("k0");
            h.r.left: range @name("k1");
        }
        actions = {
            NoAction;
            act15(m.color, ((bit<31>) h.a.f1));
        }
        default_action = NoAction();
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
        h.a.f1 = ((bit<48>) (int<48>) 12s0);
        if (h.d.isValid() && (h.d.f2 != h.d.f2)) {
            h.b.setInvalid();
            h.a.pad = (h.c.isValid() ? ((65w0x9a2b4647d254f847 <= ((bit<65>) h.a.k2)) ? h.a.k2 : ((bit<3>) h.r.left)) : (h.a.k2 + h.a.pad));
        }
        switch (t18.apply().action_run) {
            act16: {
                if ((h.r.code < h.r.code)) {
                    if ((((bit<4>) h.a.k1) <= ((bit<4>) h.a.k2))) {
                        int<31> v21 = (-(-31s1 + 31s420786));
                    }
                }
            }
            default: {
                bit<7> v22 = (((bit<6>) ((bit<65>) h.a.f3)) ++ (1w0x0 & 1w0x0));
                switch (((~m.color) & (m.color >> m.color))) {
                    2w1: {
                        if (h.d.isValid()) {
                            h.d.setValid();
                            h.d.f0 = (m.again * m.again);
                            h.d.f1 = (((bit<13>) (int<13>) h.a.f0) ++ ((bit<18>) m.again));
                            h.d.f2 = (~127w1);
                            h.d.f3 = ((int<9>) 48s30245744977777);
                            h.d.pad = (1w0x0 | ((bit<1>) m.m0));
                        } else {
                            m.m1 = (m.color ^ ((bit<2>) h.a.f3));
                            hash(m.inner.x, HashAlgorithm.crc16, 32w50, { h.a.f1, h.r.code, h.r.code }, 32w0x0);
                        }
                    }
                }
            }
        }
        switch (t20.apply().action_run) {
            NoAction: {
                h.r.small = (((12s1595 != -12s1) ? m.inner.x : m.inner.x) << 8w23);
            }
            default: {
                if (h.b.isValid()) { h.d = h.b; }
                hash(m.inner.x, HashAlgorithm.crc32, 32w4, { h.a.f3, s.instance_type }, 32w0x0);
            }
        }
        t19.apply();
        sub1.apply(h.a, m, (h.r.code ^ m.again));
        h.r.code[1:0] = m.color;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    meter(4, MeterType.packets) mtr23;
    action act24(inout int<4> d0, bit<3> x0) {
        h.a.f2 = (((x0 <= x0) ? h.a.f1 : h.a.f1) |+| (-48w0x0));
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
        if ((!(((bit<17>) h.a.f2) <= m.m2))) {
            h.a.pad = h.a.k2;
        }
        bit<1> v25 = ((h.r.code >= h.r.code) ? (1w0 |-| 1w1) : (((bit<1>) h.a.f3) + 1w0));
        h.r.wide = h.r.wide ^ ((bit<64>) m.color);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
