#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<4> k1;
    bit<3> k2;
    bit<48> f0;
    bit<13> f1;
    bit<24> f2;
    bit<4> pad;
}
header b_t {
    bit<128> f0;
    int<3> f1;
    bit<5> pad;
}
header c_t {
    bit<8> kind;
    bit<5> f0;
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
    bit<32> f0;
    bit<4> f1;
    bit<63> f2;
    bit<5> pad;
}
header v_t {
    bit<8> size;
    varbit<64> rest;
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
    bit<63> m0;
    @field_list(2)
    bit<65> m1;
    @field_list(1)
    bit<9> m2;
    @field_list(1, 2, 3)
    bool m3;
    @field_list(1)
    int<3> m4;
    int<48> m5;
    @field_list(1, 2, 3)
    bit<8> again;
    bit<2> color;
    inner_t inner;
}
bit<1> fun1(in int<65> p0) {
    if (((!false) || ((p0 == 65s15234484586395663049) || (9w0b1 < 9w0b0)))) { return ((17s27826 >= ((int<17>) p0)) ? (((bit<1>) (bit<65>) p0) ^ 1w0b0) : (~1w0x0)); }
    return (~((~((bit<1>) (bit<65>) p0)) * ((bit<1>) (bit<65>) p0)));
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
    value_set<bit<8>>(4) set2;
    Sub() sub;
    state start {
        p.extract(h.a);
        h.a.f2 = ((-((bit<32>) h.a.pad)))[27:4];
        h.a.k2 = ((m.color & m.color) ++ ((h.a.f0 <= h.a.f0) ? 1w0x1 : 1w0));
        transition select(h.a.k0, h.a.k1) {
            (8w0x99 &&& 8w0xa5, 4w0x7 &&& 4w0b1101): accept;
            default: at_u;
        }
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition accept; }
    state at_uy { p.extract(h.u.y); transition accept; }
    state at_b {
        p.extract(h.b);
        transition at_c;
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            set2: at_c;
            8w0x0 .. 8w0b1010101: at_c;
            8w0b1011101: at_s;
            default: at_v;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w15) << 3);
        transition select(h.v.size) {
            8w0: accept;
            default: accept;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        m.m5 = (((((int<64>) (bit<64>) m.m2) < ((int<64>) (bit<64>) ((bit<1>) m.m3))) ? m.m5 : m.m5) | (m.m5 |-| 48s78595768648181));
        h.c.f0 = 5w0b1111;
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) cnt3;
    register<bit<13>>(16) reg4;
    action act5(bit<32> x0) {
        h.r.code = ((-h.r.code) ^ (8w0b1 * 8w108));
        if (h.u.y.isValid() && (!false)) {
            h.r.small = ((bit<16>) fun1((-((int<65>) (int<32>) x0))));
            s.egress_spec = (bit<9>) ((!(m.color < ((bit<2>) h.r.wide))) ? (m.color & m.color) : (((bit<2>) s.instance_type) ^ m.color));
        }
        m.m3 = ((h.r.left <= h.r.left) && h.v.isValid());
    }
    direct_counter(CounterType.packets_and_bytes) dc7;
    table t6 {
        key = {
            h.r.code: range @name("k0");
            (~(((bit<8>) h.r.wide) |+| h.a.k0)): range @name("k1");
            12w0x51: exact @name("k2");
        }
        actions = {
            NoAction;
        }
        default_action = NoAction();
        counters = dc7;
    }
    action_profile(64) p9;
    table t8 {
        key = {
            h.a.f0: ternary @name("k0");
        }
        actions = {
            NoAction;
            act5;
        }
        implementation = p9;
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
        if ((m.m5 < (-48s33794582007116 - m.m5))) {
            h.r.right[29:8] = ((48w190845782327144)[24:7] ++ ((m.inner.x != 16w0x7cdd) ? h.a.pad : h.a.pad));
            s.egress_spec = (bit<9>) m.color;
        }
        bit<40> v10 = ((((bit<40>) m.color) * ((bit<40>) h.a.pad)) |+| (((bit<7>) (bit<48>) m.m5) ++ 33w0x1a5cb26b8));
        cnt3.count((bit<32>) ((bit<2>) h.a.f0));
        t6.apply();
        if (t8.apply().hit) {
            if (((15w0x1 ++ ((bit<49>) m.again)) < ((h.a.k2 < h.a.k2) ? h.r.wide : h.r.wide))) {
                h.d.setInvalid();
                digest<bit<16>>(1, m.inner.x);
            } else {
                m.m4 = ((m.m3 || (m.m5 < m.m5)) ? (-m.m4) : ((int<3>) 7s31));
                h.r.code = ((bit<8>) fun1(((m.m3 && h.s[2].isValid()) ? (~((int<65>) (int<8>) h.a.k0)) : ((int<65>) ((int<17>) (bit<17>) m.m1)))));
            }
        } else {
            h.a.k0 = ((bit<8>) fun1(((-65s3312702898771223757 >> h.a.k2) |-| (((int<65>) (int<16>) h.r.small) >> 57))));
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.bytes) cnt11;
    action act12(int<128> x0, bit<1> x1) {
        m.m4 = ((-((int<3>) (bit<3>) h.r.left)) * (~m.m4));
    }
    action act13(in bit<40> d0, bit<63> x0) {
        h.a.k2 = ((~h.a.k2) >> h.r.code);
        if ((h.v.isValid() && ((7s14 == ((int<7>) m.m4)) && (((int<7>) (bit<7>) s.ingress_port) > 7s16)))) {
            int<128> v14 = ((((int<128>) (bit<128>) h.a.f2) >> 49) & (~((int<128>) (bit<128>) h.a.f0)));
            if (((m.m3 || m.m3) && (-40s1 != 40s549755813887))) { exit; }
        }
        if ((((bit<24>) h.a.f1) > (((bit<64>) m.again))[47:24])) {
            m.m0 = ((bit<63>) fun1(((int<65>) (bit<65>) 1w0x0)));
            h.a.f1 = ((bit<13>) fun1(65s15234484586395663049));
        }
    }
    direct_counter(CounterType.packets_and_bytes) dc16;
    table t15 {
        key = {
            h.a.f0: lpm @name("k0");
            h.a.k2: exact @name("k1");
        }
        actions = {
            NoAction;
            act12;
            act13(((-12w0x524) ++ ((bit<28>) (bit<12>) ((int<12>) (int<16>) m.inner.x))));
        }
        const entries = {
            (48w0xf3e96f50a321 &&& 48w281474976710655, 3w0b1): act12(128s100501384122079294085042167866820244188, 1w0b0);
            (48w281406257233920 &&& 48w0xfff000000000, 3w1): act12(128s100501384122079294085042167866820244188, 1w1);
            (48w105894192128 &&& 48w281474976710400, 3w0x6): act13(((-12w0x524) ++ ((bit<28>) (bit<12>) ((int<12>) (int<16>) m.inner.x))), 63w6629198782148324971);
        }
        const default_action = act12(128s79985305189147966462573813013146555643, 1w0b1);
        counters = dc16;
        size = 1024;
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
        switch (t15.apply().action_run) {
            NoAction: {
                m.m1[31:1] = ((bit<31>) (((bit<1>) m.m1) >> 8w5));
            }
            act13: {
                m.m3 = (m.m5 > m.m5);
                h.a.k2 = h.a.k2;
            }
            default: {
                if (h.b.isValid()) {
                    m.m5 = ((48s1 |+| m.m5) << 8w13);
                    if (h.s[1].isValid()) { h.s[0] = h.s[1]; }
                }
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.inner.x);
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
