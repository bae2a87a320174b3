#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<8> k0;
    bit<4> k1;
    bit<3> k2;
    int<16> f0;
    bit<5> f1;
    bit<9> f2;
    bit<3> pad;
}
header b_t {
    bit<33> f0;
    bit<63> f1;
    bit<9> f2;
    bit<7> pad;
}
header c_t {
    bit<8> kind;
    bit<32> f0;
    int<12> f1;
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
    bit<64> f0;
    bit<128> f1;
    bit<16> f2;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[4] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1)
    bool m0;
    @field_list(3)
    bool m1;
    bit<63> m2;
    @field_list(1)
    bool m3;
    bit<5> m4;
    @field_list(3)
    bit<1> m5;
    @field_list(1, 3)
    bit<8> m6;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1)
    bit<2> color;
    inner_t inner;
}
bit<9> fun1(in bit<17> p0, inout bit<31> p1, in bit<64> p2) {
    if ((!(((bit<100>) p1) <= 100w703295959718286441764205033568))) {
        p1 = p1;
    }
    if ((p1 >= ((((bit<65>) p0) > 65w5209066602315302343) ? p1 : p1))) {
        p1 = ((p1 * p1) + (p1 ^ p1));
        p1 = ((!(((bit<48>) p2) < 48w38622860895602)) ? (((bit<8>) p2) ++ ((bit<23>) p1)) : (p1 ^ p1));
    }
    return (((~((bit<9>) p2)) & (((bit<9>) p0) + ((bit<9>) p0))) & ((9w0x1 + ((bit<9>) p1)) & (((bit<9>) p1) & ((bit<9>) p1))));
}
int<32> fun2(out bit<32> p0, in int<32> p1, out bit<4> p2) {
    p0 = 32w4294967295;
    p2 = 4w0x7;
    p2[3:3] = ((((bit<1>) p2) |+| ((bit<1>) (bit<32>) p1)) << 8w8);
    if (true) {
        p2 = (~p2);
    } else {
        p0[22:0] = ((((bit<128>) (bit<32>) p1))[55:33] | (p0)[24:2]);
    }
    return p1;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        m.color = ((-m.color) << 2w0x2);
        verify((m.m5 == m.m5) || h.a.k0 != 1, error.Second);
        transition select(h.a.f2) {
            9w0b11111111 &&& 9w404: at_s;
            9w0b1110111 &&& 9w0x1d2: at_b;
            _: at_s;
            default: at_b;
        }
    }
    state at_s {
        p.extract(h.s.next);
        verify((m.m2 != m.m2) || h.s.last.kind != 1, error.Second);
        transition select(h.s.last.kind) {
            8w104: accept;
            8w189: accept;
            8w134: at_c;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f2) {
            9w0x0 .. 9w0b1110000: accept;
            9w0b110010111 .. 9w0b110010111: accept;
            9w0x1d2 .. 9w511: at_c;
            default: at_c;
        }
    }
    state at_c {
        p.extract(h.c);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control Sub2(inout a_t a, inout meta m, in bit<8> arg) {
    register<bit<4>>(16) reg3;
    register<bit<5>>(4) reg4;
    action act5() {
        if (((m.m3 && m.m3) && (((bit<13>) m.m2) >= ((bit<13>) a.f2)))) {
            m.inner.x = ((128w86392399167366231124044858846055256274)[104:57])[40:25];
            m.inner.x = ((m.inner.x |+| m.inner.x) << 8w19);
        }
    }
    apply {
        reg3.read(a.k1, (bit<32>) (a.k1 ^ a.k1));
        m.inner.x = (~(m.m1 ? m.inner.x : m.inner.x));
        a.k0 = ((32w0xbecfc891)[23:16] + m.again);
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets_and_bytes) cnt6;
    counter(8, CounterType.packets_and_bytes) cnt7;
    action act8(int<17> x0, bit<24> x1) {
        hash(h.a.k1, HashAlgorithm.xor16, 32w30, { h.r.right, 13w0xfff }, 32w0x7);
        bit<4> v9 = ((m.color |+| m.color) ++ ((h.b != h.d) ? ((bit<2>) h.r.wide) : m.color));
        bit<100> v10 = (((s.instance_type <= h.r.right) ? ((bit<100>) h.r.left) : 100w0x5d9b67a645c41830ab8ed90fe) | ((bit<100>) ((bit<1>) m.m3)));
    }
    action act11(bit<32> x0, bit<33> x1) {
        if ((((h.a.k1 > h.a.k1) && m.m0) || (x1 != x1))) {
            m.m3 = (m.again > (m.again << 8w16));
            m.m4 = (((m.m5 >= m.m5) ? h.a.k1 : h.a.k1) ++ (m.m5 |+| m.m5));
        } else {
            h.a.f2 = (~((bit<9>) 40w0xe5dab97284));
            m.m0 = (h.a.k2 != (h.a.k2 + h.a.k2));
        }
        h.r.left = ((23w0x0 ++ ((bit<9>) h.r.wide)) ^ ((bit<32>) (bit<17>) ((int<17>) (bit<17>) ((bit<1>) m.m0))));
        if ((h.b == h.d)) {
            h.a.f1[0:0] = ((m.m5 << 8w1) |+| ((bit<1>) ((bit<5>) h.a.k2)));
        } else {
            cnt6.count(0);
            h.r.right = 32w3238754251;
        }
    }
    action act12(in bit<13> d0, in bit<63> d1, bit<2> x0, int<17> x1) {
        m.m1 = (((bit<17>) h.a.k0) != (((bit<48>) m.again))[29:13]);
        h.r.wide = h.r.wide;
        m.inner.x = ((bit<16>) (int<16>) fun2(h.r.right, ((int<32>) s.instance_type), h.a.k1));
    }
    direct_counter(CounterType.packets_and_bytes) dc14;
    table t13 {
        key = {
            h.r.code: exact @name("k0");
        }
        actions = {
            act8;
            act11;
            act12(((((bit<128>) m.m4))[25:17] ++ ((bit<4>) ((bit<33>) m.again))), (-(~m.m2)));
        }
        default_action = act8(17s10949, 24w11012357);
        counters = dc14;
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
        m.m5 = (((bit<1>) h.r.wide) >> h.a.pad);
        if (h.b.isValid() && (h.r.left <= ((bit<32>) h.r.wide))) {
            h.r.code = ((bit<8>) (int<8>) fun2(h.r.right, ((int<32>) (int<63>) ((bit<63>) h.r.wide)), h.a.k1));
            if (h.s[1].isValid()) {
                sub2.apply(h.a, m, (m.inner.x)[15:8]);
            }
        }
        if (h.s[3].isValid()) {
            h.c.setInvalid();
            if (h.s[2].isValid()) {
                if (t13.apply().hit) {
                    h.d = { ((bit<33>) h.s[2].f2), ((bit<63>) ((bit<31>) h.s[2].f1)), (h.a.f2 + h.a.f2), ((bit<7>) h.s[2].kind) };
                    h.c.setInvalid();
                }
            }
        }
        m.m6 = ((m.color |+| m.color) ++ (((bit<6>) h.r.small) * ((bit<6>) h.r.wide)));
        switch (((h.a.pad ++ 3w1) ++ (((bit<1>) h.r.wide) ++ ((bit<1>) m.inner.x)))) {
            8w0x68: {
                h.a.k0 = (8w0x68 ^ (((bit<8>) h.a.k1))[7:0]);
                if (((m.again != m.m6) || (h.s[0] == h.s[2]))) { exit; }
            }
            8w107: {
                if (h.d.isValid()) {
                    h.r.wide = h.r.wide;
                }
                if ((h.r.left == (h.r.right | h.r.right))) {
                    if ((h.a.k1 <= 4w0b111)) {
                        if (h.b.isValid()) { h.d = h.b; }
                        m.m5 = ((-m.m5) << 7w0x1);
                    }
                }
            }
            8w0b11101001: {
                sub1.apply(h.a, m, (h.a.k0 |-| h.r.code));
            }
            default: {
                h.r.right = ((bit<32>) h.a.k1);
            }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<4>>(4) reg15;
    action act16(inout bit<100> d0, inout int<128> d1) {
        h.a.f2 = ((9w135 + s.ingress_port) | h.a.f2);
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
        h.r.wide = ((h.r.wide ^ h.r.wide) >> 8w46);
        h.r.left = ((((bit<128>) m.m5))[114:51])[44:13];
        h.r.wide = h.r.wide ^ ((bit<64>) m.m4);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid(), { h.a.pad, h.a.f2, h.a.k0, h.a.k2, 9w0x0 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
