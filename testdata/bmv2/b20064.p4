#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<4> k1;
    bit<6> k2;
    bit<40> f0;
    bit<64> f1;
    bit<65> f2;
    bit<128> f3;
    bit<17> f4;
    bit<1> pad;
}
header b_t {
    int<100> f0;
    int<16> f1;
    bit<100> f2;
}
header c_t {
    bit<8> kind;
    bit<9> f0;
    bit<63> f1;
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
    bit<7> pad;
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
    @field_list(1, 2, 3)
    bit<63> m0;
    @field_list(3)
    bit<63> m1;
    @field_list(1)
    int<31> m2;
    @field_list(1, 2, 3)
    bit<8> again;
    bit<2> color;
    inner_t inner;
}
bit<63> fun1(in bit<2> p0) {
    if ((!(!(p0 > p0)))) { return ((false ? ((bit<64>) p0) : 64w0))[63:1]; }
    return (((((bit<128>) p0))[83:53] >> 8w31) ++ ((((bit<17>) p0) ++ ((bit<9>) p0)) ++ ((bit<6>) p0)));
}
bit<63> fun2(inout bit<17> p0, in bit<64> p1) {
    p0[2:1] = ((bit<2>) (((bit<98>) p0) ++ ((bit<29>) p1)));
    if (((-48s103137647071973 == ((int<48>) (int<64>) p1)) || (!(p1 >= p1)))) { return ((((bit<63>) p1) | 63w0x3fffffffffffffff) * ((bit<63>) 8w0x3c)); }
    return ((~(p1 & p1)))[62:0];
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<6>>(4) set3;
    state start {
        p.extract(h.a);
        m.m2 = (-(false ? m.m2 : m.m2));
        transition select(h.a.k2) {
            set3: accept;
            6w0b0: at_b;
            6w0b10011 &&& 6w0x2c: at_b;
            default: at_b;
        }
    }
    state at_c {
        p.extract(h.c);
        h.c.kind = ((bit<8>) (((bit<48>) h.c.kind))[35:3]);
        bit<40> v4 = ((((bit<40>) (bit<31>) m.m2) << m.color) & ((bit<40>) 24w0x72b2fd));
        transition select(h.c.f0) {
            9w0x8f: at_b;
            9w0x1b0: accept;
            default: at_s;
        }
    }
    state at_s {
        p.extract(h.s.next);
        p.advance(8);
        transition select(h.s.last.kind) {
            8w255: at_b;
            default: at_u;
        }
    }
    state at_b {
        p.extract(h.b);
        verify((128s53392147443458573188178815612113460872 > 128s27917510821529695073313206956730811102) || h.b.f0 != 1, error.First);
        transition at_u;
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition accept; }
    state at_uy { p.extract(h.u.y); transition accept; }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) cnt5;
    counter(1, CounterType.packets) cnt6;
    register<bit<8>>(1) reg7;
    register<bit<7>>(4) reg8;
    action act9(bit<63> x0, bit<13> x1) {
        h.a.f3 = ((94w19807040628566084398385987583 ++ ((bit<34>) s.packet_length)) >> h.a.pad);
        h.r.small = ((~s.ingress_port) ++ ((h.a.f0 > h.a.f0) ? ((bit<7>) x0) : ((bit<7>) s.packet_length)));
    }
    action act10(out int<48> d0, bit<48> x0, bit<8> x1) {
        d0 = 48s140737488355327;
        h.r.small = ((!(m.m2 > m.m2)) ? (m.inner.x)[15:0] : (m.inner.x << 7));
        if (h.s[2].isValid() && (!true)) {
            m.m0 = ((h.r.wide)[63:0])[62:0];
            hash(m.inner.x, HashAlgorithm.crc16_custom, 32w46, { h.a.k0 }, 32w0x64);
        }
    }
    action act11(out bit<32> d0, int<65> x0, bit<40> x1) {
        d0 = 32w0x2ea4215d;
        if (h.d.isValid()) {
            if (m.again < 2 && (h.s[3] == h.s[2])) { m.again = m.again + 1; resubmit_preserving_field_list(1); }
        }
    }
    direct_meter<bit<2>>(MeterType.bytes) dm;
    action act12(bit<33> x0) {
        dm.read(m.color);
        h.r.right = (10w0b1 ++ ((bit<22>) h.r.wide));
        if (h.u.x.isValid()) {
            h.r.wide = (64w806742909889954426 |-| ((bit<64>) ((bit<5>) h.a.f3)));
            m.m0 = fun1((-(h.r.wide)[44:43]));
        }
    }
    action act13(bit<31> x0) {
        dm.read(m.color);
        h.a.f0 = (((h.r.right == 32w0xeb2cff7d) && false) ? ((h.a.k0 != h.a.k0) ? h.a.f0 : h.a.f0) : (((bit<40>) s.packet_length) >> 18));
        if (h.b.isValid()) {
            h.a.f3[97:40] = ((bit<58>) (((bit<48>) s.ingress_port))[32:16]);
            h.a.f0 = ((h.c.isValid() ? h.a.f0 : h.a.f0) << 8w33);
        }
        s.egress_spec = (bit<9>) ((bit<2>) (~((bit<4>) h.r.right)));
    }
    table t14 {
        key = {
            m.m0: lpm @name("k0");
            h.r.code: exact @name("k1");
        }
        actions = {
            act12;
            act13;
        }
        default_action = act13(31w513815989);
        meters = dm;
        size = 64;
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
        if (h.d.isValid()) {
            h.a.k1[1:1] = h.a.pad;
            h.a.pad = ((-h.a.pad) ^ ((bit<1>) (bit<5>) ((int<5>) (int<64>) h.a.f1)));
        }
        if (h.s[3].isValid()) {
            bool v15 = (h.r.code != h.r.code);
        }
        t14.apply();
        h.r.code[1:0] = m.color;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets_and_bytes) cnt16;
    register<bit<17>>(4) reg17;
    meter(4, MeterType.packets) mtr18;
    action act19(int<13> x0, bit<31> x1) {
        m.m0 = fun2(h.a.f4, h.r.wide);
    }
    action act20(inout bit<5> d0) {
        m.m0 = fun2(h.a.f4, ((((bit<54>) s.egress_port) ++ 10w876) >> 4));
        reg17.write((bit<32>) ((bit<2>) h.a.f1), h.a.f4);
        if ((!(h.r.left < h.r.right))) { exit; }
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
        h.r.wide = (h.a.f1 | (h.a.f1 & h.a.f1));
        h.r.wide = h.r.wide ^ ((bit<64>) m.color);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid(), { h.a.k2, h.a.k2, h.a.f3, h.a.k0, h.a.f4 }, h.r.small, HashAlgorithm.xor16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
