#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<6> k0;
    bit<8> k1;
    bit<3> k2;
    int<31> f0;
    bit<8> f1;
    bit<24> f2;
    bit<16> f3;
    bit<127> f4;
    bit<1> pad;
}
header b_t {
    bit<1> f0;
    int<4> f1;
    bit<3> pad;
}
header c_t {
    bit<8> kind;
    int<63> f0;
    bit<32> f1;
    bit<13> f2;
    bit<4> pad;
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
    bit<127> f0;
    bit<16> f1;
    bit<1> pad;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[2] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1, 2)
    bit<9> m0;
    @field_list(1)
    bit<2> m1;
    @field_list(1, 2)
    bit<24> m2;
    bit<64> m3;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2, 3)
    bit<2> color;
    inner_t inner;
}
bit<65> fun1(in bit<1> p0, out bit<63> p1) {
    p1 = 63w7505399387222943719;
    if ((p1 <= (-p1))) {
        p1 = p1;
        p1 = (((bit<6>) p1) ++ ((bit<57>) ((bit<127>) p0)));
    }
    p1 = ((p1 != p1) ? (p1 |-| p1) : ((p1 != p1) ? ((bit<63>) p0) : p1));
    return ((bit<65>) p0);
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        h.a.k2[0:0] = (((h.a.k2 <= h.a.k2) ? h.a.pad : ((bit<1>) h.a.k0)) - (~h.a.pad));
        m.again = ((h.a.f3 != h.a.f3) ? h.a.f1 : (h.a.k1 >> 5));
        transition select(h.a.f3) {
            16w0b10011110100000: at_b;
            16w20771: at_c;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0b110010: at_b;
            8w89: at_c;
            8w0x59: at_s;
            default: at_c;
        }
    }
    state at_c {
        p.extract(h.c);
        transition select(h.c.kind, h.c.f2) {
            (8w0b110010 &&& 8w0b1010001, 13w0b100000011100): at_b;
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
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) cnt2;
    counter(1, CounterType.packets_and_bytes) cnt3;
    action act4() {
        m.inner.x = ((m.inner.x |-| h.a.f3) + h.r.small);
        if (m.again < 3 && (13w8191 == 13w0x81c)) { m.again = m.again + 1; clone_preserving_field_list(CloneType.I2E, 32w3, 3); }
        if (((h.a.f3 < h.r.small) && (((bit<63>) h.a.k0) != ((bit<63>) h.a.f3)))) {
            m.m0 = ((bit<9>) (~h.a.pad));
        }
    }
    action act5(in int<3> d0, bit<127> x0) {
        h.a.f2 = ((h.r.wide)[33:10] |+| (m.m2 |+| m.m2));
    }
    action act6(in bit<65> d0, in bit<31> d1, bit<128> x0, int<13> x1) {
        bit<2> v7 = (-((bit<2>) h.a.k2));
        h.r.wide = ((m.m3 ^ 64w0x7fffffffffffffff) |-| ((bit<64>) ((bit<4>) h.r.right)));
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
        bit<13> v8 = ((-13w8191) << 8);
        m.m2 = ((!(m.m3 > m.m3)) ? (h.r.right)[29:6] : ((m.m0 < s.ingress_port) ? h.a.f2 : h.a.f2));
        h.a.f3 = ((h.a.f3 | m.inner.x) - h.a.f3);
        if (h.s[1].isValid() && (v8 > v8)) {
            switch (((bit<16>) h.a.f4)) {
                16w1968:
                16w56079: {
                    if (h.d.isValid()) {
                        s.egress_spec = (bit<9>) ((-m.color) - ((bit<2>) h.a.f2));
                        h.a.f2[4:4] = ((-((bit<1>) m.color)) + (h.s[1].pad >> 8w4));
                    } else {
                        h.d.setValid();
                        h.d.f0 = (h.a.pad & 1w1);
                        h.d.f1 = ((int<4>) 24s1);
                        h.d.pad = h.a.k2;
                    }
                }
                default: {
                    if (((v8 == 13w0x1171) || (((int<7>) (bit<7>) h.s[1].kind) < ((int<7>) (bit<7>) h.a.pad)))) {
                        act4();
                    } else {
                        h.d.setInvalid();
                        h.d.setInvalid();
                    }
                    int<32> v9 = (~(-((int<32>) (bit<32>) m.m1)));
                }
            }
            bit<13> v10 = v8;
        }
        if (h.c.isValid()) {
            int<17> v11 = (~((int<17>) (int<4>) h.c.pad));
            if (h.b.isValid()) {
                h.d.setValid();
                h.d.f0 = h.a.pad;
                h.d.f1 = (~4s0);
                h.d.pad = ((bit<3>) 48w281474976710655);
                if (h.s[1].isValid()) {
                    mark_to_drop(s);
                }
            }
        }
        h.a.f1[1:0] = (~m.m1);
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act12(out int<33> d0, in int<3> d1) {
        d0 = 33s2434941545;
        hash(h.r.wide, HashAlgorithm.xor16, 16w16, { m.m2, m.m1, m.m3, m.color }, 32w100);
    }
    action act13(in bit<1> d0, out int<24> d1, bit<9> x0) {
        d1 = 24s8388607;
        if (((true || (m.inner.x >= m.inner.x)) || (((bit<7>) x0) >= 7w5))) {
            h.a.f2 = ((h.r.right)[28:5] + (((bit<24>) m.inner.x) + m.m2));
            m.m1 = (((s.ingress_port < s.egress_port) || (m.m3 >= ((bit<64>) (int<64>) d1))) ? (~m.m1) : (m.m1 * m.m1));
        }
        if (h.b.isValid()) {
            bit<31> v14 = ((((bit<48>) h.a.f2))[43:13] << 7);
        }
    }
    action act15(out bit<32> d0) {
        d0 = 32w0x2781d8f7;
        if ((h.r.small >= (((bit<16>) m.again) >> 8w17))) {
            d0[30:16] = (((h.a.k2 != 3w7) ? ((bit<48>) m.m0) : 48w0xffffffffffff))[47:33];
        } else {
            h.r.left = ((d0 |+| s.instance_type) * (d0 + h.r.left));
            h.r.right = ((m.m3 < m.m3) ? (h.r.left - h.r.right) : ((bit<32>) (int<32>) ((int<100>) (bit<100>) h.a.k1)));
        }
    }
    table t16 {
        key = {
            h.r.code: exact @name("k0");
        }
        actions = {
            NoAction;
            act15(h.r.left);
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
        mark_to_drop(s);
        if (t16.apply().miss) {
            bit<2> v17 = ((((bit<128>) h.a.f1))[69:68] >> 8w10);
        }
        h.r.wide = (~(((bit<64>) h.a.pad) >> 8w7));
        h.r.wide = h.r.wide ^ ((bit<64>) m.inner.x);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid() && (h.a.k2 <= h.a.k2), { h.a.f1, h.a.f2, h.a.f4, h.a.f0, 2w0x0 }, h.r.small, HashAlgorithm.crc16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
