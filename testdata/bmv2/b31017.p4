#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<3> k1;
    bit<16> k2;
    bit<64> f0;
    bit<5> f1;
    bit<2> f2;
    bit<8> f3;
    bit<100> f4;
    bit<2> pad;
}
header b_t {
    bit<40> f0;
}
header c_t {
    bit<8> kind;
    int<2> f0;
    int<24> f1;
    bit<6> pad;
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
    bit<8> f0;
    varbit<128> rest;
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
    @field_list(3)
    bool m0;
    @field_list(3)
    int<63> m1;
    @field_list(3)
    bool m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1)
    bit<2> color;
    inner_t inner;
}
bit<16> fun1(out bit<64> p0) {
    p0 = 64w0x0;
    p0 = ((((bit<128>) p0))[83:45] ++ (((bit<25>) p0) |-| ((bit<25>) p0)));
    p0[35:10] = ((bit<26>) p0);
    return ((((bit<16>) 65w0x3e15f01dc6c90bcd) >> 8w16) << 8w9);
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        transition select(h.a.k0) {
            _: at_c;
            _: accept;
            8w0x1: accept;
            default: at_v;
        }
    }
    state at_c {
        p.extract(h.c);
        h.c.kind = (~(m.again << 8w14));
        verify((65w16744766251041455374 >= ((bit<65>) m.color)) || h.c.kind != 1, error.First);
        transition select(h.c.kind) {
            _: accept;
            8w33 .. 8w0b100001: accept;
            8w0b0 .. 8w0x0: at_b;
            default: at_v;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.f0 = (-h.b.f0);
        m.color = ((~m.inner.x))[13:12];
        transition at_v;
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w31) * 8);
        bit<7> v2 = (((h.v.size <= h.v.f0) ? 7w73 : 7w63) << 1);
        h.v.f0 = ((((bit<8>) m.color) |-| h.v.size) << 4);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<4>>(1) reg3;
    register<bit<9>>(4) reg4;
    action act5(out int<24> d0, bit<64> x0, int<40> x1) {
        d0 = 24s0;
        if ((s.ingress_port == (128w309070683536442173566893121436963770668)[18:10])) { exit; }
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
        if (h.b.isValid()) {
            if (h.d.isValid() && (h.a.f0 == h.a.f0)) {
                h.r.small = fun1(h.r.wide);
                h.r.code = ((((bit<6>) h.a.f4) + 6w0x3f) ++ h.a.pad);
            }
            if (h.v.isValid()) {
                s.egress_spec = (bit<9>) ((((bit<1>) h.b.f0) << 8w5) ++ (~((bit<1>) m.again)));
            }
        }
        if ((h.a.k0 < (m.again << 1w0x0))) {
            h.a.f0 = (h.r.wide >> h.a.k1);
            h.a.k2 = fun1(h.r.wide);
        } else {
            h.a.f3 = ((h.a.f3 + h.r.code) * ((bit<8>) (int<8>) 24s0));
            h.c.setInvalid();
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt6;
    register<bit<1>>(1) reg7;
    action act8(inout bit<32> d0, inout bit<100> d1, bit<24> x0) {
        h.r.wide[59:11] = ((bit<49>) h.r.left);
        if (h.v.isValid()) {
            m.m0 = ((((bit<4>) h.v.f0) + 4w0x1) <= ((bit<4>) ((bit<17>) h.r.small)));
        }
    }
    table t9 {
        key = {
            s.egress_rid: exact @name("k0");
        }
        actions = {
            NoAction;
            act8(h.r.left, h.a.f4);
        }
        const entries = {
            16w0b10100000010110: NoAction();
            16w0b0: act8(h.r.left, h.a.f4, 24w1);
            16w0b101001010010011: act8(h.r.left, h.a.f4, 24w0x4b9758);
            16w0x1: act8(h.r.left, h.a.f4, 24w0x67455e);
            16w0b10001010100110: act8(h.r.left, h.a.f4, 24w0x1);
        }
        default_action = NoAction();
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
        switch (((((bit<32>) h.a.f0))[25:17] << 8w5)) {
            9w511: {
                bit<2> v10 = ((false ? 48w0x9b6c1406e00 : 48w0x19fa399dad88))[45:44];
            }
            default: {
                bit<65> v11 = (~65w0x1ffffffffffffffff);
                h.c = { ((bit<8>) 63w4611686018427387903), 2s0, ((int<24>) ((int<48>) (int<2>) m.color)), (((bit<6>) h.r.small) | 6w0x1) };
            }
        }
        t9.apply();
        h.r.wide = h.r.wide ^ ((bit<64>) m.inner.x);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid(), { h.a.f3, h.a.f3, h.a.f4, 12w0x0 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
