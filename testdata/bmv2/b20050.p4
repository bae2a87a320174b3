#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<6> k1;
    bit<4> k2;
    int<9> f0;
    int<12> f1;
    bit<9> f2;
    int<63> f3;
    bit<48> f4;
    bit<31> f5;
    bit<8> f6;
    int<33> f7;
    bit<6> pad;
}
header b_t {
    bit<32> f0;
    bit<127> f1;
    bit<64> f2;
    bit<17> f3;
}
header c_t {
    bit<8> kind;
    int<4> f0;
    bit<32> f1;
    bit<63> f2;
    bit<5> pad;
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
    bit<48> f0;
    bit<65> f1;
    bit<17> f2;
    bit<6> pad;
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
    @field_list(1, 2)
    int<127> m0;
    @field_list(1, 2, 3)
    bit<63> m1;
    bit<12> m2;
    @field_list(1)
    bit<127> m3;
    @field_list(1)
    bool m4;
    @field_list(1, 2)
    bit<65> m5;
    bit<8> m6;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 2)
    bit<2> color;
    inner_t inner;
}
bit<4> fun1(in int<13> p0, in bit<7> p1) {
    return ((bit<4>) p1);
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set2;
    state start {
        p.extract(h.a);
        h.a.f1 = (((int<12>) ((int<2>) h.a.f3)) |+| h.a.f1);
        transition select(h.a.k0) {
            3w4 &&& 3w0x1: at_u;
            3w0b1: at_c;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        transition accept;
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition at_c; }
    state at_uy { p.extract(h.u.y); transition at_c; }
    state at_c {
        p.extract(h.c);
        transition select(h.c.kind) {
            _: at_s;
            8w0xff &&& 8w61: accept;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            set2: at_s;
            8w127 .. 8w127: at_s;
            8w0: accept;
            8w0x7f: at_s;
            8w45: accept;
            default: accept;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets_and_bytes) cnt3;
    action act4() {
        if (h.s[0].isValid()) {
            m.m6 = ((bit<8>) (12w0x1 ++ ((bit<5>) m.color)));
        }
        bit<9> v5 = ((h.a.f2 >> m.color) << 1w0b1);
    }
    action act6(int<13> x0) {
        m.m6 = ((m.m4 ? ((bit<5>) h.r.right) : 5w0b1111) ++ (-3w0));
        if (h.b.isValid()) {
            if (m.again < 3 && (h.r.small > m.inner.x)) { m.again = m.again + 1; clone_preserving_field_list(CloneType.I2E, 32w3, 3); }
        }
    }
    action act7() {
        if (h.u.y.isValid()) {
            h.u.y.f1 = ((bit<32>) (m.m4 ? 17w0x1 : 17w0b1));
        }
        if ((h.r.wide > (((bit<64>) (int<64>) h.a.f3) |+| h.r.wide))) {
            m.m4 = (m.m0 > ((int<127>) h.a.f3));
            h.a.f5 = (~(h.a.f5 & h.a.f5));
        } else {
            if (m.again < 3 && (((int<40>) h.a.f7) < ((int<40>) (bit<40>) h.a.k1))) { m.again = m.again + 1; clone_preserving_field_list(CloneType.I2E, 32w0x2, 3); }
        }
        if (((m.m5 >> 8w22) == ((h.r.wide != h.r.wide) ? m.m5 : 65w0x1422fbf5a49c4fb16))) {
            h.a.k1 = ((bit<6>) (13w0xfff | ((bit<13>) h.r.wide)));
        } else {
            h.a.f2 = ((-s.ingress_port) - s.ingress_port);
        }
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
        if (h.d.isValid() && h.u.y.isValid()) {
            if ((!m.m4)) {
                act4();
                bit<64> v8 = ((h.a.f0 < h.a.f0) ? ((bit<64>) s.packet_length) : (h.r.wide - 64w8594616240053611842));
            }
        }
        if (m.again < 3 && (h.a.k2 <= h.a.k2)) { m.again = m.again + 1; clone(CloneType.I2E, 32w1); }
        if (h.c.isValid()) { h.u.y = h.c; }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.bytes) cnt9;
    action act10(out int<127> d0, in bit<7> d1) {
        d0 = 127s0;
        if ((!(m.m4 || m.m4))) { exit; }
        bit<17> v11 = ((-((bit<17>) (bit<127>) m.m0)) * ((h.a.f6 >= h.a.f6) ? ((bit<17>) m.m1) : 17w0b10101000011101110));
        hash(m.m6, HashAlgorithm.xor16, 16w55, { h.r.right, m.m1, v11, h.a.f5 }, 32w1);
    }
    action act12(int<40> x0, int<31> x1) {
        h.a.k1[1:0] = ((bit<2>) ((bit<24>) (bit<33>) h.a.f7));
    }
    action act13(out bit<127> d0, int<4> x0) {
        d0 = 127w170013716174387965499310132766895882032;
        if (h.b.isValid()) {
            if (((128w296081193143459242465183983970391962776)[127:0] <= ((bit<128>) m.m2))) { return; }
            h.a.k2 = fun1((-(-13s3429 | ((int<13>) (int<16>) h.r.small))), ((((bit<7>) h.a.k2) << ((bit<1>) m.m4)) >> h.a.k0));
        } else {
            if ((m.color == (true ? ((bit<2>) h.a.pad) : 2w0x3))) { exit; }
        }
        bool v14 = (s.egress_port == ((bit<9>) 100w0x0));
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
        act10(m.m0, ((m.m3 >= m.m3) ? 7w0x0 : (((bit<7>) (int<7>) h.a.f3) ^ ((bit<7>) h.r.right))));
        h.r.wide = h.r.wide ^ ((bit<64>) m.m2);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); p.emit(h.u); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
