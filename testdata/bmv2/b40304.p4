#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<4> k1;
    bit<6> k2;
    bit<31> f0;
    bit<5> f1;
    bit<13> f2;
    bit<127> f3;
    int<127> f4;
    bit<9> f5;
    bit<100> f6;
    bit<127> f7;
    bit<3> pad;
}
header b_t {
    bit<32> f0;
    bit<127> f1;
    bit<1> f2;
    bit<13> f3;
    bit<3> pad;
}
header c_t {
    bit<8> kind;
    int<33> f0;
    bit<32> f1;
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
    bit<33> f0;
    bit<1> f1;
    bit<1> f2;
    bit<5> pad;
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
    @field_list(1, 3)
    bit<9> m0;
    @field_list(3)
    bit<40> m1;
    bit<1> m2;
    bit<1> m3;
    @field_list(3)
    bit<100> m4;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2, 3)
    bit<2> color;
    inner_t inner;
}
bit<32> fun1(in int<65> p0, in bit<127> p1) {
    return ((bit<32>) (int<32>) ((int<64>) (int<128>) ((bit<128>) 31w1653273321)));
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
        transition select(h.a.k0) {
            16w0b1001101110010100: at_s;
            16w43805 &&& 16w28321: at_u;
            16w0b111111111111111 .. 16w0x7fff: accept;
            16w0b0 &&& 16w32767: accept;
            default: accept;
        }
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition accept; }
    state at_uy { p.extract(h.u.y); transition accept; }
    state at_s {
        p.extract(h.s.next);
        verify((m.again == 8w0xc3) || h.s.last.kind != 1, error.First);
        transition select(h.s.last.kind) {
            set2: accept;
            8w1: accept;
            8w0xff &&& 8w0x2c: accept;
            8w0xb2 &&& 8w1: accept;
            8w178: at_s;
            default: accept;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        transition select(h.c.kind) {
            8w0xac &&& 8w0b1: accept;
            8w0b11111111: at_b;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        m.m1[5:1] = ((4w0x4 ^ 4w0x1) ++ m.m2);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act3(inout bit<64> d0) {
        if ((m.m2 != (~m.m3))) {
            m.m1[0:0] = ((((bit<63>) m.again) >= ((bit<63>) m.m3)) ? (~m.m3) : (m.inner.x)[8:8]);
            s.egress_spec = (bit<9>) (((bit<2>) h.a.f5) & m.color);
        }
    }
    action_selector(HashAlgorithm.identity, 32w64, 32w16) p5;
    table t4 {
        key = {
            h.r.small: exact @name("k0");
            h.c.isValid(): ternary @name("k1");
            h.a.f6: selector @name("s0");
            h.a.k1: selector @name("s1");
        }
        actions = {
            NoAction;
            act3(h.r.wide);
        }
        implementation = p5;
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
            if (true) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (h.u.y.isValid() && (h.a.k1 > ((bit<4>) m.again))) {
            m.m2 = ((~m.m3) | ((((bit<2>) h.a.f6) >= m.color) ? m.m2 : ((bit<1>) m.inner.x)));
        }
        if (h.c.isValid()) { h.u.y = h.c; }
        h.s[1].setValid();
        h.s[1].kind = m.again;
        h.s[1].f0 = ((h.b == h.u.x) ? ((bit<33>) h.a.pad) : ((bit<33>) m.m1));
        h.s[1].f1 = m.m2;
        h.s[1].f2 = (m.m2 - ((bit<1>) h.a.f1));
        h.s[1].pad = (((bit<5>) h.r.left) | h.a.f1);
        if ((m.inner.x != (h.r.small >> ((bit<8>) h.a.k2)))) {
            t4.apply();
            h.r.code = ((m.again & m.again) |+| (~m.again));
        } else {
            if (h.d.isValid()) {
                h.u.x = { (32w0x165e7c7a & h.r.left), (-h.a.f7), (((bit<1>) h.a.f5) * m.m3), (h.a.k0)[14:2], (h.a.pad >> 1) };
                if (h.d.isValid()) { h.u.x = h.d; }
            }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt6;
    action act7(in int<65> d0, bit<3> x0) {
        m.m0 = ((h.r.code ++ m.m3) |+| (s.egress_port * m.m0));
    }
    action_selector(HashAlgorithm.crc16, 32w64, 32w16) p9;
    table t8 {
        key = {
            h.r.left: exact @name("k0");
            h.u.y.isValid(): ternary @name("k1");
            m.m2: selector @name("s0");
        }
        actions = {
            NoAction;
        }
        implementation = p9;
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
        h.u.x.setInvalid();
        h.a.k2 = (-(h.a.k2 * h.a.k2));
        t8.apply();
        h.r.wide = h.r.wide ^ ((bit<64>) m.color);
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
