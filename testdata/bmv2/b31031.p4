#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<6> k1;
    bit<16> k2;
    bit<5> f0;
    bit<24> f1;
    bit<64> f2;
    bit<8> f3;
    bit<5> pad;
}
header b_t {
    bit<63> f0;
    bit<1> pad;
}
header c_t {
    bit<8> kind;
    bit<9> f0;
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
    int<9> f0;
    int<128> f1;
    bit<7> pad;
}
header v_t {
    bit<8> size;
    bit<63> f0;
    bit<1> pad;
    varbit<64> rest;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[2] s;
    v_t v;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(3)
    bit<128> m0;
    @field_list(2)
    bit<63> m1;
    bit<4> m2;
    int<8> m3;
    @field_list(2)
    int<48> m4;
    bit<12> m5;
    bit<17> m6;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 3)
    bit<2> color;
    inner_t inner;
}
int<63> fun1(out int<16> p0, inout int<9> p1, inout int<16> p2) {
    p0 = 16s1;
    p2 = ((int<16>) (int<12>) (((bit<12>) (int<12>) p2) * 12w0b101101111100));
    p1 = p1;
    if (((p1 != p1) && (true || (p1 != 9s0)))) { return (((int<63>) (bit<63>) ((bit<31>) (bit<9>) p1)) * ((int<63>) ((int<31>) p0))); }
    return ((p1 > (~p1)) ? (~((int<63>) (bit<63>) ((bit<33>) (int<33>) p0))) : (-((100w0x0 < ((bit<100>) (int<100>) p0)) ? ((int<63>) p2) : ((int<63>) p2))));
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set2;
    state start {
        p.extract(h.a);
        transition select(h.a.k0, p.lookahead<bit<4>>()) {
            (8w0x73, _): accept;
            (8w0xcf .. 8w0xcf, _): accept;
            (8w0x3c .. 8w0x94, _): at_v;
            (8w0b11111001, _): at_b;
            default: at_v;
        }
    }
    state at_b {
        p.extract(h.b);
        transition at_s;
    }
    state at_c {
        p.extract(h.c);
        verify((m.m1 == m.m1) || h.c.kind != 1, error.Second);
        transition select(h.c.f0) {
            9w0x20 .. 9w0b100000: at_v;
            9w0x1bb: accept;
            default: at_s;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w31) << 3);
        verify((!false) || h.v.size != 1, error.First);
        transition select(h.v.size) {
            set2: at_s;
            8w0xd: at_s;
            8w0xcf: accept;
            8w0x32: accept;
            _: accept;
            default: at_s;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            _: accept;
            8w0xff: at_s;
            8w0x74 .. 8w0b10010100: at_s;
            default: accept;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
        verify_checksum(h.a.isValid(), { h.a.f0, h.a.k1, h.a.f1, h.a.f0, 8w0 }, h.a.k2, HashAlgorithm.csum16);
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt3;
    counter(1, CounterType.packets) cnt4;
    action act5(bit<4> x0) {
        bit<16> v6 = ((-((bit<3>) h.a.pad)) ++ (h.a.f2)[23:11]);
        cnt3.count((bit<32>) ((bit<2>) h.r.right));
    }
    action act7(in bit<128> d0, bit<12> x0, bit<12> x1) {
        if (h.d.isValid()) {
            h.a.k2 = h.a.k2;
            h.r.code = (~((bit<8>) (bit<5>) 5s0));
        }
        if ((h.c.isValid() && (31w0x291dbac9 < 31w0xe180560))) {
            m.m3 = m.m3;
            cnt3.count((bit<32>) (m.color & m.color));
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
            if (!h.a.isValid()) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        h.s[0] = { (s.packet_length)[16:9], ((int<9>) (bit<9>) 13w4095), ((int<128>) (bit<128>) ((bit<40>) m.m1)), 7w0x0 };
        m.m3 = ((m.m3 |+| m.m3) |-| (~m.m3));
        cnt4.count(0);
        s.egress_spec = (bit<9>) (((m.m5 <= m.m5) ? m.color : m.color) * (m.color >> 0));
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) cnt8;
    action act9(in int<127> d0) {
        bit<1> v10 = ((((bit<48>) h.r.code) & ((bit<48>) s.egress_port)))[11:11];
        m.inner.x = (~h.a.k2);
        m.color = ((m.color << 0) + ((bit<2>) m.m2));
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
            h.a.k1 = ((((bit<64>) h.a.f3))[39:38] ++ (~m.m2));
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m2);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid(), { h.a.f1, h.a.k0 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
