// Every extern of p4c's XDP switch, except the one that Weir does not have.
#include <xdp_model.p4>

header order_t {
    bit<8> what;
    bit<32> port;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> diffserv;
    bit<16> totalLen;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragOffset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> hdrChecksum;
    bit<32> srcAddr;
    bit<32> dstAddr;
}

header note_t {
    bit<32> port;
    bit<32> time;
    bit<16> replaced;
}

struct headers_t {
    note_t note;
    order_t order;
    ipv4_t ipv4;
}

parser P(packet_in packet, out headers_t headers) {
    state start {
        packet.extract(headers.order);
        transition select(headers.order.what) {
            0xff: reject;
            0x80 &&& 0x80: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(headers.ipv4);
        transition accept;
    }
}

control S(inout headers_t headers, in xdp_input imd, out xdp_output omd) {
    CounterArray(4, false) sent;

    action act(xdp_action chosen) {
        omd.output_action = chosen;
    }
    table actions_by_number {
        key = { headers.order.what & 0x7f: exact @name("number"); }
        actions = { act; NoAction; }
        const entries = {
            1: act(xdp_action.XDP_DROP);
            2: act(xdp_action.XDP_PASS);
            3: act(xdp_action.XDP_TX);
            4: act(xdp_action.XDP_REDIRECT);
        }
        implementation = array_table(8);
    }

    apply {
        omd.output_action = xdp_action.XDP_ABORTED;
        omd.output_port = headers.order.port;
        actions_by_number.apply();
        sent.increment(headers.order.port);
        sent.add(headers.order.port, 2);
        headers.note.setValid();
        headers.note.port = imd.input_port;
        headers.note.time = BPF_KTIME_GET_NS();
        headers.note.replaced = 0;
        if (headers.ipv4.isValid()) {
            bit<8> old = headers.ipv4.ttl;
            bit<32> old_source = headers.ipv4.srcAddr;
            headers.ipv4.ttl = old - 1;
            headers.ipv4.srcAddr = 0x0a000001;
            bit<16> sum = headers.ipv4.hdrChecksum;
            bit<16> halves = csum_replace2(sum, old ++ headers.ipv4.protocol, headers.ipv4.ttl ++ headers.ipv4.protocol);
            headers.note.replaced = csum_replace4(halves, old_source, headers.ipv4.srcAddr);
            headers.ipv4.hdrChecksum = ebpf_ipv4_checksum(
                headers.ipv4.version,
                headers.ipv4.ihl,
                headers.ipv4.diffserv,
                headers.ipv4.totalLen,
                headers.ipv4.identification,
                headers.ipv4.flags,
                headers.ipv4.fragOffset,
                headers.ipv4.ttl,
                headers.ipv4.protocol,
                headers.ipv4.srcAddr,
                headers.ipv4.dstAddr);
        }
        if (headers.order.port == 77) {
            // The last decision counts, also before the end of the control.
            omd.output_action = xdp_action.XDP_TX;
            return;
        }
    }
}

control D(in headers_t headers, packet_out packet) {
    apply {
        packet.emit(headers.note);
        packet.emit(headers.order);
        packet.emit(headers.ipv4);
    }
}

xdp(P(), S(), D()) main;
