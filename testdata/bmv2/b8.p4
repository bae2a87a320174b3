#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<6> k0;
    bit<8> k1;
    bit<16> k2;
    int<64> f0;
    int<2> f1;
    bit<1> f2;
    bit<33> f3;
    int<9> f4;
    int<16> f5;
    bit<100> f6;
    bit<40> f7;
    bit<1> pad;
}
header b_t {
    int<24> f0;
    bit<40> f1;
    bit<63> f2;
    bit<1> pad;
}
header c_t {
    bit<8> kind;
    int<31> f0;
    bit<1> pad;
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
    @field_list(1)
    bool m0;
    bit<40> m1;
    bit<13> m2;
    bit<127> m3;
    @field_list(1, 2, 3)
    bit<8> again;
    bit<2> color;
    inner_t inner;
}
bit<128> fun1(out int<48> p0, inout bit<65> p1) {
    p0 = -48s20157347021084;
    p0 = (((int<48>) 48w0x8a821131ca23) | ((int<48>) ((int<17>) p0)));
    if ((!(p0 > p0))) {
        p0 = ((int<48>) (int<17>) (((bit<2>) (bit<48>) p0) ++ 15w0x0));
    }
    return (((!(p1 != 65w0x1)) ? (((bit<128>) p1) |-| 128w263809838925955494930468596087535454103) : (128w170141183460469231731687303715884105727 >> ((bit<3>) (bit<48>) p0))) << 8w74);
}
bit<33> fun2(inout bit<13> p0) {
    if (((p0 >= p0) || (!(p0 >= 13w2165)))) {
        p0 = ((p0 >> ((bit<3>) p0)) |-| ((((bit<127>) p0) < ((bit<127>) p0)) ? p0 : p0));
    }
    p0 = p0;
    return ((-(((bit<4>) p0) ++ ((bit<11>) p0))) ++ ((bit<18>) p0));
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
        h.a.f1 = ((~((int<2>) (int<33>) h.a.f3)) << 8w3);
        transition select(h.a.k1) {
            8w127 &&& 8w0b111: at_b;
            _: reject;
            8w127: at_c;
            default: at_c;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        verify((m.m0 && (m.m2 > m.m2)) || h.c.kind != 1, error.First);
        transition select(h.c.kind) {
            _: accept;
            8w76: accept;
            8w0x96 .. 8w0x96: at_b;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.f1 = ((m.m1 & ((bit<40>) ((bit<1>) m.m0))) ^ (64w0x28e2de50dda4a66f)[61:22]);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    register<bit<13>>(16) reg3;
    register<bit<100>>(4) reg4;
    meter(4, MeterType.bytes) mtr5;
    action act6(in bit<33> d0, in bit<40> d1, bit<32> x0) {
        a.f6 = ((bit<100>) (((bit<128>) m.m2))[80:50]);
    }
    action act7(bit<16> x0) {
        a.f3 = fun2(m.m2);
        if ((!((9s0 > a.f4) || (m.m3 != ((bit<127>) m.inner.x))))) {
            mtr5.execute_meter<bit<2>>((bit<32>) (((bit<1>) a.f3) ++ ((bit<1>) m.m0)), m.color);
        } else {
            hash(m.m2, HashAlgorithm.crc32, 16w14, { m.inner.x, m.color, a.f0, a.k1 }, 17w0x3);
        }
        if ((!(m.m3 >= m.m3))) {
            m.m1 = ((bit<40>) (((bit<3>) (bit<16>) a.f5) ^ ((bit<3>) m.m2)));
        }
    }
    direct_counter(CounterType.packets_and_bytes) dc9;
    table t8 {
        key = {
            ((12w0x477 >> 8w9) | (((bit<32>) a.pad))[18:7]): range @name("k0");
            m.m3: ternary @name("k1");
            (((a.f7 > m.m1) ? 4w0x1 : ((bit<4>) m.again)) >> 4): range @name("k2");
        }
        actions = {
            NoAction;
            act6(((bit<33>) (m.m2 ++ ((bit<27>) (int<27>) a.f0))), ((40w0x186f776b0e |+| a.f7) >> 3w0x7));
        }
        default_action = NoAction();
        counters = dc9;
    }
    apply {
        a.f3 = a.f3;
        t8.apply();
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets_and_bytes) cnt10;
    register<bit<128>>(1) reg11;
    action act12(bit<17> x0) {
        if (h.d.isValid()) {
            h.a.k2 = (~(48w197247437159669)[25:10]);
        }
        if ((s.ingress_port <= s.ingress_port)) {
            h.a.f3 = fun2(m.m2);
        }
    }
    direct_meter<bit<2>>(MeterType.packets) dm;
    action act13(bit<2> x0) {
        dm.read(m.color);
        if ((h.a.pad > ((bit<1>) x0))) {
            m.color = (((m.m1 != m.m1) ? h.a.f2 : ((bit<1>) h.r.wide)) ++ (h.a.f2 & ((bit<1>) (bit<64>) h.a.f0)));
        } else {
            m.m3 = m.m3;
        }
        if ((m.again == (~m.again))) {
            m.m2 = (-((bit<13>) h.a.k2));
        } else {
            h.a.k1 = (h.a.k1 & (true ? h.a.k1 : h.r.code));
            h.a.f3 = fun2(m.m2);
        }
    }
    table t14 {
        key = {
            ((h.c.isValid() ? ((bit<1>) h.r.code) : h.a.pad) ++ (-((bit<11>) s.packet_length))): exact @name("k0");
            h.d.isValid(): ternary @name("k1");
        }
        actions = {
            act13;
            @defaultonly NoAction;
        }
        default_action = act13(2w0x3);
        meters = dm;
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
            if (true) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        sub1.apply(h.a, m, ((h.a.k2 != 16w35001) ? m.again : m.again));
        if (h.c.isValid()) {
            reg11.write(0, (-128w149176738747379988758293180604884645768));
        }
        h.a.f3 = fun2(m.m2);
        if (((((bit<10>) (int<10>) h.a.f0) ++ h.a.k0) <= m.inner.x)) {
            h.r.left = ((bit<32>) (int<32>) (((int<128>) (bit<128>) h.a.pad) << 87));
            if (h.d.isValid()) {
                if (((((bit<1>) (bit<16>) h.a.f5) < h.a.pad) && (m.color >= m.color))) {
                    s.egress_spec = (bit<9>) ((bit<2>) h.r.small);
                    m.m2 = m.m2;
                }
                mark_to_drop(s);
            }
        }
        if ((h.a.k0 < (m.m0 ? h.a.k0 : 6w0x2b))) {
            if (h.b.isValid()) {
                if (t14.apply().miss) {
                    m.inner.x = ((h.a.k2 ^ m.inner.x) - ((h.a.f6 >= h.a.f6) ? h.r.small : h.a.k2));
                }
                switch (((bit<16>) (((bit<5>) s.instance_type) & 5w0b10000))) {
                    16w0b0: {
                        h.a.f3 = fun2(m.m2);
                    }
                }
            }
            h.a.k2 = ((bit<16>) (bit<5>) (~((int<5>) (bit<5>) h.r.left)));
        } else {
            if (h.b.isValid()) {
                if (h.c.isValid()) {
                    h.b.f1 = ((h.b.f1 |+| m.m1) - (m.m0 ? h.a.f7 : h.b.f1));
                }
                h.a.k0[3:2] = ((((bit<32>) h.a.f3) & h.r.right))[13:12];
            }
            if (h.d.isValid()) {
                if (h.b.isValid() && (m.m0 && h.c.isValid())) {
                    hash(h.a.f3, HashAlgorithm.crc16_custom, 16w0x63, { h.d.f0, 17w0b1 }, 17w65536);
                }
                if ((h.a.f1 > (~2s1))) {
                    m.m1[4:2] = ((m.inner.x - h.r.small))[4:2];
                }
            }
        }
        h.r.code[1:0] = m.color;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets) cnt15;
    counter(1, CounterType.packets_and_bytes) cnt16;
    register<bit<65>>(4) reg17;
    register<bit<40>>(1) reg18;
    meter(4, MeterType.packets) mtr19;
    action act20(in bit<3> d0, inout bit<65> d1, bit<63> x0, bit<13> x1) {
        h.a.f6 = ((128w149176738747379988758293180604884645768 |-| ((bit<128>) s.egress_port)))[117:18];
        if (h.c.isValid()) {
            h.r.left = (((h.r.right == s.instance_type) ? ((bit<24>) x0) : ((bit<24>) s.ingress_port)) ++ (m.again |+| h.a.k1));
        } else {
            bit<3> v21 = (((bit<16>) 5w21))[11:9];
        }
        h.a.f0 = (h.c.isValid() ? (~h.a.f0) : ((int<64>) (bit<64>) ((bit<7>) (bit<16>) h.a.f5)));
    }
    action act22(in bit<24> d0) {
        hash(h.a.pad, HashAlgorithm.xor16, 8w57, { h.a.f3, 24w2891816 }, 32w0x64);
    }
    action act23(inout bit<127> d0, out bit<64> d1, bit<128> x0) {
        d1 = 64w9087593503881283287;
        if ((m.color >= (~m.color))) {
            h.r.code = (((bit<8>) h.a.f6) & (8w0 |+| 8w0b11101011));
            d1 = (-(~h.r.wide));
        }
        if (h.c.isValid()) {
            h.r.left = (((bit<32>) 24w13669445) + ((bit<32>) m.m2));
            bit<7> v24 = ((bit<7>) (bit<127>) (127s68282000222440284606432925182291286643 |+| ((int<127>) h.a.f4)));
        }
        m.m0 = h.c.isValid();
    }
    table t25 {
        key = {
            ((h.c.isValid() ? ((bit<12>) h.r.right) : ((bit<12>) s.egress_rid)) >> ((bit<3>) m.inner.x)): lpm @name("k0");
            h.r.code: exact @name("k1");
        }
        actions = {
            NoAction;
            act23(m.m3, h.r.wide);
        }
        default_action = act23(m.m3, h.r.wide, 128w0xc4da0cf68ea6e1fd4081115d1c449d93);
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
        bit<64> v26 = ((bit<64>) (h.a.pad |+| h.a.f2));
        switch (3w0b101) {
            3w0b1: {
                if ((h.a.f2 >= (h.a.f2 << 8w5))) {
                    hash(h.r.wide, HashAlgorithm.xor16, 16w0x28, { h.a.k2, h.a.f1, v26, 33w1 }, 17w0x1);
                    h.a.f3 = fun2(m.m2);
                }
                h.a.f5 = ((int<16>) (int<2>) (m.color & m.color));
            }
        }
        t25.apply();
        h.r.wide = h.r.wide ^ ((bit<64>) m.m3);
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
