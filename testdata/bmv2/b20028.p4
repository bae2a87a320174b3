#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<4> k1;
    bit<8> k2;
    int<33> f0;
    bit<100> f1;
    int<33> f2;
    bit<64> f3;
    bit<4> f4;
    bit<7> pad;
}
header b_t {
    bit<5> f0;
    bit<127> f1;
    int<7> f2;
    bit<5> pad;
}
header c_t {
    bit<8> kind;
    bit<8> f0;
    bit<64> f1;
    bit<32> f2;
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
    @field_list(1, 2, 3)
    int<128> m0;
    @field_list(1)
    bit<8> m1;
    @field_list(3)
    bit<64> m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2, 3)
    bit<2> color;
    inner_t inner;
}
bit<1> fun1(in bit<33> p0) {
    if (true) { return ((bit<1>) (8w179)[7:0]); }
    return (~((p0 != p0) ? ((bit<1>) p0) : ((bit<1>) ((bit<4>) p0))));
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        transition select(h.a.k1, h.a.f4) {
            (_, 4w0b110): at_c;
            (4w0xf &&& 4w0b110, 4w0x6 &&& 4w0b1): reject;
            (4w0x6 &&& 4w2, 4w0xf &&& 4w0x0): accept;
            (4w0b1011 &&& 4w0x2, 4w0b0 &&& 4w0b1): at_c;
            default: at_c;
        }
    }
    state at_b {
        p.extract(h.b);
        p.advance(8);
        transition select(h.b.f0) {
            5w0b1001: accept;
            5w0b0: accept;
            5w0b1001: accept;
            default: at_c;
        }
    }
    state at_c {
        p.extract(h.c);
        m.inner.x = (-(32w2147483647)[26:11]);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    register<bit<128>>(1) reg2;
    register<bit<16>>(4) reg3;
    meter(4, MeterType.bytes) mtr4;
    action act5(out bit<17> d0, out bit<100> d1, bit<24> x0, bit<31> x1) {
        d0 = 17w0b1001101010001101;
        d1 = 100w0x2fd94b4b90edaf8b87c93df9b;
        if ((m.m0 <= ((int<128>) (bit<128>) d0))) {
            bit<16> v6 = (-(-m.inner.x));
        }
        m.inner.x = ((!false) ? (m.inner.x & ((bit<16>) m.again)) : (((bit<16>) arg) * m.inner.x));
        if ((!(a.f0 <= ((int<33>) m.m0)))) {
            m.m0 = ((int<128>) (bit<128>) fun1(((bit<33>) (bit<16>) (-16s7593 * ((int<16>) (bit<16>) x0)))));
        } else {
            bit<16> v7 = ((32w0x1)[25:10] << 8w0x0);
        }
    }
    action act8() {
        m.m1 = ((bit<8>) fun1(33w0xffffffff));
        a.k2 = (((63w0x0 == ((bit<63>) a.k2)) && (a.f1 == 100w0x0)) ? (true ? arg : ((bit<8>) a.k0)) : ((bit<8>) ((bit<40>) (bit<33>) a.f0)));
    }
    action act9(in bit<8> d0, inout bit<5> d1, bit<63> x0, bit<13> x1) {
        if (((d1 < d1) || (!false))) { exit; }
        d1[0:0] = ((((bit<1>) d0) ^ 1w0b0) | ((((bit<2>) m.again) < 2w3) ? 1w0x0 : ((bit<1>) (bit<128>) m.m0)));
    }
    apply {
        switch (((m.again |-| arg) ++ (1w0x0 * ((bit<1>) m.m2)))) {
            9w0x7d: {
                switch (((m.inner.x & m.inner.x) << m.color)) {
                    16w0b1:
                    16w0x1798: {
                        mtr4.execute_meter<bit<2>>((bit<32>) 2w0b10, m.color);
                    }
                    default: {
                        bit<128> v10;
                        reg2.read(v10, 0);
                        m.color = ((bit<2>) v10);
                    }
                }
            }
            default: {
                int<7> v11 = (~((int<7>) (bit<7>) m.again));
            }
        }
        hash(a.k0, HashAlgorithm.crc16_custom, 32w0x39, { a.f2 }, 17w0b111);
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt12;
    register<bit<5>>(1) reg13;
    action act14(inout bit<5> d0, out bit<8> d1) {
        d1 = 8w0x0;
        int<63> v15 = (63s0 >> 8w32);
        h.a.f2 = (-h.a.f2);
    }
    action act16(in bit<17> d0, out bit<1> d1, int<12> x0, bit<33> x1) {
        d1 = 1w0x0;
        cnt12.count((bit<32>) m.color);
        if (h.d.isValid() && h.d.isValid()) {
            reg13.read(h.d.f0, 0);
        }
        d1 = (((bit<1>) 4w15) - ((((bit<63>) (int<63>) m.m0) <= 63w265922046146876155) ? ((bit<1>) h.a.f3) : d1));
    }
    action act17(in bit<13> d0, bit<63> x0, bit<5> x1) {
        if (((h.r.small - m.inner.x) <= (-16w62047))) {
            h.r.right = ((!(x1 != x1)) ? (s.packet_length | h.r.left) : (48w0)[38:7]);
            h.r.wide = ((bit<64>) (1w0b0 ++ m.color));
        } else {
            h.r.small = ((bit<16>) fun1(((24w0x5c692d ^ ((bit<24>) h.r.wide)) ++ (((bit<9>) h.a.pad) << h.a.pad))));
            h.a.k1 = (((bit<1>) (bit<33>) h.a.f2) ++ h.a.k0);
        }
        m.m0 = ((int<128>) (bit<128>) fun1(((x1 * ((bit<5>) d0)) ++ ((h.a.k0 == 3w0b11) ? ((bit<28>) (int<28>) h.a.f2) : 28w268435455))));
        if (h.b.isValid()) {
            h.a.f0 = ((h.a.f0 |+| ((int<33>) (int<8>) h.a.k2)) >> 8w35);
            h.a.f1 = (~((bit<100>) h.b.pad));
        }
    }
    table t18 {
        key = {
            h.r.right: optional @name("k0");
            h.a.pad: exact @name("k1");
            m.m1: ternary @name("k2");
        }
        actions = {
            NoAction;
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
            if (true) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        h.a.k1 = ((bit<4>) fun1((((bit<21>) m.m1) ++ ((h.a.k1 == 4w15) ? ((bit<12>) h.a.f1) : ((bit<12>) h.a.f3)))));
        if (((h.a.f3 == h.a.f3) || (h.a.k0 >= ((bit<3>) h.r.left)))) {
            sub1.apply(h.a, m, (s.instance_type)[20:13]);
            bit<33> v19 = ((bit<33>) (~((bit<1>) h.a.k1)));
        }
        switch (t18.apply().action_run) {
            NoAction: {
                h.r.small = ((~m.inner.x) * (((bit<16>) h.a.k1) ^ m.inner.x));
                if (h.d.isValid()) { h.b = h.d; }
            }
            default: {
                switch (((!(h.r.code < m.m1)) ? (h.a.k0 + h.a.k0) : (m.again)[4:2])) {
                    3w3: {
                        if ((h.a.f4 != (m.color ++ ((bit<2>) h.a.f3)))) { return; }
                    }
                    3w0b100: {
                        bit<4> v20 = ((h.a.k1 << 1) << 2w0b1);
                    }
                    default: {
                        h.r.wide = (-(h.a.f3 ^ m.m2));
                    }
                }
            }
        }
        switch (16w0x611f) {
            16w0x1798: {
                bit<24> v21 = ((((bit<10>) h.r.small) >> 8w8) ++ (((bit<14>) h.r.small) >> 0));
                v21 = v21;
            }
            16w0b10100110100001: {
                if (h.c.isValid()) {
                    h.c.f1[39:37] = (((bit<128>) (bit<2>) ((int<2>) (bit<2>) h.a.k0)))[44:42];
                }
                m.m0 = ((int<128>) (bit<128>) (m.m1 | m.again));
            }
            default: {
                switch (h.a.k1) {
                    4w0x0: {
                        m.m1 = (-(((bit<2>) m.m1) ++ 6w0x0));
                    }
                    4w0xf: {
                        h.r.right[13:10] = ((((bit<48>) h.a.k1) ^ ((bit<48>) s.packet_length)))[20:17];
                    }
                    default: {
                        h.a.k2 = (h.r.code + (-h.a.k2));
                        h.r.wide = ((h.r.wide >> 8w27) >> 8w51);
                    }
                }
            }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<24>>(1) reg22;
    register<bit<128>>(16) reg23;
    meter(4, MeterType.bytes) mtr24;
    action act25() {
        m.m2 = ((((bit<128>) h.r.code) ^ ((bit<128>) h.r.left)))[82:19];
        h.a.pad = ((bit<7>) (((bit<24>) h.r.right) ^ ((bit<24>) h.a.f4)));
        if (h.b.isValid()) {
            h.a.pad[3:1] = ((h.r.wide |-| 64w0x0))[38:36];
            m.m0 = ((int<128>) (bit<128>) fun1((((h.a.f2 != h.a.f2) ? ((bit<8>) h.r.wide) : 8w0x1) ++ ((bit<25>) h.a.f1))));
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
        h.a.f1 = (-(((bit<128>) h.r.small))[100:1]);
        h.r.wide = h.r.wide ^ ((bit<64>) (int<64>) m.m0);
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
