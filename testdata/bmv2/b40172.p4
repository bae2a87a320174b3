#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<4> k0;
    bit<16> k1;
    bit<3> k2;
    bit<65> f0;
    int<65> f1;
    bit<1> f2;
    bit<9> f3;
    int<7> f4;
    int<32> f5;
    int<8> f6;
    bit<6> pad;
}
header b_t {
    bit<128> f0;
    bit<17> f1;
    bit<48> f2;
    bit<9> f3;
    bit<6> pad;
}
header c_t {
    bit<8> kind;
    int<128> f0;
    int<100> f1;
    int<64> f2;
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
    bit<65> f0;
    bit<128> f1;
    int<33> f2;
    bit<6> pad;
}
header v_t {
    bit<8> size;
    varbit<128> rest;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[3] s;
    v_t v;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(2, 3)
    bit<40> m0;
    @field_list(1, 2)
    bit<127> m1;
    @field_list(1, 2, 3)
    bit<33> m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2)
    bit<2> color;
    inner_t inner;
}
bit<3> fun1(out bit<48> p0, inout int<32> p1) {
    p0 = 48w0xad04e6b5bbff;
    p1 = (~(~((int<32>) (int<48>) p0)));
    if ((!((p1 >= ((int<32>) (int<48>) p0)) && (p0 == 48w0x0)))) {
        p1 = ((int<32>) (64s1530608850403823301 |+| 64s3273719108568982449));
    }
    if ((p1 <= (p1 >> 6))) { return ((bit<3>) (int<3>) p1); }
    return ((-(((bit<3>) (int<3>) p1) + ((bit<3>) p0))) |-| ((3w1 & ((bit<3>) p0)) |+| (3w0b111 >> 8w5)));
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set2;
    state start {
        p.extract(h.a);
        transition select(h.a.f2, h.a.k0) {
            (_, 4w0b11 .. 4w9): at_v;
            (1w0b1, 4w0b101): accept;
            default: at_b;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind, p.lookahead<bit<4>>()) {
            (8w0x33, _): at_v;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f3) {
            9w13: at_v;
            9w0b101011010: accept;
            9w0x0: accept;
            default: accept;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w15) * 8);
        h.v.size = ((((bit<128>) h.v.size))[127:0])[51:44];
        h.v.size = h.v.size;
        transition select(h.v.size) {
            set2: accept;
            8w0b100001: at_c;
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
        verify_checksum_with_payload(h.a.isValid(), { h.a.f1, h.a.k2, 12w0 }, h.a.k1, HashAlgorithm.xor16);
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) cnt3;
    action act4() {
        h.a.f1 = (((int<65>) (bit<65>) h.a.f2) | (~((int<65>) (bit<65>) h.a.pad)));
        if (h.s[0].isValid()) {
            s.mcast_grp = (bit<16>) ((bit<2>) 17w0x7660);
        }
    }
    action act5(bit<9> x0, bit<31> x1) {
        h.a.f5 = (-(~32s1753736014));
    }
    table t6 {
        key = {
            h.a.k2: exact @name("k0");
            h.r.wide: ternary @name("k1");
        }
        actions = {
            NoAction;
            @defaultonly act4;
            act5;
        }
        const default_action = act4();
    }
    action_selector(HashAlgorithm.xor16, 32w64, 32w16) p8;
    table t7 {
        key = {
            h.r.small: ternary @name("k0");
            h.b.isValid(): exact @name("k1");
            h.a.f2: selector @name("s0");
            m.m1: selector @name("s1");
        }
        actions = {
            NoAction;
            act4;
            act5;
        }
        implementation = p8;
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
        if (t6.apply().hit) {
            switch (h.r.code) {
                8w0x0: {
                    h.c.setInvalid();
                }
                8w0b1: {
                    if (m.again < 3 && ((h.s[2] != h.s[1]) || (((int<9>) h.a.f4) < 9s255))) { m.again = m.again + 1; clone_preserving_field_list(CloneType.I2E, 32w0x3, 3); }
                    h.a.f0[51:18] = 34w0x1ffffffff;
                }
                8w0b1111111: {
                    hash(h.a.k0, HashAlgorithm.crc16_custom, 8w0b111, { h.a.f1 }, 32w0x3);
                }
                default: {
                    hash(m.color, HashAlgorithm.xor16, 8w46, { m.color, h.a.f5, m.m1 }, 17w0x3);
                }
            }
            if (h.s[2].isValid()) {
                h.s[2].f2 = ((~h.s[2].f2) & (~h.s[2].f2));
            }
        } else {
            if (h.s[0].isValid() && (h.r.left == s.packet_length)) {
                bit<17> v9 = 17w18321;
            }
            bit<13> v10 = ((((bit<13>) m.again) << h.r.code) >> 8w0b10110000);
        }
        if ((s.ingress_port != ((bit<9>) ((bit<24>) m.inner.x)))) {
            h.r.code = 8w0x49;
            if (h.s[0].isValid()) {
                h.r.wide = ((s.ingress_port > s.ingress_port) ? (h.s[0].f1)[117:54] : ((bit<64>) 100w0x1));
            }
        }
        h.c.setValid();
        h.c.kind = (-h.r.code);
        h.c.f0 = (-((int<128>) (bit<128>) s.instance_type));
        h.c.f1 = ((int<100>) -13s3015);
        h.c.f2 = -64s1;
        h.c.pad = h.a.k0;
        if (t7.apply().hit) {
            if (m.again < 2 && (h.b.isValid() || (h.a.f4 > 7s51))) { m.again = m.again + 1; resubmit_preserving_field_list(1); }
            h.s.push_front(3);
        } else {
            switch ((m.again - ((h.r.small != h.r.small) ? h.r.code : m.again))) {
                8w0b1: {
                    bool v11 = (h.r.right <= (true ? s.packet_length : s.instance_type));
                }
                default: {
                    h.a.k2 = ((~h.a.k2) |-| (((bit<1>) h.r.left) ++ m.color));
                }
            }
            h.a.k1 = (m.inner.x ^ (((bit<48>) s.packet_length))[34:19]);
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt12;
    action act13(out int<7> d0, inout bit<48> d1, bit<2> x0) {
        d0 = 7s34;
        if (((~((bit<128>) s.egress_rid)) <= ((bit<128>) 7w0b1110001))) {
            cnt12.count((bit<32>) (2w2 >> 1));
        }
        cnt12.count((bit<32>) (2w0b0 | x0));
    }
    direct_counter(CounterType.packets_and_bytes) dc15;
    table t14 {
        key = {
            s.egress_port: range @name("k0");
            h.a.f6: exact @name("k1");
        }
        actions = {
            NoAction;
        }
        default_action = NoAction();
        counters = dc15;
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
        switch ((((h.a.k0 == h.a.k0) ? 4w0b0 : h.a.k0) - (h.a.k0 << 0))) {
            4w0x5: {
                h.a.k2 = h.a.k2;
            }
            4w7: {
                h.s[2].setInvalid();
                if (m.again < 3 && (m.again != h.r.code)) { m.again = m.again + 1; clone_preserving_field_list(CloneType.E2E, 32w2, 3); }
            }
            4w0xe: {
                h.a.f4 = h.a.f4;
                h.a.f6 = ((int<8>) (bit<8>) (h.r.right)[31:0]);
            }
            default: {
                hash(h.r.wide, HashAlgorithm.crc32_custom, 8w0x24, { h.a.f2, h.a.f1, h.r.right }, 17w0);
            }
        }
        bit<32> v16 = ((bit<32>) (40w0x2eb029b9bd | ((bit<40>) s.egress_port)));
        if (t14.apply().miss) {
            int<9> v17 = ((((int<9>) (bit<9>) s.instance_type) * ((int<9>) (bit<9>) m.m1)) ^ (~9s0));
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m1);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid() && ((2w0x0 == ((bit<2>) (bit<8>) h.a.f6)) && (h.a.f2 != 1w0x0)), { h.a.f0, h.a.f5, 15w0x0 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
