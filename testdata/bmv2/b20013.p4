#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<6> k1;
    bit<16> k2;
    bit<64> f0;
    bit<5> f1;
    bit<2> f2;
    bit<127> f3;
    bit<4> f4;
    bit<7> f5;
    bit<6> pad;
}
header b_t {
    int<128> f0;
}
header c_t {
    bit<8> kind;
    bit<65> f0;
    bit<16> f1;
    bit<17> f2;
    bit<6> pad;
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
    bit<40> f0;
    bit<64> f1;
    bit<48> f2;
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
    int<48> m0;
    @field_list(1, 2, 3)
    int<40> m1;
    bit<65> m2;
    @field_list(1, 3)
    int<8> m3;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2)
    bit<2> color;
    inner_t inner;
}
bit<13> fun1(in int<13> p0) {
    return (~((6w0b101110 ++ ((bit<10>) (bit<13>) p0)))[15:3]);
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
        transition select(h.a.k2, h.a.k1, p.lookahead<bit<4>>()) {
            (16w65535, 6w0x2f .. 6w47, _): at_s;
            (16w0x783a, 6w0x22 &&& 6w31, _): at_c;
            (16w0b1110000000100010 &&& 16w0x982f, _, _): at_s;
            default: at_b;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        transition select(h.c.kind, h.c.f1) {
            (8w99 &&& 8w1, 16w14076 .. 16w0b1101011110100011): at_s;
            (8w0b1000010, 16w0xd7a3 .. 16w55203): at_b;
            (8w65, 16w0xffff .. 16w0xffff): at_b;
            (_, 16w0b10100011101110): at_s;
            default: at_s;
        }
    }
    state at_b {
        p.extract(h.b);
        verify(((33w1 >= ((bit<33>) (bit<40>) m.m1)) || (m.again == 8w0xb9)) || h.b.f0 != 1, error.Second);
        transition accept;
    }
    state at_s {
        p.extract(h.s.next);
        verify(((m.m0 >= m.m0) || (m.m2 != m.m2)) || h.s.last.kind != 1, error.First);
        transition select(h.s.last.kind) {
            8w255 &&& 8w0x1: at_s;
            default: accept;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt2;
    action act3(inout bit<65> d0, in bit<32> d1, bit<3> x0, bit<32> x1) {
        hash(h.r.wide, HashAlgorithm.csum16, 8w0x1e, { h.a.f4, m.inner.x, m.again, h.a.f4 }, 17w0b1100100);
        h.a.f5 = ((bit<7>) fun1((~(((int<13>) m.m0) << 13))));
    }
    action act4(in bit<2> d0, bit<12> x0) {
        bit<128> v5 = ((94w0x0 * ((bit<94>) x0)) ++ ((bit<34>) h.a.f4));
        h.r.left[21:17] = ((bit<5>) (-((bit<17>) m.inner.x)));
    }
    action act6(inout bit<5> d0, out int<63> d1, int<48> x0, bit<33> x1) {
        d1 = 63s1114147172550322692;
        if (((h.a.f5 >= ((bit<7>) m.m2)) || (h.s[1] == h.s[2]))) {
            if (false) { exit; }
            h.a.f2 = (((bit<2>) (int<2>) ((int<9>) (int<2>) h.a.f2)) >> 1);
        }
        h.r.code = ((bit<8>) m.color);
        bit<31> v7 = (((bit<128>) x1))[96:66];
    }
    action_profile(64) p9;
    table t8 {
        key = {
            h.a.f0: range @name("k0");
            ((h.a.f4 != h.a.f4) ? (~((bit<12>) h.r.code)) : (((bit<12>) h.r.small) << 8w0x0)): ternary @name("k1");
        }
        actions = {
            NoAction;
            act3(m.m2, (((h.a.f5 <= h.a.f5) && (17w0b1111111011010010 < ((bit<17>) h.a.k1))) ? (h.r.right * s.packet_length) : (((bit<32>) m.m2) >> h.a.f2)));
            act4(((s.ingress_port == s.ingress_port) ? ((bit<2>) h.r.small) : (h.a.f2 * m.color)));
        }
        implementation = p9;
    }
    direct_counter(CounterType.packets_and_bytes) dc11;
    table t10 {
        key = {
            s.ingress_port: ternary @name("k0");
            s.packet_length: range @name("k1");
            h.a.f4: ternary @name("k2");
        }
        actions = {
            NoAction;
            @defaultonly act4(((s.ingress_port == s.ingress_port) ? ((bit<2>) h.r.small) : (h.a.f2 * m.color)));
        }
        entries = {
            priority=360: (9w0x92 &&& 9w0x192, 32w2147483647 .. 32w2147483647, 4w3 &&& 4w0x3): NoAction();
            priority=209: (9w0b0 &&& 9w0b101010, 32w0x96cdecc8 .. 32w0x96cdecc8, 4w5 &&& 4w5): NoAction();
            priority=114: (9w0b110010010 &&& 9w0b110010010, 32w0xffffffff .. 32w4294967295, 4w0b0 &&& 4w0): NoAction();
            priority=91: (9w0x1d7 &&& 9w0b111010111, 32w0x1 .. 32w4294967295, 4w0x0 &&& 4w0xb): NoAction();
            priority=332: (_, 32w0 .. 32w1, 4w0b10 &&& 4w0b1011): NoAction();
        }
        default_action = act4(((s.ingress_port == s.ingress_port) ? ((bit<2>) h.r.small) : (h.a.f2 * m.color)), 12w0b0);
        counters = dc11;
        size = 128;
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
            if (true) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        t8.apply();
        t10.apply();
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.bytes) cnt12;
    counter(1, CounterType.packets_and_bytes) cnt13;
    action act14() {
        if (h.c.isValid()) {
            bit<3> v15 = ((h.c.f2 > ((bit<17>) (int<17>) m.m1)) ? (h.a.f0)[53:51] : (h.a.f2 ++ 1w0b1));
            cnt12.count((bit<32>) ((bit<3>) ((bit<24>) h.a.f0)));
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
        if (h.b.isValid() && (h.a.f3 < h.a.f3)) {
            h.r.wide = ((!(((int<4>) (bit<4>) m.again) <= 4s5)) ? ((bit<64>) (int<64>) h.b.f0) : ((bit<64>) (bit<4>) -4s1));
            h.b.f0 = ((int<128>) (int<12>) ((bit<12>) s.egress_port));
        }
        switch (((bit<8>) ((bit<128>) ((bit<40>) h.a.k2)))) {
            8w66: {
                hash(h.a.k2, HashAlgorithm.csum16, 16w0xa, { s.instance_type, m.again }, 32w0x7);
            }
            default: {
                int<48> v16 = (~((int<48>) (int<5>) 5w0b11111));
                mark_to_drop(s);
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) (bit<8>) m.m3);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid(), { h.a.f3, h.a.k1, 11w0x0 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
