#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<6> k1;
    bit<8> k2;
    bit<7> f0;
    bit<128> f1;
    bit<16> f2;
    bit<40> f3;
    bit<40> f4;
    bit<48> f5;
    bit<24> f6;
}
header b_t {
    bit<16> f0;
    int<3> f1;
    bit<5> pad;
}
header c_t {
    bit<8> kind;
    bit<64> f0;
    bit<48> f1;
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
    bit<17> f0;
    bit<7> pad;
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
    @field_list(2)
    bit<4> m0;
    bit<128> m1;
    @field_list(1)
    bit<9> m2;
    @field_list(1, 2, 3)
    int<17> m3;
    @field_list(1, 3)
    bit<1> m4;
    @field_list(1, 3)
    bit<7> m5;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1)
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
        h.a.f5 = (((bit<48>) (int<48>) ((int<16>) m.inner.x)) >> 33);
        h.a.f5 = ((m.again <= h.a.k2) ? h.a.f5 : (((bit<31>) m.m2) ++ ((bit<17>) h.a.f0)));
        transition select(h.a.k0) {
            3w1: accept;
            3w0b0 &&& 3w0x1: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.f0 = m.inner.x;
        h.b.pad = ((bit<5>) ((m.m5 >= ((bit<7>) h.b.f0)) ? ((bit<2>) m.inner.x) : m.color));
        transition select(h.b.f0) {
            16w0b101010010011011: accept;
            16w1: at_s;
            16w1 .. 16w0x3d82: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0b11011110: at_s;
            8w0x1: at_s;
            default: accept;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        h.c.f1[33:29] = (((m.m3 != 17s43159) ? ((bit<5>) m.m1) : ((bit<5>) (int<5>) m.m3)) * (3w0x2 ++ m.color));
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets_and_bytes) cnt1;
    action act2(bit<31> x0, int<127> x1) {
        hash(h.a.f0, HashAlgorithm.crc16_custom, 32w0x0, { h.a.f1, m.m1, m.color, 40w0xe6f18169db }, 32w0);
        h.a.k2 = (((bit<8>) (int<8>) ((int<64>) (int<8>) h.r.code)) |+| (((bit<8>) m.m5) * h.a.k2));
    }
    direct_counter(CounterType.packets_and_bytes) dc4;
    table t3 {
        key = {
            s.packet_length: optional @name("k0");
            m.m5: lpm @name("k1");
        }
        actions = {
            act2;
            @defaultonly NoAction;
        }
        default_action = act2(31w0x3fffffff, 127s59133175896993352363107138657786887898);
        counters = dc4;
    }
    table t5 {
        key = {
            m.inner.x: ternary @name("k0");
        }
        actions = {
            act2;
        }
        default_action = act2(31w0x5d1b4ace, 127s0);
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
        h.a.k2 = ((m.m4 |-| m.m4) ++ (-h.a.f0));
        h.a.f0 = ((h.c.isValid() ? m.m5 : m.m5) |+| ((bit<7>) 12w0x67b));
        if (h.c.isValid()) {
            t3.apply();
        }
        h.s[0].setInvalid();
        t5.apply();
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt6;
    counter(8, CounterType.packets) cnt7;
    meter(4, MeterType.bytes) mtr8;
    action act9(bit<12> x0) {
        cnt6.count((bit<32>) (h.a.f5)[11:10]);
        m.m0[1:0] = (((bit<1>) m.m0) ++ (m.m4 >> m.m5));
        if ((!h.b.isValid())) {
            m.inner.x = ((m.again <= m.again) ? (m.inner.x >> h.a.k0) : (false ? 16w0xffff : m.inner.x));
        }
    }
    table t10 {
        key = {
            h.r.small: range @name("k0");
            m.m2: exact @name("k1");
        }
        actions = {
            NoAction;
            act9;
        }
        const default_action = act9(12w0b111111111111);
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
        m.m1 = ((bit<128>) ((bit<64>) ((bit<12>) h.a.k1)));
        h.c.setInvalid();
        t10.apply();
        h.r.wide = h.r.wide ^ ((bit<64>) m.again);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid() && (((bit<2>) h.a.f0) <= 2w2), { h.a.k2, h.a.f0, 1w0 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
