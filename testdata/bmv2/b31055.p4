#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<6> k0;
    bit<4> k1;
    bit<16> k2;
    bit<17> f0;
    bit<128> f1;
    bit<17> f2;
    int<64> f3;
    bit<4> pad;
}
header b_t {
    int<2> f0;
    bit<6> pad;
}
header c_t {
    bit<8> kind;
    bit<16> f0;
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
    int<12> f0;
    int<65> f1;
    bit<12> f2;
    bit<7> pad;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[2] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(3)
    bit<7> m0;
    @field_list(1, 2)
    int<4> m1;
    @field_list(1)
    int<3> m2;
    @field_list(1)
    bit<65> m3;
    @field_list(1, 2, 3)
    bit<8> again;
    bit<2> color;
    inner_t inner;
}
bit<13> fun1(in bit<100> p0, in int<65> p1, in bit<8> p2) {
    return 13w0x1fff;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        h.a.k0 = (-(h.a.k0 << 8w10));
        verify((((bit<33>) h.a.f1) >= ((bit<33>) h.a.f1)) || h.a.k0 != 1, error.Second);
        transition select(h.a.k1, h.a.k2) {
            (4w0xd, 16w0x548e .. 16w0x548e): at_c;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w109: reject;
            _: accept;
            8w0b1111111 .. 8w0xb5: at_s;
            default: at_b;
        }
    }
    state at_c {
        p.extract(h.c);
        transition select(h.c.f0, h.c.kind) {
            (16w0xf02a .. 16w0xf02a, 8w0b11010): at_b;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets_and_bytes) cnt2;
    counter(4, CounterType.packets) cnt3;
    action act4(bit<16> x0) {
        if (h.d.isValid()) {
            m.color = m.color;
        }
    }
    action act5(in bit<12> d0, in bit<64> d1, bit<24> x0) {
        s.mcast_grp = (bit<16>) ((h.r.small == 16w0x6bca) ? m.color : ((bit<2>) (bit<4>) m.m1));
        if (((!(h.r.code != 8w0b1110100)) && h.c.isValid())) {
            h.a.k2 = (((s.ingress_port <= s.ingress_port) ? h.r.small : h.a.k2) - h.a.k2);
        }
        if (h.d.isValid()) {
            cnt3.count((bit<32>) (m.color |+| 2w0b10));
            h.r.right = ((((bit<32>) x0) |+| s.instance_type) << 8w0);
        }
    }
    action_selector(HashAlgorithm.identity, 32w64, 32w14) p7;
    table t6 {
        key = {
            h.r.wide: lpm @name("k0");
            (1w0 ++ (m.m0 | m.m0)): exact @name("k1");
            h.a.k0: selector @name("s0");
        }
        actions = {
            act4;
            act5(((((bit<10>) h.r.wide) >> 8) ++ ((bit<2>) 48w152662138347470)), ((41w0xffffffffff >> 10) ++ 23w4194303));
            @defaultonly NoAction;
        }
        implementation = p7;
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
            if (true) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (((((bit<3>) h.a.f0) > 3w0x7) || (m.m3 <= m.m3))) {
            if (h.c.isValid()) {
                switch (((h.a.f1)[65:2])[38:30]) {
                    9w0b100001: {
                        if (((5w0x1f < 5w0b11110) && (h.s[0].isValid() && (h.r.code >= h.r.code)))) { return; }
                    }
                    9w0xe5: {
                        hash(h.a.pad, HashAlgorithm.identity, 16w0x42, { h.a.f3 }, 32w7);
                    }
                    9w0x14c: {
                        hash(h.a.f2, HashAlgorithm.crc32, 16w0x1d, { h.a.f3, s.ingress_port, h.a.f1 }, 32w0x3);
                        h.s.pop_front(2);
                    }
                }
                if (h.d.isValid()) {
                    h.r.right = ((bit<32>) fun1(((100w706927456148866027223563608000 >> 69) ^ ((bit<100>) 3w4)), (~((int<65>) (bit<65>) ((bit<5>) h.a.k0))), h.r.code));
                    m.m0 = (((m.again > h.r.code) ? ((bit<8>) h.r.left) : ((bit<8>) (int<8>) m.m2)))[6:0];
                }
            }
        }
        h.a.pad = ((bit<4>) fun1(((((bit<100>) h.a.pad) >> 74) >> 36), ((((int<65>) (int<32>) s.instance_type) >> 8w48) - (65s9682777358289083850 & ((int<65>) (bit<65>) h.a.k2))), ((((bit<8>) h.a.f2) << 8w13) >> ((bit<5>) h.a.k0))));
        t6.apply();
        m.color = ((bit<2>) fun1(((((bit<100>) (bit<3>) m.m2) >> m.m0) & ((bit<100>) m.m0)), ((int<65>) (int<5>) (5w27 & 5w0x1b)), (~(-h.r.code))));
        h.a.f3 = ((int<64>) (int<13>) fun1(((~m.m0) ++ (h.a.f1)[108:16]), ((((int<65>) (bit<65>) h.r.left) |+| ((int<65>) (bit<65>) h.r.left)) | (((int<65>) (bit<65>) h.r.left) + ((int<65>) (bit<65>) h.a.pad))), (((bit<16>) h.r.code))[11:4]));
        bit<5> v8 = ((h.a.k1 ++ ((bit<1>) m.again)) * 5w0);
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act9(in bit<7> d0, inout bit<16> d1, bit<13> x0) {
        if (((s.egress_rid < s.egress_rid) && (!(m.m0 == d0)))) {
            h.a.k0 = ((bit<6>) fun1(((100w0xfffffffffffffffffffffffff + ((bit<100>) h.r.wide)) + (h.a.f1)[111:12]), ((int<65>) (int<7>) d0), (((h.a.k2 <= s.egress_rid) ? h.r.code : m.again) << ((bit<1>) m.m0))));
        } else {
            h.r.wide[51:27] = ((bit<25>) s.egress_port);
            m.m2 = m.m2;
        }
    }
    action act10(inout bit<32> d0, in bit<4> d1, bit<16> x0) {
        h.a.k2 = ((((bit<14>) (int<14>) h.a.f3) |-| ((bit<14>) m.m0)) ++ (((bit<2>) m.inner.x) & m.color));
    }
    action act11(in bit<100> d0) {
        if ((!((24s8388607 != ((int<24>) (int<16>) h.r.small)) || (h.a.f1 == ((bit<128>) h.r.left))))) { exit; }
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
        if ((h.s[0].isValid() || (!(h.a.pad > h.a.pad)))) {
            if (h.b.isValid() && (s.egress_rid != m.inner.x)) {
                m.color = ((h.r.right)[8:1])[4:3];
                if (h.b.isValid()) { h.d = h.b; }
            }
            if (((!(((bit<1>) s.egress_port) < ((bit<1>) (bit<64>) h.a.f3))) && (!(h.a.f3 != 64s4763591608828928556)))) { return; }
        } else {
            h.r.small = ((h.r.wide >> 24))[49:34];
            if (((63w0x3fffffffffffffff >= ((bit<63>) m.m0)) && (h.r.left != h.r.left))) {
                bit<9> v12 = ((s.egress_rid)[13:5] >> 4);
            }
        }
        h.s[1].setInvalid();
        h.r.wide = h.r.wide ^ ((bit<64>) m.inner.x);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid(), { h.a.k1, h.a.k1, 8w0x0 }, h.r.small, HashAlgorithm.xor16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
