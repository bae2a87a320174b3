#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<8> k1;
    bit<3> k2;
    bit<17> f0;
    bit<9> f1;
    bit<4> f2;
    int<32> f3;
    bit<7> pad;
}
header b_t {
    int<3> f0;
    bit<128> f1;
    bit<5> pad;
}
header c_t {
    bit<8> kind;
    bit<13> f0;
    bit<9> f1;
    bit<13> f2;
    bit<5> pad;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
header v_t {
    bit<8> size;
    bit<24> f0;
    varbit<64> rest;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    v_t v;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(2, 3)
    bit<16> m0;
    @field_list(1)
    bool m1;
    @field_list(1)
    bit<3> m2;
    @field_list(2, 3)
    bool m3;
    bit<1> m4;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2, 3)
    bit<2> color;
    inner_t inner;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set1;
    state start {
        p.extract(h.a);
        m.m4 = m.m4;
        m.m1 = (!(m.m0 >= 16w40852));
        transition select(h.a.k2, h.a.f1) {
            (_, 9w1): at_c;
            (3w0b1, 9w454): at_v;
            (3w0b11, _): accept;
            (3w0b0, 9w0xce &&& 9w128): at_c;
            default: at_c;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w31) * 8);
        transition select(h.v.size) {
            set1: accept;
            8w127: at_c;
            8w0b10110101 .. 8w0b11001011: accept;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.f0 = ((int<3>) (int<9>) ((bit<9>) (bit<48>) ((int<48>) (int<5>) h.b.pad)));
        h.b.pad[4:2] = (((((int<32>) (bit<32>) ((bit<1>) m.m3)) >= ((int<32>) (int<3>) m.m2)) ? m.m2 : 3w3) >> 3);
        transition accept;
    }
    state at_c {
        p.extract(h.c);
        int<64> v2 = ((!true) ? (m.m1 ? ((int<64>) (bit<64>) m.color) : -64s6850689543924009629) : ((m.again <= h.c.kind) ? 64s4028555654363292754 : -64s2519061343082929621));
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
        verify_checksum(h.a.isValid(), { h.a.k1, h.a.f0, 7w0b0 }, h.a.k0, HashAlgorithm.crc16);
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    counter(1, CounterType.packets) cnt3;
    counter(8, CounterType.packets) cnt4;
    action act5() {
        if ((!(!(m.again >= m.again)))) {
            if ((m.m0 <= (16w53414 & 16w33625))) { exit; }
            m.m4 = ((m.m4 |-| ((bit<1>) a.k0)) - (((bit<32>) m.inner.x))[4:4]);
        } else {
            m.m0 = ((bit<16>) (int<16>) a.f3);
        }
    }
    apply {
        a.pad = ((a.pad |+| a.pad) | a.pad);
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.bytes) cnt6;
    action act7(int<16> x0) {
        h.a.k2 = (~m.m2);
        mark_to_drop(s);
    }
    action act8(bit<16> x0) {
        if ((h.a.f0 >= (h.a.f0 * h.a.f0))) {
            m.m1 = (m.m0 >= (true ? h.r.small : h.r.small));
        } else {
            h.a.f2 = (h.a.k2 ++ (h.a.k0)[6:6]);
            h.r.right[10:9] = ((-((bit<1>) h.r.wide)) ++ (-m.m4));
        }
        s.egress_spec = (bit<9>) (32w0x8f4e1967)[9:8];
        h.a.f3 = h.a.f3;
    }
    action act9(out bit<32> d0) {
        d0 = 32w0;
        if (h.b.isValid()) {
            h.r.left = ((!(h.r.left == 32w0xfe3272d4)) ? (((bit<32>) h.a.pad) |+| 32w4294967295) : (((bit<32>) h.a.k2) | s.packet_length));
            h.a.k0[10:0] = ((6w0b111111 + 6w0x16) ++ (h.b.pad ^ h.b.pad));
        }
        if ((!(((int<33>) (bit<33>) s.instance_type) >= ((int<33>) (bit<33>) h.r.small)))) {
            m.m4 = ((m.m3 ? m.m4 : m.m4) << 0);
        }
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
            if (!h.a.isValid()) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (((!h.d.isValid()) && (h.a.f1 <= s.ingress_port))) {
            sub1.apply(h.a, m, (h.a.k1 + h.a.k1));
            act9(h.r.right);
        } else {
            h.a.k2 = ((((bit<128>) s.instance_type) < ((bit<128>) h.a.k2)) ? (m.m2 >> 2) : (m.m2 * ((bit<3>) s.packet_length)));
            h.d.setValid();
            h.d.f0 = (((int<3>) 3w4) & ((int<3>) h.a.f3));
            h.d.f1 = ((bit<128>) h.a.f2);
            h.d.pad = (((bit<5>) h.a.f2) | ((bit<5>) m.m0));
        }
        h.b.setValid();
        h.b.f0 = (((int<3>) (bit<3>) ((bit<1>) m.m3)) - ((int<3>) (bit<3>) ((bit<1>) m.m3)));
        h.b.f1 = ((bit<128>) (int<128>) h.a.f3);
        h.b.pad = (m.color ++ m.m2);
        digest<bit<16>>(1, m.inner.x);
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) cnt10;
    meter(4, MeterType.bytes) mtr11;
    action act12(out bit<48> d0, out bit<2> d1) {
        d0 = 48w281474976710655;
        d1 = 2w3;
        bool v13 = (m.m2 >= (((bit<3>) (int<3>) h.a.f3) | h.a.k2));
    }
    action act14(int<32> x0, int<17> x1) {
        if (h.d.isValid() && (h.a.f2 >= h.a.f2)) {
            m.color = ((x0 < h.a.f3) ? (((bit<2>) (bit<32>) x0) |+| ((bit<2>) h.a.pad)) : (-m.color));
            m.inner.x = ((((bit<15>) ((bit<1>) m.m1)) ++ m.m4) >> h.a.pad);
        }
        bit<64> v15 = ((bit<64>) (int<64>) 17s65535);
        h.r.small = ((bit<16>) (12w0b0 - ((bit<12>) h.a.f2)));
    }
    action act16(out bit<17> d0, out int<5> d1, bit<17> x0) {
        d0 = 17w0;
        d1 = 5s7;
        if ((m.m0 <= (16w39667)[15:0])) {
            d1 = ((int<5>) ((int<3>) (bit<3>) ((bit<65>) m.inner.x)));
        }
        if (h.v.isValid()) {
            h.a.k0 = ((bit<16>) (~((bit<17>) h.r.right)));
            h.r.wide = h.r.wide;
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
        if (h.b.isValid()) {
            h.a.f3 = (h.a.f3 * (((int<32>) (bit<32>) m.m4) + h.a.f3));
        }
        if (((--17s1) <= ((int<17>) (bit<17>) ((bit<12>) m.color)))) {
            bit<12> v17 = ((bit<12>) s.ingress_port);
            if ((h.r.wide <= (((bit<64>) v17) << 5w0b11101))) { return; }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.again);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid() && (!(h.a.pad != 7w30)), { h.a.f0, h.a.k2, h.a.pad, 5w0x0 }, h.r.small, HashAlgorithm.xor16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
