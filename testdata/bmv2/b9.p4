#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<16> k1;
    bit<8> k2;
    int<127> f0;
    bit<1> f1;
    int<7> f2;
    int<48> f3;
    bit<12> f4;
    int<2> f5;
    bit<7> f6;
    bit<1> pad;
}
header b_t {
    bit<100> f0;
    bit<31> f1;
    bit<5> pad;
}
header c_t {
    bit<8> kind;
    bit<40> f0;
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
    bit<7> f0;
    bit<33> f1;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[3] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    bit<64> m0;
    @field_list(2)
    bit<9> m1;
    @field_list(2, 3)
    bit<24> m2;
    bit<16> m3;
    @field_list(2)
    bit<127> m4;
    @field_list(2)
    bit<2> m5;
    @field_list(3)
    bit<48> m6;
    @field_list(1, 2, 3)
    bit<8> again;
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
        int<100> v1 = ((~-100s1) + ((h.a.f6 != 7w0x19) ? ((int<100>) (bit<100>) h.a.f4) : ((int<100>) (int<3>) h.a.k0)));
        transition select(h.a.f6, h.a.f1) {
            (7w103 .. 7w103, 1w0b0 .. 1w0x0): at_b;
            default: at_s;
        }
    }
    state at_b {
        p.extract(h.b);
        transition at_c;
    }
    state at_c {
        sub.apply(p, h.c, m);
        transition select(h.c.kind) {
            8w0xa1 .. 8w0b10100001: accept;
            8w1 &&& 8w0b11111110: accept;
            8w0x8f: accept;
            default: at_s;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0x85: accept;
            default: at_s;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    register<bit<9>>(1) reg2;
    meter(4, MeterType.packets) mtr3;
    action act4(int<65> x0) {
        if ((!(x0 <= x0))) {
            a.f5 = (-((int<2>) (int<17>) 17w0b11101100001111011));
        } else {
            a.f3 = (((int<48>) (int<127>) m.m4) |-| (a.f3 >> 8w3));
            reg2.write(0, m.m1);
        }
        m.m5 = m.m5;
        m.color = ((m.color >> 5w0b11010) + (-m.m5));
    }
    action act5(out bit<65> d0, bit<31> x0) {
        d0 = 65w10538667173011450548;
        if ((m.m2 >= (((bit<24>) arg) * ((bit<24>) arg)))) {
            a.pad = ((1w0x0 >> 8w0) | ((a.f2 > a.f2) ? a.pad : a.pad));
            m.color = ((bit<2>) (m.m1 |-| m.m1));
        }
        a.f2 = ((int<7>) (bit<7>) (a.f1 >> ((bit<5>) a.k1)));
    }
    action act6(bit<9> x0, int<100> x1) {
        m.color = (~(m.m5 + ((bit<2>) (int<2>) a.f0)));
    }
    table t7 {
        key = {
            (~(((bit<32>) m.m6))[20:17]): range @name("k0");
        }
        actions = {
            NoAction;
            act4;
            act6;
        }
        const entries = {
            4w8 .. 4w12: act6(9w0x17c, 100s113010236532549034073646884424);
            4w1 .. 4w0xa: act6(9w0b111100001, 100s38987299091553016419731249184);
            4w0x0 .. 4w0x7: NoAction();
            4w0xc .. 4w0xc: act6(9w276, 100s633598793537098361521203504348);
            4w0x7 .. 4w0b111: NoAction();
        }
        default_action = act4(65s18446744073709551615);
    }
    apply {
        a.k1 = ((((bit<15>) a.k2) ++ a.pad) |+| (m.m3 | a.k1));
        switch (t7.apply().action_run) {
            NoAction: {
                m.m1 = m.m1;
            }
            act4: {
                if ((!(a.f0 != ((int<127>) (bit<127>) a.f1)))) {
                    reg2.read(m.m1, 0);
                    m.inner.x = (-(m.inner.x * m.m3));
                } else {
                    a.f0 = a.f0;
                }
                a.f4 = (((bit<12>) ((bit<31>) m.color)) ^ (a.f4 |-| a.f4));
            }
            default: {
                bit<2> v8 = ((bit<2>) (bit<100>) ((int<100>) (bit<100>) 31w1073741823));
                switch ((((bit<9>) m.m3) ^ (m.m1 & m.m1))) {
                    9w0x5c: {
                        mtr3.execute_meter<bit<2>>((bit<32>) (a.f1 ++ a.pad), m.color);
                    }
                    9w0b100010100: {
                        m.m3 = ((32w0x950a0d5d)[26:11] |-| ((v8 < m.color) ? 16w0x523a : a.k1));
                    }
                    9w0b101101000: {
                        mtr3.execute_meter<bit<2>>((bit<32>) (m.color ^ v8), m.color);
                        m.m3[0:0] = ((33w2595071377 == ((bit<33>) m.m6)) ? ((bit<1>) m.m3) : (1w0b0 ^ a.pad));
                    }
                    default: {
                        reg2.write(0, m.m1);
                        m.m4[75:75] = (((bit<1>) ((bit<100>) m.m0)) * (a.pad >> 0));
                    }
                }
            }
        }
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets_and_bytes) cnt9;
    action act10(in bit<24> d0, out bit<32> d1) {
        d1 = 32w530190789;
        s.egress_spec = (bit<9>) (((bit<2>) ((bit<31>) h.a.pad)) |-| (-2w3));
        h.a.f3 = ((h.a.f3 * ((int<48>) (bit<48>) m.again)) | ((int<48>) (int<65>) 65w10538667173011450548));
    }
    direct_meter<bit<2>>(MeterType.packets) dm;
    action act11(int<17> x0) {
        dm.read(m.color);
        if (h.s[1].isValid() && (!(h.r.code == 8w0x1))) {
            h.s[1].f0 = (~((bit<7>) (bit<63>) ((int<63>) (int<8>) m.again)));
            m.m4 = m.m4;
        }
    }
    action act12(int<8> x0) {
        dm.read(m.color);
        if (h.s[1].isValid()) {
            m.m2 = (((bit<22>) ((bit<100>) s.packet_length)) ++ (true ? m.color : ((bit<2>) (bit<127>) h.a.f0)));
        }
        bit<64> v13 = ((!(h.a.k2 == m.again)) ? (6w0x17 ++ ((bit<58>) s.packet_length)) : (-64w0xea348aa5a3c285f3));
    }
    table t14 {
        key = {
            s.packet_length: exact @name("k0");
            h.a.k1: ternary @name("k1");
        }
        actions = {
            act11;
            act12;
        }
        default_action = act11(17s9324);
        meters = dm;
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
            if (!h.a.isValid()) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (((((bit<5>) m.m5) - 5w0x1) != ((bit<5>) 65w0xffffffffffffffff))) {
            h.s[1].setValid();
            h.s[1].kind = (-m.again);
            h.s[1].f0 = (h.a.f6 |-| h.a.f6);
            h.s[1].f1 = ((bit<33>) (int<33>) ((int<13>) h.a.f3));
        }
        bit<4> v15 = ((bit<4>) m.color);
        act10(((((bit<24>) m.m4) << 8w0xfe) + m.m2), h.r.right);
        s.egress_spec = (bit<9>) m.color;
        bit<4> v16 = ((h.a.f6 ++ ((bit<25>) s.ingress_port)))[25:22];
        switch ((-(((bit<1>) h.a.f4) ++ 3w1))) {
            4w3:
            4w0x5: {
                if ((s.packet_length != (h.r.right - 32w3004837481))) { exit; }
            }
            4w10: {
                if ((!(h.a.f2 <= -7s48))) {
                    h.c.setValid();
                    h.c.kind = (-m.again);
                    h.c.f0 = (m.m5 ++ ((bit<38>) (bit<2>) h.a.f5));
                }
                act10(((h.a.f6 ++ ((bit<25>) (int<25>) h.a.f2)))[23:0], h.r.right);
            }
        }
        sub1.apply(h.a, m, (h.r.code | h.a.k2));
        t14.apply();
        sub2.apply(h.a, m, ((bit<8>) ((int<8>) (bit<8>) h.a.pad)));
        h.r.code[1:0] = m.color;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) cnt17;
    counter(8, CounterType.bytes) cnt18;
    register<bit<2>>(1) reg19;
    register<bit<65>>(4) reg20;
    action act21(out bit<24> d0, bit<24> x0) {
        d0 = 24w0;
        m.m3 = (((h.a.f4 <= ((bit<12>) h.r.left)) ? m.inner.x : s.egress_rid) << 14);
        m.inner.x = ((h.r.right >> h.a.pad))[18:3];
    }
    action act22() {
        if (((!false) || ((((int<24>) (bit<24>) h.a.k0) <= ((int<24>) (bit<24>) m.inner.x)) && (h.r.small == 16w0b1110010000100010)))) {
            h.a.pad = ((bit<1>) (bit<64>) (64s2926284698338906015 + ((int<64>) (bit<64>) s.egress_rid)));
        } else {
            bit<48> v23 = (((bit<48>) s.ingress_port))[47:0];
            int<12> v24 = (-((int<12>) (bit<12>) h.r.left));
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
        switch (m.color) {
            2w0b0: {
                h.a.f1 = ((m.m6 >= m.m6) ? ((bit<1>) m.m6) : (h.s[0].isValid() ? ((bit<1>) h.r.right) : h.a.f1));
            }
            2w0x3: {
                log_msg("value25 {}", { h.a.k2 });
            }
            default: {
                if (((!(h.a.f0 != h.a.f0)) && (m.m6 <= ((bit<48>) m.again)))) {
                    h.a.f6[1:1] = ((bit<1>) (s.egress_rid ^ m.inner.x));
                } else {
                    if (h.s[0].isValid()) { h.s[2] = h.s[0]; }
                    m.m3 = ((bit<16>) (bit<3>) ((int<3>) (int<64>) m.m0));
                }
                if ((h.s[2].isValid() && (m.m5 <= m.m5))) {
                    hash(m.m6, HashAlgorithm.crc16_custom, 32w18, { h.a.k0 }, 17w0x64);
                    log_msg("value26 {}", { s.egress_rid });
                }
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m4);
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
