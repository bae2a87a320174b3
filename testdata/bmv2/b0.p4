#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<6> k1;
    bit<4> k2;
    bit<65> f0;
    bit<33> f1;
    bit<31> f2;
    int<24> f3;
    int<127> f4;
    bit<16> f5;
    int<17> f6;
    bit<5> pad;
}
header b_t {
    bit<5> f0;
    bit<3> pad;
}
header c_t {
    bit<8> kind;
    bit<128> f0;
    int<17> f1;
    bit<7> pad;
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
    int<8> f0;
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
    @field_list(1)
    bit<1> m0;
    @field_list(2)
    bool m1;
    @field_list(2)
    bool m2;
    @field_list(2)
    bit<12> m3;
    @field_list(1, 2)
    bit<3> m4;
    @field_list(3)
    int<63> m5;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
}
int<63> fun1(in bit<3> p0) {
    if ((((31s1073741823 != 31s1073741823) && false) && (p0 > 3w0x2))) { return ((~63s1103264977842749846) + ((int<63>) (int<16>) ((bit<16>) p0))); }
    return 63s0;
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
    value_set<bit<5>>(4) set2;
    Sub() sub;
    state start {
        p.extract(h.a);
        h.a.k0 = ((m.inner.x - 16w13248) |+| (-h.a.k0));
        h.a.k1 = ((h.a.k1 + h.a.k1) |+| (((bit<48>) m.again))[15:10]);
        transition select(h.a.k1) {
            6w0 &&& 6w0x15: at_c;
            6w0x9 &&& 6w16: at_c;
            _: at_s;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f0) {
            set2: accept;
            5w0b1111: at_c;
            5w0x18: accept;
            5w0x19: at_s;
            _: reject;
            default: at_c;
        }
    }
    state at_s {
        p.extract(h.s.next);
        verify((((bit<32>) m.inner.x) < ((bit<32>) m.color)) || h.s.last.kind != 1, error.Second);
        transition select(h.s.last.kind) {
            8w127 .. 8w127: at_s;
            8w0b1110101 &&& 8w54: at_s;
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
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt3;
    action act4(bit<16> x0) {
        if (h.b.isValid() && h.c.isValid()) {
            m.m4 = ((32w2620262809 << 8w19))[2:0];
            m.m5 = fun1(((h.b.pad * m.m4) + ((m.m5 != 63s246639600186240277) ? h.b.pad : m.m4)));
        }
        m.m5 = fun1((((bit<3>) s.ingress_port) << m.m4));
    }
    direct_meter<bit<2>>(MeterType.packets) dm;
    action act5(bit<31> x0) {
        dm.read(m.color);
        bit<31> v6 = ((3w0x5 + m.m4) ++ ((bit<28>) h.a.f5));
    }
    table t7 {
        key = {
            h.a.f5: optional @name("k0");
        }
        actions = {
            act5;
            @defaultonly NoAction;
        }
        default_action = act5(31w2147483647);
        meters = dm;
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
            if (!h.a.isValid()) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (h.c.isValid() && (m.m1 || m.m1)) {
            m.m5 = fun1((m.m4 & 3w0));
        }
        s.egress_spec = (bit<9>) ((h.a.k0)[3:2] << 2);
        if (!t7.apply().miss) {
            switch ((((bit<1>) h.r.wide) ++ ((m.again != h.r.code) ? m.m0 : ((bit<1>) h.r.right)))) {
                2w2: {
                    switch (((((bit<2>) m.m4) ++ 14w0b1001110000100) << 8w1)) {
                        16w0b1100111010001010: {
                            m.m4 = (m.m4 ^ (((bit<3>) h.a.f5) - m.m4));
                            m.m2 = (!(13w2770 == ((bit<13>) h.a.k1)));
                        }
                    }
                }
                2w0b11: {
                    if (h.d.isValid()) {
                        h.a.f3 = (((int<24>) (int<17>) 17w0x1) << 7w0x66);
                        h.a.k2 = h.a.k2;
                    }
                    m.m5 = fun1(((2w0x3 << 1) ++ (1w0b0 * m.m0)));
                }
            }
            h.a.f6 = h.a.f6;
        }
        h.r.code = ((~48w243882908790459))[46:39];
        if (h.c.isValid() && (h.a.k1 > h.a.k1)) {
            h.a.f6 = ((int<17>) (int<31>) h.a.f2);
            if (h.b.isValid()) {
                if (h.d.isValid()) {
                    h.s[0].setValid();
                    h.s[0].kind = (48w243882908790459)[41:34];
                    h.s[0].f0 = (8s34 << 3);
                }
            }
        }
        switch (((-m.m0) ++ (m.m0 ^ ((bit<1>) h.a.f1)))) {
            2w0b1: {
                s.egress_spec = (bit<9>) ((~m.m0) ++ (-m.m0));
            }
            2w3: {
                switch (((h.a.f1 > ((bit<33>) s.packet_length)) ? (128w83510591794068126545249280921462070048)[97:89] : s.ingress_port)) {
                    9w28: {
                        if ((((h.r.small >= ((bit<16>) ((bit<1>) m.m1))) || (h.a.pad > ((bit<5>) h.a.f1))) && (h.a.f1 != h.a.f1))) {
                            h.r.right = h.r.right;
                            s.egress_spec = (bit<9>) (m.m0 ++ (~m.m0));
                        } else {
                            m.m3[8:1] = ((((bit<8>) s.ingress_port) << 8w7) >> 8w12);
                        }
                        if (((!m.m1) && (h.a.f3 < h.a.f3))) {
                            h.a.k0 = ((h.a.k0 >> 13))[15:0];
                        }
                    }
                    9w511: {
                        if ((h.r.code < h.r.code)) {
                            h.c.setInvalid();
                        }
                    }
                }
                if (h.b.isValid()) {
                    if ((!h.s[1].isValid())) { exit; }
                }
            }
        }
        h.r.code[1:0] = m.color;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets_and_bytes) cnt8;
    counter(1, CounterType.packets) cnt9;
    register<bit<1>>(4) reg10;
    action act11(inout bit<24> d0, bit<63> x0) {
        if (h.s[1].isValid()) {
            h.r.left[23:16] = ((bit<8>) s.ingress_port);
        }
        int<40> v12 = -40s1;
    }
    action act13(out int<64> d0, bit<9> x0) {
        d0 = 64s3190778456796183744;
        if (((m.inner.x != h.r.small) && (h.a.f1 == h.a.f1))) {
            h.r.wide = ((h.a.k2 >= 4w0b11) ? ((bit<64>) 63w1103264977842749846) : (h.r.wide << 32));
        } else {
            h.a.k2 = ((h.a.k2 * h.a.k2) |+| (((bit<4>) m.again) >> 8w4));
        }
        m.m5 = fun1(((~((bit<128>) (bit<63>) m.m5)))[110:108]);
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
        if (h.b.isValid() && (m.m1 && (h.a.f5 < s.egress_rid))) {
            h.a.pad[3:1] = ((2w0x1 ++ m.m0) |-| (h.b.pad | h.b.pad));
            h.a.f1 = ((bit<33>) (128w123467842067502671290928105233665769257)[123:24]);
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m0);
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
