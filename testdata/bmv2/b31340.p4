#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<8> k1;
    bit<3> k2;
    int<40> f0;
    bit<33> f1;
    bit<33> f2;
    bit<48> f3;
    bit<65> f4;
    bit<100> f5;
    bit<6> pad;
}
header b_t {
    bit<17> f0;
    bit<1> f1;
    bit<127> f2;
    bit<7> pad;
}
header c_t {
    bit<8> kind;
    int<127> f0;
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
    bit<13> m0;
    @field_list(1, 2)
    int<64> m1;
    @field_list(1, 2, 3)
    int<24> m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 2)
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
        transition select(h.a.k0) {
            16w0b0: at_b;
            16w15776: accept;
            16w0b1111111111111111 &&& 16w0b1110010101010011: accept;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f1) {
            1w0 .. 1w0x0: at_c;
            1w0x0: accept;
            1w0b0: at_c;
            default: at_c;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    counter(1, CounterType.bytes) cnt1;
    counter(8, CounterType.bytes) cnt2;
    register<bit<33>>(1) reg3;
    action act4(inout bit<2> d0, in bit<17> d1) {
        a.k0 = (m.inner.x |-| (~a.k0));
    }
    action act5(inout bit<33> d0, in bit<2> d1, bit<31> x0, bit<65> x1) {
        hash(a.f4, HashAlgorithm.crc32, 32w0x11, { a.k2, a.k2, a.k2, m.m0, 33w7548051078 }, 32w3);
    }
    table t6 {
        key = {
            a.f5: range @name("k0");
        }
        actions = {
            NoAction;
            act5(a.f2, ((1w0b0 ++ 1w0x1) << 1w1));
        }
        default_action = act5(a.f2, ((1w0b0 ++ 1w0x1) << 1w1), 31w297565887, 65w0x1);
    }
    action_profile(64) p8;
    table t7 {
        key = {
            ((((bit<64>) a.k2))[31:0])[11:0]: optional @name("k0");
            m.color: exact @name("k1");
        }
        actions = {
            act4(m.color, ((bit<17>) a.k0));
            act5(a.f2, ((1w0b0 ++ 1w0x1) << 1w1));
        }
        implementation = p8;
    }
    apply {
        m.m1 = m.m1;
        act4(m.color, ((((bit<32>) arg))[22:6] * (17w55529 |+| ((bit<17>) m.again))));
        bit<16> v9 = (~m.inner.x);
        switch (t6.apply().action_run) {
            NoAction: {
                if (t7.apply().hit) {
                    a.k2 = ((a.k1 != arg) ? (a.k2 - a.k2) : ((bit<3>) ((bit<100>) a.pad)));
                    reg3.write(0, a.f1);
                }
                cnt2.count((bit<32>) (a.k2 |+| a.k2));
            }
            act5: {
                if ((a.f2 >= a.f2)) {
                    act4(m.color, (((bit<17>) a.k2) | 17w107213));
                    a.f1 = (((a.f4 != a.f4) ? ((bit<33>) m.m0) : ((bit<33>) a.f3)) |-| (128w340282366920938463463374607431768211455)[123:91]);
                }
                if ((m.inner.x != ((bit<16>) 31w0xa396f3a))) {
                    a.f5[85:49] = ((((bit<37>) (int<37>) a.f0) | 37w83236655344) - (m.m0 ++ 24w0x7fffff));
                } else {
                    hash(a.k1, HashAlgorithm.crc32_custom, 16w85, { a.f4, arg, m.inner.x }, 17w0x64);
                    a.f5[47:43] = 5w0b1;
                }
            }
            default: {
                bit<13> v10 = (m.m0 |+| (((bit<13>) (int<13>) m.m1) & m.m0));
            }
        }
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt11;
    register<bit<8>>(4) reg12;
    register<bit<5>>(16) reg13;
    meter(4, MeterType.bytes) mtr14;
    action act15(in bit<13> d0, out bit<24> d1, int<9> x0, bit<13> x1) {
        d1 = 24w0xe48e94;
        bit<17> v16 = ((((bit<17>) (bit<64>) m.m1) | ((bit<17>) s.packet_length)) ^ (-((bit<17>) h.a.f5)));
        if (h.c.isValid()) {
            m.m1 = (((int<64>) ((int<32>) (bit<32>) d1)) * (h.c.isValid() ? m.m1 : m.m1));
            h.r.right = ((128w170141183460469231731687303715884105727 - 128w109487994431681019583525386770232030419))[34:3];
        }
    }
    action act17(int<5> x0) {
        if (((((bit<2>) h.a.f5) + m.color) >= (m.color * m.color))) {
            h.r.wide = ((((bit<128>) h.r.code) | 128w0x9567ceaf5b1eec78ed4f8050f63a6d5b))[83:20];
        }
    }
    action act18(bit<2> x0) {
        int<31> v19 = ((int<31>) (int<3>) h.a.k2);
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
        h.r.right[3:2] = m.color;
        if (h.b.isValid() && (h.a.f4 == 65w0x0)) {
            bool v20 = false;
            if (h.c.isValid()) {
                random(h.c.pad, 1w0x0, 1w0x0);
                log_msg("value21 {}", { h.r.right });
            }
        }
        if (h.b.isValid()) {
            if ((!(!(4w0b1111 > 4w0x1)))) {
                h.d.setValid();
                h.d.f0 = (h.b.f0 |-| h.b.f0);
                h.d.f1 = (1w0 | h.b.f1);
                h.d.f2 = ((bit<127>) h.a.f1);
                h.d.pad = (h.a.k2 ++ ((bit<4>) h.r.small));
            }
        }
        if ((!((h.r.wide >= 64w0xe14dc7eff9d6c1cb) || (h.a.f4 != 65w0x13cd1ccf45c23a9ae)))) {
            sub1.apply(h.a, m, (h.a.k1 |+| m.again));
        }
        if (h.d.isValid()) {
            h.a.f0 = ((int<40>) (bit<40>) ((bit<13>) h.a.f1));
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt22;
    meter(4, MeterType.bytes) mtr23;
    action act24(inout bit<13> d0) {
        if (h.c.isValid()) {
            m.color = ((~1w0b1) ++ ((h.b != h.d) ? ((bit<1>) h.a.f4) : h.c.pad));
            h.c.f0 = (h.b.isValid() ? h.c.f0 : (-h.c.f0));
        }
        cnt22.count((bit<32>) (m.color - m.color));
        bit<127> v25 = ((s.ingress_port < s.egress_port) ? (-127w39596134731802358608256543345468826297) : (127w0 |-| ((bit<127>) h.r.code)));
    }
    action act26(out bit<3> d0, bit<16> x0) {
        d0 = 3w7;
        if ((!(h.a.f4 > h.a.f4))) {
            h.a.k0 = ((bit<16>) (int<16>) ((int<9>) (int<48>) ((bit<48>) s.instance_type)));
        }
        m.color = (-(-m.color));
    }
    table t27 {
        key = {
            h.a.k2: lpm @name("k0");
            h.a.f5: exact @name("k1");
            h.c.isValid(): exact @name("k2");
        }
        actions = {
            NoAction;
            act24(m.m0);
            act26(h.a.k2);
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
        if (h.c.isValid() && (h.a.f5 == h.a.f5)) {
            h.a.f0 = ((~h.a.f0) * (-h.a.f0));
            h.a.f2 = ((h.b.isValid() || (m.m2 <= m.m2)) ? (~h.a.f1) : (h.a.f2 |-| h.a.f1));
        }
        switch (t27.apply().action_run) {
            act26: {
                if (h.d.isValid() && (m.inner.x <= h.r.small)) {
                    m.m1 = (~((h.r.wide == ((bit<64>) h.a.k2)) ? m.m1 : ((int<64>) (bit<64>) h.r.left)));
                }
            }
            default: {
                bit<40> v28 = ((127w24150022837895709953008115566074510077 <= ((bit<127>) h.a.f5)) ? (-40w549755813887) : (((bit<37>) (int<37>) m.m2) ++ h.a.k2));
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m1);
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
