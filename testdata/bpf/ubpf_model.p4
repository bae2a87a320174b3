// Every extern of p4c's model for BPF outside the kernel.
#include <ubpf_model.p4>

header order_t {
    bit<8> what;
    bit<8> index;
    bit<32> value;
}

header note_t {
    bit<32> port;
    bit<32> length;
    bit<32> result;
}

struct headers_t {
    note_t note;
    order_t order;
}

struct meta_t {
    bit<8> copy;
}

parser P(packet_in packet, out headers_t headers, inout meta_t meta, inout standard_metadata std) {
    state start {
        packet.extract(headers.order);
        meta.copy = headers.order.what;
        transition select(headers.order.what) {
            0xff: reject;
            default: accept;
        }
    }
}

control C(inout headers_t headers, inout meta_t meta, inout standard_metadata std) {
    Register<bit<32>, bit<32>>(4) values;

    action cut(bit<32> length) {
        truncate(length);
    }
    table lengths {
        key = { headers.order.value: exact; }
        actions = { cut; NoAction; }
    }

    apply {
        headers.note.setValid();
        headers.note.port = std.input_port;
        headers.note.length = std.packet_length;
        headers.note.result = 0;
        if (meta.copy == 1) {
            std.output_action = ubpf_action.REDIRECT;
            std.output_port = headers.order.value;
        } else if (meta.copy == 2) {
            mark_to_drop();
        } else if (meta.copy == 3) {
            mark_to_drop();
            mark_to_pass();
            std.output_action = ubpf_action.PASS;
        } else if (meta.copy == 4) {
            std.output_action = ubpf_action.DROP;
        } else if (meta.copy == 5) {
            lengths.apply();
        } else if (meta.copy == 6) {
            headers.note.result = values.read((bit<32>) headers.order.index) + headers.order.value;
            values.write((bit<32>) headers.order.index, headers.note.result);
        } else if (meta.copy == 7) {
            hash(headers.note.result, HashAlgorithm.lookup3, { headers.order.value });
        } else if (meta.copy == 8) {
            bit<16> sum = csum_replace2(0xdd2f, 0x5555, 0x3285);
            headers.note.result = (bit<32>) csum_replace4(sum, 1, 1);
        } else if (meta.copy == 9) {
            bool is_early = ubpf_time_get_ns() < 1000000000;
            headers.note.result = is_early ? __ubpf_model_version : 0;
        } else if (std.output_action == ubpf_action.ABORT) {
            // What no target does: copies to another port.
            std.clone_port = std.clone ? 32w1 : 0;
        }
    }
}

control D(packet_out packet, in headers_t headers) {
    apply {
        packet.emit(headers.note);
        packet.emit(headers.order);
    }
}

ubpf(P(), C(), D()) main;
