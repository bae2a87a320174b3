#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<16> k1;
    bit<3> k2;
    bit<127> f0;
    bit<4> f1;
    bit<5> f2;
    bit<31> f3;
    bit<16> f4;
    bit<12> f5;
    bit<12> f6;
    bit<48> f7;
    bit<6> pad;
}
header b_t {
    bit<12> f0;
    bit<16> f1;
    bit<4> pad;
}
header c_t {
    bit<8> kind;
    bit<33> f0;
    bit<3> f1;
    bit<24> f2;
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
    bit<4> f0;
    bit<4> pad;
}
header_union u_t { b_t x; c_t y; }
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[4] s;
    u_t u;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(2)
    bit<127> m0;
    @field_list(2, 3)
    bit<4> m1;
    @field_list(2)
    int<13> m2;
    bit<13> m3;
    @field_list(2, 3)
    int<5> m4;
    @field_list(3)
    bool m5;
    bit<40> m6;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1)
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
        m.m4 = (-((int<5>) (bit<5>) 32w0));
        transition select(h.a.k2) {
            3w0x0 .. 3w0: accept;
            3w0b1 &&& 3w0x3: at_s;
            default: accept;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        transition select(h.c.kind) {
            8w1: at_b;
            8w0b1 &&& 8w0x9f: accept;
            default: at_u;
        }
    }
    state at_s {
        p.extract(h.s.next);
        verify((m.m3 == m.m3) || h.s.last.kind != 1, error.Second);
        transition select(h.s.last.kind) {
            8w0b0 .. 8w157: at_u;
            default: at_s;
        }
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition accept; }
    state at_uy { p.extract(h.u.y); transition accept; }
    state at_b {
        p.extract(h.b);
        h.b.pad = (-(m.m1 & m.m1));
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act1(out int<17> d0, out bit<48> d1, bit<9> x0) {
        d0 = 17s65535;
        d1 = 48w281474976710655;
        if (m.m5) {
            hash(m.m3, HashAlgorithm.crc32_custom, 32w0x4e, { h.a.f0, m.again, h.a.k0, h.a.k2 }, 17w0x7);
            h.a.f2 = ((bit<5>) (bit<65>) (65s18446744073709551615 | ((int<65>) (bit<65>) m.m0)));
        }
        s.egress_spec = (bit<9>) ((bit<2>) ((bit<63>) s.packet_length));
        if (h.u.x.isValid()) {
            hash(h.r.code, HashAlgorithm.identity, 16w2, { h.a.f1 }, 32w0x7);
            if ((h.u.y.isValid() || (((bit<128>) h.a.k0) < ((bit<128>) h.r.code)))) { exit; }
        }
    }
    action act2(bit<32> x0) {
        if (h.d.isValid() && (!h.s[0].isValid())) {
            h.a.f2[2:1] = (((bit<2>) h.a.f5) & (1w0b1 ++ 1w0b1));
            h.a.f0 = ((m.m6 > m.m6) ? ((bit<127>) 1w0) : (h.a.f0 >> 30));
        }
        h.r.small = (((h.a.k1 > m.inner.x) ? m.inner.x : m.inner.x) >> 10);
        if (((((bit<2>) h.a.k1) < m.color) && h.d.isValid())) { exit; }
    }
    action act3(int<9> x0) {
        if ((!(h.a.k1 > ((bit<16>) (bit<13>) m.m2)))) {
            h.a.k1 = (h.a.k1 << 12);
        }
    }
    table t4 {
        key = {
            m.m2: ternary @name("k0");
        }
        actions = {
            NoAction;
            act2;
            act3;
        }
        default_action = act3(9s255);
        size = 128;
    }
    action_profile(64) p6;
    table t5 {
        key = {
            ((h.a.f1 << 8w12) >> m.color): range @name("k0");
        }
        actions = {
            NoAction;
            act2;
            act3;
        }
        implementation = p6;
        size = 1024;
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
        h.r.wide[1:0] = m.color;
        h.a.f6 = ((-((bit<11>) h.a.f5)) ++ 1w0x0);
        m.inner.x[14:8] = (((h.a.f6 == h.a.f6) ? ((bit<64>) (int<64>) m.m2) : h.r.wide))[61:55];
        t4.apply();
        if (t5.apply().miss) {
            if ((h.a.f7 != 48w53778480102334)) {
                h.r.left = ((bit<32>) (~((bit<1>) h.a.f7)));
            }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act7() {
        if ((h.a.f6 == 12w2598)) {
            bool v8 = (!(h.a.k2 > h.a.k2));
        }
        if (h.u.x.isValid()) {
            hash(h.u.x.f1, HashAlgorithm.crc16_custom, 16w97, { h.a.k0 }, 32w0x3);
        }
    }
    action act9(in bit<1> d0, out int<2> d1, bit<3> x0) {
        d1 = 2s1;
        if ((h.a.k0 <= (~8w1))) { return; }
        if (m.again < 2 && m.m5) { m.again = m.again + 1; recirculate_preserving_field_list(2); }
        if ((d0 >= (16w0x48b2)[13:13])) {
            h.a.f7 = h.a.f7;
            if (m.again < 3 && h.u.y.isValid()) { m.again = m.again + 1; clone_preserving_field_list(CloneType.E2E, 32w0x2, 3); }
        } else {
            m.m2 = ((m.m2 + m.m2) << 8w17);
            int<63> v10 = ((int<63>) (bit<63>) m.again);
        }
    }
    action act11(in bit<127> d0, bit<9> x0, bit<128> x1) {
        bit<64> v12 = h.r.wide;
        if (h.c.isValid() && ((h.a.f1 == h.a.f1) || (h.a.f5 > h.a.f6))) {
            h.c.kind = (-(~h.c.kind));
            m.m4 = ((m.m4 - 5s15) ^ (((int<5>) (bit<5>) m.m0) >> 0));
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
        bit<17> v13 = ((bit<17>) ((bit<5>) ((bit<63>) h.a.f6)));
        h.a.f2 = h.a.f2;
        h.r.wide = h.r.wide ^ ((bit<64>) (int<64>) m.m4);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum_with_payload(h.r.isValid() && h.a.isValid() && (h.a.f6 >= h.a.f6), { h.a.f3, h.a.k0, h.a.f6, h.a.k1, 13w0b0 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); p.emit(h.u); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
