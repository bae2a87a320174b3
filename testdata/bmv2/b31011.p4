#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<4> k0;
    bit<6> k1;
    bit<8> k2;
    bit<63> f0;
    int<2> f1;
    bit<128> f2;
    int<2> f3;
    int<17> f4;
    int<9> f5;
    bit<1> pad;
}
header b_t {
    int<12> f0;
    bit<128> f1;
    bit<33> f2;
    bit<48> f3;
    bit<3> pad;
}
header c_t {
    bit<8> kind;
    int<5> f0;
    int<64> f1;
    bit<3> pad;
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
    bit<13> f0;
    bit<3> pad;
}
header v_t {
    bit<8> size;
    bit<2> f0;
    bit<6> pad;
    varbit<128> rest;
}
header_union u_t { b_t x; c_t y; }
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[4] s;
    v_t v;
    u_t u;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    bool m0;
    int<32> m1;
    @field_list(3)
    bit<12> m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        h.a.f3 = ((((int<2>) (bit<2>) h.a.f0) << ((bit<7>) ((bit<1>) m.m0))) |-| (h.a.f1 | h.a.f3));
        h.a.f2 = (((bit<128>) (bit<2>) h.a.f3) * ((m.inner.x <= m.inner.x) ? h.a.f2 : h.a.f2));
        transition select(h.a.k2) {
            8w0b11111111: at_s;
            default: accept;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w31) * 8);
        transition select(h.v.size, h.v.f0) {
            (8w0, 2w2): at_s;
            (8w191 .. 8w0xbf, 2w0x1 &&& 2w0x3): at_u;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0b111001 &&& 8w0b1010101: accept;
            8w0b11111111 .. 8w0b11111111: at_c;
            8w255: accept;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.f3[39:38] = ((~((bit<48>) m.again)))[24:23];
        h.b.f1 = ((h.b.f1)[98:28] ++ (((bit<57>) (int<57>) m.m1) >> 11));
        verify(((h.b.pad == 3w2) || true) || h.b.f0 != 1, error.First);
        transition at_u;
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition accept; }
    state at_uy { p.extract(h.u.y); transition accept; }
    state at_c {
        p.extract(h.c);
        h.c.f1 = ((h.c.f1 |-| 64s2871848208090665148) >> 8w10);
        m.m0 = ((128w0x2d9dfc0e221e03c803ffe243c9edd4d1)[127:1] > 127w85070591730234615865843651857942052863);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt1;
    counter(4, CounterType.bytes) cnt2;
    register<bit<33>>(16) reg3;
    meter(4, MeterType.packets) mtr4;
    action act5(in bit<48> d0, in bit<5> d1) {
        cnt2.count((bit<32>) (m.color & m.color));
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
        h.a.f2 = ((!true) ? (h.a.f2 | h.a.f2) : ((bit<128>) 40w0x0));
        if ((((s.packet_length == h.r.left) && (h.a.f2 != 128w0x1)) || (!(m.again < h.r.code)))) {
            if (h.s[3].isValid()) {
                m.color = m.color;
                h.c.setInvalid();
            }
            act5((((m.again != 8w0b1101101) ? ((bit<18>) h.a.f0) : ((bit<18>) (bit<9>) h.a.f5)) ++ (-30w0x1bd04b63)), ((((bit<8>) (bit<9>) h.a.f5))[7:3] & (-5w15)));
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt6;
    counter(4, CounterType.packets_and_bytes) cnt7;
    register<bit<12>>(16) reg8;
    action act9(bit<8> x0) {
        if (((m.m2 < m.m2) || (h.u.y != h.c))) {
            m.m2 = ((bit<12>) (h.a.f2)[111:47]);
        }
        if ((m.m1 < (~((int<32>) (int<8>) h.a.k2)))) {
            h.a.f0 = ((((bit<26>) x0) >> 2) ++ ((bit<37>) h.r.small));
            m.m2 = ((m.m2 >> ((bit<7>) h.a.f2)) << ((bit<3>) x0));
        }
    }
    action act10(int<31> x0) {
        if ((h.a.f0 > (((bit<64>) m.color))[62:0])) {
            cnt6.count((bit<32>) (h.a.pad ++ 1w0b1));
            bit<5> v11 = (-((bit<5>) ((bit<3>) (bit<2>) h.a.f1)));
        }
        truncate(32w15);
        if ((((int<100>) (int<13>) ((bit<13>) h.r.left)) != 100s0)) {
            h.a.k2[4:1] = ((bit<4>) (bit<31>) (x0 - x0));
            bool v12 = (s.egress_port < (s.ingress_port * s.ingress_port));
        }
    }
    action act13(inout int<4> d0, in bit<17> d1) {
        h.a.f1 = ((int<2>) (int<48>) (((bit<48>) ((bit<1>) m.m0)) | 48w140737488355327));
        int<24> v14 = ((h.a.f5 < h.a.f5) ? ((int<24>) (int<17>) d1) : ((int<24>) (bit<24>) ((bit<5>) (int<5>) h.a.f5)));
        if ((m.again < (((bit<8>) s.instance_type) | h.r.code))) {
            m.inner.x[10:0] = ((!(m.m1 == m.m1)) ? (((bit<11>) m.m2) & ((bit<11>) (int<11>) h.a.f5)) : (11w1864 | 11w0x18a));
        }
    }
    action_selector(HashAlgorithm.xor16, 32w64, 32w14) p16;
    table t15 {
        key = {
            m.m2: ternary @name("k0");
            m.inner.x: selector @name("s0");
        }
        actions = {
            NoAction;
            act9;
            act10;
        }
        implementation = p16;
        size = 128;
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
        if (h.b.isValid() && (m.m0 || (65w18446744073709551615 <= 65w0x1948b56db90eac0ef))) {
            h.a.f2[67:33] = ((((bit<35>) h.b.f1) |-| 35w0x0) >> 17);
            m.inner.x = ((!h.c.isValid()) ? (h.a.f2)[34:19] : (((bit<11>) h.a.pad) ++ ((bit<5>) h.r.wide)));
        }
        if (t15.apply().hit) {
            if ((h.a.f3 != ((int<2>) (int<7>) ((bit<7>) (int<7>) m.m1)))) {
                h.r.code = (((m.inner.x < ((bit<16>) (bit<2>) h.a.f3)) ? m.color : 2w0x2) ++ (s.instance_type)[16:11]);
                bit<3> v17 = ((bit<3>) (bit<31>) (31s652196733 ^ 31s765327602));
            }
            if (h.d.isValid()) {
                reg8.write((bit<32>) (h.a.k0 - h.a.k0), ((bit<12>) h.r.code));
                h.d.f2 = ((h.a.k0 != h.a.k0) ? (h.r.wide)[40:8] : (h.d.f1)[49:17]);
            }
        } else {
            switch (((((bit<2>) m.inner.x) ++ ((bit<6>) s.ingress_port)) ^ h.r.code)) {
                8w0b11100: {
                    h.v.setInvalid();
                    h.r.small = ((m.inner.x)[15:0] |+| (((bit<16>) h.a.k1))[15:0]);
                }
                default: {
                    hash(h.a.f0, HashAlgorithm.csum16, 16w82, { m.m2, s.egress_port, h.a.k1, m.inner.x }, 32w7);
                }
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m2);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); p.emit(h.v); p.emit(h.u); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
