#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<8> k1;
    bit<6> k2;
    bit<1> f0;
    int<32> f1;
    bit<65> f2;
    bit<3> f3;
    bit<63> f4;
    bit<6> pad;
}
header b_t {
    int<33> f0;
    bit<17> f1;
    bit<8> f2;
    bit<6> pad;
}
header c_t {
    bit<8> kind;
    bit<40> f0;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1)
    int<17> m0;
    @field_list(3)
    bit<40> m1;
    bit<16> m2;
    @field_list(1, 2, 3)
    bit<9> m3;
    @field_list(2)
    bit<31> m4;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 2)
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
        h.a.k1 = ((h.a.f3 ++ ((bit<5>) m.color)) | (h.a.k1 >> m.color));
        bool v1 = (!(h.a.k0 == m.m2));
        transition select(h.a.f0, h.a.f3) {
            (1w0x1 &&& 1w0x0, 3w1): at_c;
            (1w0x0, 3w0b0): at_c;
            (1w0x0, 3w0x4): at_c;
            default: at_c;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f2) {
            8w255: accept;
            8w255: at_c;
            8w0x20: accept;
            8w0b100000: at_c;
            default: at_c;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        verify((m.again <= m.again) || h.c.kind != 1, error.First);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt2;
    counter(8, CounterType.packets) cnt3;
    register<bit<8>>(1) reg4;
    action act5(out bit<9> d0) {
        d0 = 9w18;
        h.r.left = ((bit<32>) (m.again + m.again));
        m.inner.x = ((bit<16>) (128w0xa8cf9a44da3977939df47ac9fb0aa405)[70:67]);
    }
    action act6(int<31> x0) {
        h.a.k0 = ((!h.d.isValid()) ? (-16w0x9aa7) : 16w0b100010011010000);
        reg4.write(0, ((bit<8>) ((bit<7>) (bit<32>) h.a.f1)));
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
        h.a.k1 = (((bit<8>) h.a.f3) |+| m.again);
        bit<16> v7 = ((!(h.a.f0 != h.a.f0)) ? h.r.small : ((h.r.left <= h.r.left) ? ((bit<16>) s.packet_length) : ((bit<16>) (int<16>) h.a.f1)));
        h.a.k2 = ((6w0b100111 >> 8w1) - 6w0x0);
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) cnt8;
    register<bit<100>>(4) reg9;
    action act10(bit<65> x0, bit<24> x1) {
        bit<16> v11 = h.a.k0;
        hash(m.color, HashAlgorithm.crc16, 8w0x5e, { s.egress_rid, h.r.right, m.m3, m.m2, 8w144 }, 17w0x3);
    }
    action act12(in bit<127> d0, in bit<127> d1, bit<48> x0) {
        if (h.d.isValid()) {
            h.d.pad = ((h.a.k2 |+| ((bit<6>) h.a.f0)) & ((h.a.f1 >= 32s1) ? h.d.pad : h.a.pad));
        }
    }
    table t13 {
        key = {
            m.again: ternary @name("k0");
            s.egress_port: optional @name("k1");
            (((bit<4>) s.ingress_port) << 8w6): ternary @name("k2");
        }
        actions = {
            act12((h.c.isValid() ? ((bit<127>) m.m3) : (h.a.f3 ++ ((bit<124>) h.a.k1))), ((16w0xffff ++ 111w0x7fffffffffffffffffffffffffff) * (-127w0x1)));
        }
        default_action = act12((h.c.isValid() ? ((bit<127>) m.m3) : (h.a.f3 ++ ((bit<124>) h.a.k1))), ((16w0xffff ++ 111w0x7fffffffffffffffffffffffffff) * (-127w0x1)), 48w0x7fffffffffff);
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
        h.a.f3[0:0] = (h.a.f0 + ((s.egress_port >= s.egress_port) ? h.a.f0 : ((bit<1>) h.a.k1)));
        switch (t13.apply().action_run) {
            act12: {
                if (h.c.isValid()) { exit; }
            }
            default: {
                if ((h.a.k2 > (h.a.k2 + h.a.pad))) {
                    m.inner.x = (((((bit<33>) h.r.left) < 33w0x0) ? s.egress_rid : m.m2))[15:0];
                    bit<48> v14 = ((128w224388237687713794891601599439169037317 - 128w0x1))[91:44];
                } else {
                    m.color = ((h.a.f0 & 1w0) ++ ((bit<1>) (bit<8>) -8s49));
                    m.m4 = (~(((bit<31>) m.color) >> h.a.f3));
                }
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m3);
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
