#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<6> k1;
    bit<3> k2;
    bit<32> f0;
    int<5> f1;
    bit<3> f2;
    int<9> f3;
    bit<6> pad;
}
header b_t {
    bit<4> f0;
    bit<3> f1;
    bit<8> f2;
    bit<1> pad;
}
header c_t {
    bit<8> kind;
    int<24> f0;
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
    bit<9> m0;
    @field_list(2, 3)
    bit<17> m1;
    @field_list(1, 3)
    bit<5> m2;
    @field_list(2, 3)
    bit<2> m3;
    bit<100> m4;
    @field_list(2)
    int<5> m5;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 2)
    bit<2> color;
    inner_t inner;
}
bit<17> fun1(in int<3> p0, in bit<3> p1, in bit<65> p2) {
    return (((48w223186088309728)[47:0] | ((bit<48>) (bit<3>) p0)))[19:3];
}
bit<33> fun2(in bit<13> p0, out bit<2> p1, in int<9> p2) {
    p1 = 2w0x0;
    p1 = ((bit<2>) (((bit<48>) p1))[36:5]);
    if ((((p2 <= p2) ? ((int<8>) (int<13>) p0) : 8s48) > ((int<8>) (bit<8>) 100w0x9e4d91a15b1ca2dc994d71212))) { return ((5w0b10 >> 4) ++ (((bit<28>) (int<28>) p2) ^ 28w0xc1fc938)); }
    return (((bit<128>) p1))[35:3];
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set4;
    state start {
        p.extract(h.a);
        m.color = (((bit<2>) ((bit<24>) h.a.k1)) - m.color);
        transition select(h.a.k0) {
            8w0b1101 .. 8w0xd: reject;
            8w0b110000 .. 8w48: accept;
            8w0x7f: at_c;
            8w0b1111111 .. 8w127: accept;
            default: at_b;
        }
    }
    state at_c {
        p.extract(h.c);
        m.inner.x = ((128w0x6dec7a49b06d88d1c5aa5a39dc3ee9b)[59:12])[28:13];
        bool v3 = ((m.again > h.c.kind) && (m.m0 >= m.m0));
        transition select(h.c.kind) {
            set4: accept;
            8w0b1 &&& 8w0x0: at_b;
            8w0x30: at_b;
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
    counter(1, CounterType.bytes) cnt5;
    register<bit<127>>(4) reg6;
    register<bit<65>>(4) reg7;
    action act8(out bit<100> d0, out int<127> d1, bit<13> x0, bit<64> x1) {
        d0 = 100w0xb1c23f46af23f88f7a60a4fdd;
        d1 = -127s2145220836626587421313110002105571618;
        d1 = ((int<127>) (bit<127>) ((h.r.right <= h.a.f0) ? ((bit<63>) h.r.code) : ((bit<63>) h.a.k0)));
        if (((h.a.f2 & h.a.k2) >= h.a.f2)) {
            hash(m.color, HashAlgorithm.csum16, 8w6, { h.a.k0, x0 }, 32w0x3);
            h.r.wide = (((h.a.k2 < h.a.f2) || (h.a.pad == 6w0b10101)) ? ((bit<64>) m.m1) : (x1 |+| h.r.wide));
        }
        h.a.f2[1:1] = ((bit<1>) h.a.k2);
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
        if ((h.a.k2 > (-h.a.f2))) {
            bit<40> v9 = (40w413648291218 << ((bit<1>) (bit<5>) m.m5));
        } else {
            h.r.wide = h.r.wide;
            hash(h.r.small, HashAlgorithm.crc16, 8w48, { h.a.f2, h.a.pad }, 17w0b1100100);
        }
        if ((s.instance_type == (s.instance_type - h.r.left))) {
            h.a.f3 = (~((int<9>) (bit<9>) ((bit<7>) h.a.k0)));
        }
        h.r.right = ((bit<32>) fun2(((h.r.wide)[49:18])[24:12], m.m3, (-(h.c.isValid() ? h.a.f3 : h.a.f3))));
        switch (((h.r.code |+| h.a.k0) | h.a.k0)) {
            8w49: {
                if (h.b.isValid()) {
                    if ((!h.d.isValid())) {
                        m.color = (-((bit<2>) m.again));
                    }
                }
            }
            8w60: {
                switch (((!(m.m3 == 2w0b10)) ? (m.again & m.again) : h.a.k0)) {
                    8w0b1: {
                        int<64> v10 = ((int<64>) (bit<64>) (~m.m2));
                        bit<2> v11 = (~(h.a.f0)[10:9]);
                    }
                    8w0b1101: {
                        h.r.code = ((h.a.k0 << 8w14) + (h.r.code |+| m.again));
                    }
                    8w0b1001011: {
                        h.a.pad[3:0] = (((bit<4>) (bit<24>) ((int<24>) m.m5)) ^ (4w0b1010 + ((bit<4>) h.a.f2)));
                    }
                    default: {
                        if ((m.m1 != (m.m1 ^ m.m1))) {
                            h.r.wide = ((bit<64>) fun2(((bit<13>) m.m4), m.m3, (((int<9>) 48s0) << h.a.f2)));
                            s.egress_spec = (bit<9>) m.color;
                        }
                        if (h.b.isValid()) { h.d = h.b; }
                    }
                }
            }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<13>>(4) reg12;
    action act13(bit<65> x0, int<13> x1) {
        if (((h.r.wide >> 30) <= (h.r.wide >> 8w56))) {
            hash(h.r.wide, HashAlgorithm.crc32, 8w44, { h.a.k1, h.r.wide, h.a.f0, h.a.f0 }, 32w0x1);
            m.m0 = s.ingress_port;
        } else {
            m.color = ((h.a.f2 != 3w4) ? (((bit<64>) m.m4))[25:24] : ((bit<2>) h.a.k0));
            m.m1 = fun1(((int<3>) (-31s226845157 - ((int<31>) (int<8>) m.again))), ((h.r.wide)[55:48])[3:1], (((m.color < m.m3) ? ((bit<128>) (int<128>) m.m5) : 128w170141183460469231731687303715884105727))[72:8]);
        }
        if (h.d.isValid()) {
            m.inner.x = s.egress_rid;
            h.a.k1 = ((-h.a.pad) ^ (128w1)[109:104]);
        }
        if ((!(!h.d.isValid()))) {
            h.r.code = ((bit<8>) (4w0b100 ++ 61w0x1ac5be013c3c7c68));
            h.a.f3 = h.a.f3;
        }
    }
    action act14(out bit<65> d0, in int<64> d1, int<17> x0) {
        d0 = 65w0xdfd879186f0a18f8;
        if (h.c.isValid()) {
            h.r.left = ((bit<32>) fun2((((bit<13>) h.r.right) >> 8w7), m.m3, (-(~h.a.f3))));
        }
    }
    action act15(inout bit<7> d0, int<65> x0) {
        if ((!(!h.b.isValid()))) {
            m.m1 = fun1(((((int<3>) (int<7>) d0) | ((int<3>) h.a.f2)) >> 8w1), ((h.a.k2 |-| 3w0b11) - h.a.k2), ((-128w300472408998810507157499760812599562240))[124:60]);
        }
    }
    table t16 {
        key = {
            h.a.pad: exact @name("k0");
            h.r.wide: lpm @name("k1");
        }
        actions = {
            act13;
            @defaultonly NoAction;
        }
        default_action = act13(65w0x1, 13s2572);
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
        switch (t16.apply().action_run) {
            act13: {
                if ((m.m0 != ((32s124732174 > ((int<32>) (int<2>) m.m3)) ? s.ingress_port : s.egress_port))) {
                    h.a.f1 = h.a.f1;
                }
            }
            default: {
                hash(h.r.right, HashAlgorithm.crc16_custom, 16w0b11101, { h.r.wide, m.m5, h.a.k0, h.a.k1 }, 17w0x0);
                h.c.setInvalid();
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m3);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid(), { h.a.k1, h.a.f3, h.a.k0, h.a.f3 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
