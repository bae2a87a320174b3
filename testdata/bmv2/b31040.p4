#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<4> k0;
    bit<6> k1;
    bit<3> k2;
    bit<100> f0;
    int<64> f1;
    bit<4> f2;
    bit<13> f3;
    bit<6> pad;
}
header b_t {
    bit<33> f0;
    bit<7> pad;
}
header c_t {
    bit<8> kind;
    bit<2> f0;
    int<40> f1;
    bit<6> pad;
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
    @field_list(1, 2)
    int<100> m0;
    @field_list(1)
    bit<64> m1;
    @field_list(2)
    bit<24> m2;
    @field_list(1, 2)
    bool m3;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2, 3)
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
    value_set<bit<4>>(4) set1;
    Sub() sub;
    state start {
        p.extract(h.a);
        p.advance(16);
        h.a.f3 = ((~h.a.f3) << 11);
        transition select(h.a.k0) {
            set1: at_c;
            4w0b111 .. 4w0xf: at_c;
            _: at_c;
            4w0: at_c;
            4w13: accept;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        transition accept;
    }
    state at_c {
        sub.apply(p, h.c, m);
        m.color = (~h.c.f0);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act2(bit<2> x0, int<100> x1) {
        h.a.f1 = (-(h.a.f1 |+| h.a.f1));
    }
    action act3(out bit<9> d0, in int<65> d1, bit<32> x0, bit<12> x1) {
        d0 = 9w0;
        hash(h.a.f2, HashAlgorithm.crc16_custom, 8w0x0, { d0, x1, h.r.wide, m.again }, 17w0x1);
        h.a.k2 = ((h.r.left)[17:15] |-| h.a.k2);
    }
    action_profile(64) p5;
    table t4 {
        key = {
            ((((int<12>) (bit<12>) h.r.small) == 12s2047) ? (1w1 ++ ((bit<7>) m.color)) : (32w0xffffffff)[23:16]): exact @name("k0");
            h.a.k0: lpm @name("k1");
        }
        actions = {
            NoAction;
            act2;
        }
        implementation = p5;
        size = 128;
    }
    table t6 {
        key = {
            h.r.code: exact @name("k0");
            h.a.f2: lpm @name("k1");
        }
        actions = {
            NoAction;
            act2;
        }
        default_action = act2(2w1, 100s633825300114114700748351602687);
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
            if (!h.a.isValid()) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        h.c.setInvalid();
        switch ((m.m3 ? m.inner.x : ((m.again > m.again) ? h.r.small : 16w32767))) {
            16w0b1: {
                int<16> v7 = (((m.color < m.color) ? 16s32767 : 16s1) << 3);
            }
            16w57539: {
                if (h.c.isValid()) {
                    h.r.small = (~(((bit<12>) h.a.pad) ++ h.a.k0));
                }
            }
        }
        if (t4.apply().hit) {
            t6.apply();
            int<7> v8 = ((int<7>) (int<64>) h.r.wide);
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<16>>(4) reg9;
    action act10(inout bit<12> d0, out bit<64> d1, bit<8> x0, bit<65> x1) {
        d1 = 64w0;
        h.a.f2 = ((h.r.left)[19:17] ++ (-((bit<1>) x1)));
    }
    action act11(bit<2> x0) {
        bit<9> v12 = ((bit<9>) (bit<63>) ((int<63>) (int<65>) 65w0xbeded5381b600b63));
        h.r.right = ((((bit<28>) m.again) ^ ((bit<28>) h.a.pad)) ++ (-4w0x8));
    }
    action act13(int<128> x0) {
        m.color = ((h.d == h.b) ? (m.color >> 8w8) : (1w0x1 ++ ((bit<1>) (bit<64>) h.a.f1)));
        m.color = ((s.ingress_port == s.egress_port) ? ((bit<2>) s.instance_type) : (m.color |+| 2w3));
    }
    action_profile(64) p15;
    table t14 {
        key = {
            h.r.code: range @name("k0");
        }
        actions = {
            NoAction;
            act11;
            act13;
        }
        implementation = p15;
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
        if (h.c.isValid()) {
            h.r.wide[11:10] = ((bit<2>) (((bit<48>) s.egress_port))[29:26]);
            h.r.code = (m.again >> 8);
        }
        if (h.d.isValid() && (h.d.pad <= h.d.pad)) {
            h.r.left[26:12] = (-(14w0b11110010110101 ++ ((bit<1>) h.a.f0)));
            h.r.left = (((bit<32>) (int<32>) ((int<12>) (int<8>) m.again)))[31:0];
        }
        t14.apply();
        h.r.wide = h.r.wide ^ ((bit<64>) m.inner.x);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum_with_payload(h.r.isValid() && h.a.isValid(), { h.a.f0, h.a.pad, 6w0 }, h.r.small, HashAlgorithm.crc16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
