#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<16> k1;
    bit<6> k2;
    bit<2> f0;
    int<33> f1;
    int<40> f2;
    bit<7> pad;
}
header b_t {
    bit<8> f0;
    bit<5> f1;
    bit<31> f2;
    bit<4> pad;
}
header c_t {
    bit<8> kind;
    bit<13> f0;
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
    int<5> f1;
    bit<1> f2;
    bit<5> pad;
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
    @field_list(1, 3)
    bit<7> m0;
    @field_list(2)
    bit<3> m1;
    @field_list(1, 2, 3)
    bit<5> m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
}
int<100> fun1(inout bit<100> p0) {
    if (((!(((int<128>) (int<100>) p0) <= 128s106309711429907642746352016062468389405)) || (((bit<65>) p0) == 65w0x1))) {
        p0 = (~p0);
    }
    if ((p0 > (~p0))) { return ((((int<100>) p0) |+| ((int<100>) p0)) >> 63); }
    return ((int<100>) p0);
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        transition select(h.a.f0, p.lookahead<bit<4>>()) {
            (2w0x2 &&& 2w1, _): at_s;
            (2w0x2 .. 2w2, _): at_s;
            (2w0x1 &&& 2w3, _): accept;
            default: at_s;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0b101: at_s;
            default: at_c;
        }
    }
    state at_c {
        p.extract(h.c);
        h.c.pad[0:0] = ((bit<1>) (bit<33>) (((int<33>) (int<3>) m.m1) |+| ((int<33>) (int<7>) m.m0)));
        h.c.kind = m.again;
        transition select(h.c.kind) {
            8w0b11111111 .. 8w0xff: at_b;
            8w0b1111010: accept;
            8w0: at_b;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        m.color = m.color;
        m.color = ((((bit<128>) m.m1))[98:97] >> 8w4);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
        verify_checksum(h.a.isValid(), { h.a.f2, h.a.k0, h.a.k2, h.a.f0, 8w0x0 }, h.a.k1, HashAlgorithm.crc16);
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    counter(1, CounterType.packets) cnt2;
    counter(4, CounterType.bytes) cnt3;
    action act4(int<64> x0, bit<9> x1) {
        a.pad = (((bit<7>) ((bit<8>) (int<8>) a.f1)) << 0);
        hash(a.pad, HashAlgorithm.xor16, 8w0xc, { a.k2, a.k2, 7w0x3f }, 17w0b111);
    }
    action act5(out bit<48> d0, out bit<13> d1) {
        d0 = 48w0xf6f6040d4d8a;
        d1 = 13w0x0;
        if ((a.f1 >= (a.f1 |-| a.f1))) {
            m.m0 = (((d0 == 48w1) || (a.k0 == a.k0)) ? (~m.m0) : (((bit<6>) m.m0) ++ ((bit<1>) (bit<40>) a.f2)));
            d1 = (((m.inner.x > a.k1) ? 13w0b11111100011 : d1) & (((bit<4>) m.inner.x) ++ ((bit<9>) a.k2)));
        }
        if (((m.m0 & m.m0) >= ((bit<7>) d1))) {
            d0 = (-((bit<48>) 100w0xe13dd248679f66f105b452fbc));
            d1 = ((bit<13>) arg);
        } else {
            if ((a.f2 <= (~((int<40>) a.f1)))) { return; }
            m.again[6:4] = ((((bit<3>) a.pad) + ((bit<3>) d1)) ^ m.m1);
        }
    }
    table t6 {
        key = {
            a.f2: ternary @name("k0");
            a.f0: range @name("k1");
        }
        actions = {
            act4;
            @defaultonly NoAction;
        }
        default_action = act4(64s3520724197123736085, 9w0b11111111);
        size = 1024;
    }
    table t7 {
        key = {
            m.m2: range @name("k0");
            m.m0: ternary @name("k1");
            arg: optional @name("k2");
        }
        actions = {
            NoAction;
            act4;
        }
        const entries = {
            (5w0b10001 .. 5w17, _, 8w0b1111010): NoAction();
        }
        default_action = NoAction();
    }
    apply {
        if ((a.k0 < (arg |+| a.k0))) {
            if ((!(m.m1 == 3w0b11))) {
                cnt3.count((bit<32>) (m.color >> ((bit<2>) m.m2)));
                m.again = ((~m.again) << m.m1);
            }
            t6.apply();
        }
        a.k0 = m.again;
        if (((13w0x7e3 != ((bit<13>) m.color)) || (!true))) {
            m.inner.x = ((bit<16>) (((bit<32>) a.k2))[31:1]);
        } else {
            t7.apply();
        }
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act8(in bit<48> d0, inout int<128> d1) {
        h.r.code = ((h.b.isValid() ? 4w0b0 : 4w0) ++ (~4w7));
    }
    action act9() {
        if ((s.packet_length >= (h.r.left << 31))) {
            m.m2[3:3] = ((h.a.k1 & h.a.k1))[5:5];
        } else {
            h.a.pad = (-(m.m0 << 8w14));
        }
        if ((((s.packet_length > s.packet_length) && false) || (h.r.wide > h.r.wide))) {
            h.r.small = ((bit<16>) ((h.a.k2 != 6w63) ? 12w0 : 12w0b110111101110));
        } else {
            h.r.left = ((h.a.pad << 8w4) ++ (((bit<48>) h.a.f0))[40:16]);
            h.a.pad = (~(-m.m0));
        }
    }
    table t10 {
        key = {
            h.r.small: range @name("k0");
        }
        actions = {
            NoAction;
            act9;
        }
        const entries = {
            16w63183 .. 16w0b1111011011001111: NoAction();
            16w12682 .. 16w0b11000110001010: act9();
        }
        default_action = act9();
        size = 64;
    }
    Sub2() sub1;
    Sub2() sub2;
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
            if (true) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        sub1.apply(h.a, m, (m.m2 ++ m.m1));
        sub2.apply(h.a, m, (((bit<8>) m.inner.x) << 2));
        if ((h.a.k1 >= ((-33s1916292464 == h.a.f1) ? h.a.k1 : h.a.k1))) {
            h.a.f1 = ((true || (((bit<5>) (int<5>) h.a.f2) != m.m2)) ? (~h.a.f1) : ((int<33>) (bit<33>) 4w11));
        } else {
            if (h.b.isValid()) {
                h.s.push_front(2);
            }
        }
        if ((m.color <= (((bit<2>) h.a.k2) * m.color))) {
            if ((!h.c.isValid())) {
                if ((h.r.wide == (true ? h.r.wide : h.r.wide))) {
                    m.m1[1:1] = (((bit<1>) h.r.code) | 1w0x1);
                    h.a.k0[2:1] = ((~m.color) << 8w8);
                }
            } else {
                if ((h.a.f2 > (-h.a.f2))) {
                    if (m.again < 2 && (h.a.f1 == h.a.f1)) { m.again = m.again + 1; resubmit_preserving_field_list(1); }
                } else {
                    s.egress_spec = (bit<9>) ((h.a.f0 >> 8w0) |-| (((bit<48>) h.r.right))[6:5]);
                }
            }
            if (h.s[1].isValid()) {
                t10.apply();
            }
        } else {
            h.b.setValid();
            h.b.f0 = (m.m1 ++ 5w31);
            h.b.f1 = (m.m2 |+| m.m2);
            h.b.f2 = ((h.a.f1 == 33s570305483) ? 31w2147483647 : ((bit<31>) m.m2));
            h.b.pad = (true ? ((bit<4>) h.a.k0) : 4w0b100);
            if (h.s[0].isValid() && (h.s[0].f0 == h.s[0].f0)) {
                h.b.setValid();
                h.b.f0 = (h.a.k0 |-| m.again);
                h.b.f1 = (m.color ++ ((bit<3>) m.color));
                h.b.f2 = ((bit<31>) 24w0x0);
                h.b.pad = (((bit<4>) m.m2) * 4w4);
                if (((h.s[0].kind > h.r.code) || (!true))) {
                    int<3> v11 = ((((int<3>) (bit<3>) s.packet_length) | ((int<3>) (int<8>) h.r.code)) * (~3s2));
                    h.r.code[3:2] = ((m.color << 0) & (m.color << ((bit<8>) h.r.right)));
                }
            }
        }
        if (h.s[1].isValid() && (m.again > ((bit<8>) s.packet_length))) {
            h.c.setInvalid();
            if ((h.a.pad <= (m.m0 << h.a.f0))) {
                switch (((h.s[1].f2 ++ ((bit<3>) h.r.small)) - (48w281474976710655)[29:26])) {
                    4w0x7: {
                        h.s[1].f1 = ((int<5>) (int<63>) (-((bit<63>) h.a.k2)));
                        h.a.k1 = ((-m.m1) ++ (h.s[1].f0 - ((bit<13>) h.s[1].kind)));
                    }
                }
                if (((s.instance_type < h.r.right) || h.d.isValid())) {
                    h.a.f1 = ((int<33>) (~2s0));
                }
            } else {
                if (h.c.isValid()) {
                    h.s[1].f0 = ((bit<13>) 16w65535);
                    bit<9> v12 = (~((bit<9>) ((bit<127>) h.c.pad)));
                }
            }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets_and_bytes) cnt13;
    counter(4, CounterType.packets) cnt14;
    action act15(inout bit<1> d0, bit<100> x0, bit<1> x1) {
        if (h.c.isValid() && h.s[1].isValid()) {
            if ((!(x0 <= x0))) { return; }
        }
        if (h.b.isValid() && (!(h.b.f2 == h.b.f2))) {
            d0 = d0;
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
        h.a.k2 = (((bit<6>) 63w1) >> ((bit<1>) h.a.k0));
        h.r.left = ((bit<32>) (m.m2 << m.m0));
        h.r.wide = h.r.wide ^ ((bit<64>) m.m1);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid() && (h.a.f2 < 40s0), { h.a.k2, h.a.k0, h.a.f2, 10w0x0 }, h.r.small, HashAlgorithm.xor16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
