#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<4> k0;
    bit<8> k1;
    bit<6> k2;
    bit<4> f0;
    bit<64> f1;
    bit<12> f2;
    bit<16> f3;
    bit<4> f4;
    bit<127> f5;
    bit<3> pad;
}
header b_t {
    bit<16> f0;
}
header c_t {
    bit<8> kind;
    bit<48> f0;
    bit<100> f1;
    bit<12> f2;
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
    int<64> f0;
}
header_union u_t { b_t x; c_t y; }
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[2] s;
    u_t u;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(2)
    bit<40> m0;
    @field_list(2)
    bit<5> m1;
    @field_list(1)
    bit<17> m2;
    @field_list(2)
    bit<3> m3;
    @field_list(1)
    bool m4;
    @field_list(2)
    bit<2> m5;
    @field_list(1, 2)
    int<40> m6;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2, 3)
    bit<2> color;
    inner_t inner;
}
int<127> fun1(in int<48> p0) {
    if (true) { return (~((int<127>) p0)); }
    return ((int<127>) (bit<127>) ((((bit<48>) p0) << 8w26) ^ (35w0 ++ 13w5810)));
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
        m.m1 = ((h.a.f5 < h.a.f5) ? (m.m1 + m.m1) : ((h.a.f5 != 127w0x4b550ce07aca5f9eba410182f3d74af6) ? m.m1 : 5w31));
        m.m3 = ((((bit<1>) h.a.f5) ++ ((bit<1>) h.a.k1)) ++ (((bit<1>) h.a.f1) << ((bit<1>) m.m4)));
        transition select(h.a.f3) {
            _: at_b;
            16w32767: accept;
            16w0b1001011010111011: at_s;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f0) {
            16w63594: at_u;
            16w0x0 .. 16w0b1110110010110010: at_s;
            16w0x1088 &&& 16w0x7fff: at_s;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind, p.lookahead<bit<4>>()) {
            (8w0b11010111, _): at_u;
            (8w0x0, _): at_c;
            (8w0b11001111, _): accept;
            (8w0b1111111 &&& 8w0x25, _): at_s;
            default: at_u;
        }
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition accept; }
    state at_uy { p.extract(h.u.y); transition accept; }
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
    counter(4, CounterType.packets_and_bytes) cnt2;
    counter(4, CounterType.packets_and_bytes) cnt3;
    meter(4, MeterType.packets) mtr4;
    action act5(in bit<64> d0, out bit<33> d1) {
        d1 = 33w0x844fdb30;
        if ((m.m1 >= (~((bit<5>) a.f0)))) {
            a.f3 = (((d1 < ((bit<33>) a.pad)) ? a.f2 : a.f2) ++ ((bit<4>) ((bit<63>) a.f3)));
            mtr4.execute_meter<bit<2>>((bit<32>) (((bit<1>) a.k2) ++ ((bit<1>) a.f1)), m.color);
        }
    }
    apply {
        a.pad = ((((bit<128>) (bit<40>) m.m6) - ((bit<128>) m.m0)))[82:80];
        m.m2 = ((m.m4 && (a.f3 <= ((bit<16>) a.f5))) ? (m.m2 * m.m2) : (((bit<13>) a.f4) ++ a.f0));
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act6(bit<2> x0) {
        if (h.c.isValid()) {
            m.m1[1:1] = (h.b.isValid() ? (((bit<1>) h.a.k0) |+| ((bit<1>) h.r.code)) : (~1w0x0));
        }
    }
    action act7(out bit<3> d0, in bit<32> d1, int<31> x0) {
        d0 = 3w0b0;
        h.r.code = ((bit<8>) (int<8>) fun1(((int<48>) (bit<48>) (m.m4 ? 33w1692705109 : ((bit<33>) m.m3)))));
        if (((!h.s[1].isValid()) && (-64s3940082648489651775 < ((int<64>) (int<32>) h.r.left)))) {
            bit<64> v8 = h.r.wide;
        }
        if (h.d.isValid()) {
            h.a.k0 = (h.a.f4 + (((bit<48>) h.r.right))[14:11]);
        }
    }
    direct_counter(CounterType.packets_and_bytes) dc10;
    table t9 {
        key = {
            h.a.f5: ternary @name("k0");
            m.m0: optional @name("k1");
        }
        actions = {
            NoAction;
            act6;
            act7(m.m3, s.packet_length);
        }
        const default_action = NoAction();
        counters = dc10;
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
            if (!h.a.isValid()) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (h.s[0].isValid()) {
            m.m1 = ((bit<5>) (int<5>) fun1(((m.m4 ? ((int<48>) (int<64>) h.a.f1) : ((int<48>) (int<3>) h.a.pad)) * (((int<48>) (int<4>) h.a.f0) * -48s1))));
        }
        if (((m.m1 |+| m.m1) < (m.m1 - m.m1))) {
            switch (s.ingress_port) {
                9w365: {
                    h.r.code = ((bit<8>) (bit<127>) fun1(((int<48>) (int<17>) m.m2)));
                    t9.apply();
                }
                default: {
                    if ((h.b.isValid() || (h.a.f4 >= h.a.f0))) {
                        h.a.pad = m.m3;
                        if ((!h.c.isValid())) { return; }
                    }
                    if (h.u.y.isValid()) { h.c = h.u.y; }
                }
            }
            h.u.y.setInvalid();
        }
        if (h.u.x.isValid() && (h.r.small != h.r.small)) {
            hash(h.r.code, HashAlgorithm.crc32, 8w0x3d, { h.a.k0, m.m5, h.u.x.f0 }, 32w0);
        }
        if ((((int<2>) (bit<2>) ((bit<1>) m.m4)) <= (((int<2>) (int<64>) h.r.wide) >> 8w6))) {
            if ((m.again > (m.again | h.a.k1))) {
                if (h.u.y.isValid()) {
                    s.egress_spec = (bit<9>) ((((bit<128>) (int<128>) m.m6))[11:10] |+| (~m.color));
                    h.r.left = h.r.right;
                }
            }
            if (h.s[0].isValid() && ((h.s[0].f0 <= h.s[0].f0) || (h.a.k1 == h.r.code))) {
                if (h.s[0].isValid()) {
                    h.c.setValid();
                    h.c.kind = h.s[0].kind;
                    h.c.f0 = ((bit<48>) (bit<32>) ((int<32>) (bit<32>) h.a.k1));
                    h.c.f1 = 100w1232553841654770075314922783501;
                    h.c.f2 = (h.a.f2 ^ ((bit<12>) h.r.wide));
                    h.a.f1 = ((h.u.x.isValid() ? h.r.wide : h.r.wide) + (~h.r.wide));
                }
            }
        } else {
            h.c.setInvalid();
            h.a.f4 = ((bit<4>) (32w0x8f144d10)[24:9]);
        }
        if (h.c.isValid() && (!(h.a.k0 < h.a.f0))) {
            m.m2 = ((bit<17>) (bit<127>) fun1(((48s1 ^ 48s127776048841365) |-| ((int<48>) (bit<48>) m.m0))));
            int<17> v11 = (((int<17>) (bit<17>) s.ingress_port) |+| ((int<17>) ((int<7>) (bit<7>) m.again)));
        }
        bit<24> v12 = ((((int<12>) (int<8>) m.again) < -12s1171) ? ((bit<24>) h.a.k1) : ((bit<24>) ((bit<33>) m.m1)));
        sub1.apply(h.a, m, (h.r.code * m.again));
        sub2.apply(h.a, m, (h.a.k2 ++ m.m5));
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act13(inout int<127> d0, inout int<40> d1, bit<7> x0) {
        d0 = fun1((-((m.m6 == 40s460956580481) ? ((int<48>) (bit<48>) h.r.left) : ((int<48>) (bit<48>) h.a.f4))));
        if ((h.a.f0 == ((m.m6 >= m.m6) ? h.a.f0 : h.a.f4))) {
            h.r.left = ((48w2332096533167)[34:24] ++ (((bit<21>) (int<21>) d0) >> 9));
            h.a.f4 = ((h.a.f0 - h.a.k0) |+| ((s.instance_type < h.r.right) ? h.a.f4 : h.a.f4));
        }
        if (h.d.isValid() && (h.r.wide == h.r.wide)) {
            h.a.k0[0:0] = (-(((bit<1>) (bit<40>) m.m6) >> 0));
        }
    }
    action act14(in bit<8> d0, out bit<33> d1, int<48> x0, bit<3> x1) {
        d1 = 33w0;
        if (h.u.y.isValid()) { exit; }
        if (h.d.isValid() && (h.r.right < s.instance_type)) {
            h.r.left = (h.s[1].isValid() ? ((bit<32>) ((bit<65>) (bit<40>) m.m6)) : (-h.r.right));
        }
    }
    table t15 {
        key = {
            s.ingress_port: lpm @name("k0");
            h.a.f0: range @name("k1");
        }
        actions = {
            NoAction;
        }
        const default_action = NoAction();
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
        if (h.u.x.isValid() && (((bit<32>) h.a.k0) > h.r.left)) {
            switch (((1w0x1 ++ ((bit<1>) m.color)) | (h.r.right)[10:9])) {
                2w0b0:
                2w0b1: {
                    mark_to_drop(s);
                    h.s.pop_front(1);
                }
                default: {
                    m.inner.x = ((bit<16>) (int<16>) fun1(((((int<48>) (bit<48>) h.r.code) - 48s54049530943994) - ((int<48>) (int<3>) m.m3))));
                }
            }
            if (((h.a.f2 < h.a.f2) || (h.r.code > 8w1))) {
                h.a.pad = ((~m.m5) ++ 1w1);
                bit<2> v16 = ((s.ingress_port > s.ingress_port) ? ((bit<2>) (int<2>) ((int<65>) (int<2>) m.color)) : (-((bit<2>) h.a.k1)));
            }
        }
        t15.apply();
        h.r.wide = h.r.wide ^ ((bit<64>) m.m2);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid() && (h.a.f1 < h.a.f1), { h.a.f3, h.a.f1, h.a.k0, h.a.k1, 4w0 }, h.r.small, HashAlgorithm.xor16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); p.emit(h.u); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
