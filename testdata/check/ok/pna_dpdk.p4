// What `dpdk/pna.p4` adds to `pna.p4`.
// `tests/architectures.rs` of weir-compiler checks that nothing is missing.
#include <dpdk/pna.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> kind;
}

struct headers_t {
    ethernet_t ethernet;
}

struct meta_t {
    bit<32> hash;
}

parser Receive(packet_in packet,
               out headers_t headers,
               inout meta_t meta,
               in pna_main_parser_input_metadata_t input) {
    state start {
        packet.extract(headers.ethernet);
        transition accept;
    }
}

control Prepare(in headers_t headers,
                inout meta_t meta,
                in pna_pre_input_metadata_t input,
                inout pna_pre_output_metadata_t output) {
    apply {
    }
}

control Forward(inout headers_t headers,
                inout meta_t meta,
                in pna_main_input_metadata_t input,
                inout pna_main_output_metadata_t output) {
    Hash<bit<32>>(PNA_HashAlgorithm_t.TOEPLITZ) spread;
    Counter<bit<64>, PortId_t>(32, PNA_CounterType_t.BYTES) bytes;
    DirectCounter<bit<64>>(PNA_CounterType_t.BYTES) hits;
    Meter<PortId_t>(32, PNA_MeterType_t.BYTES) rate;
    DirectMeter(PNA_MeterType_t.BYTES) rates;
    ipsec_accelerator() accelerator;
    ipsec_status status;

    action forward(PortId_t port, bit<32> length) {
        hits.count();
        hits.count(length);
        if (rates.dpdk_execute(length) == PNA_MeterColor_t.RED
            || rates.dpdk_execute(PNA_MeterColor_t.YELLOW, length) == PNA_MeterColor_t.RED) {
            drop_packet();
        }
        send_to_port(port);
    }
    table destinations {
        key = {
            headers.ethernet.destination: exact;
        }
        actions = { forward; NoAction; }
        pna_direct_counter = hits;
        pna_direct_meter = rates;
    }
    apply {
        meta.hash = spread.get_hash(headers.ethernet.source);
        bytes.count(input.input_port);
        bytes.count(input.input_port, 64);
        if (rate.dpdk_execute(input.input_port, 64) == PNA_MeterColor_t.RED
            || rate.dpdk_execute(input.input_port, PNA_MeterColor_t.GREEN, 64) == PNA_MeterColor_t.RED) {
            drop_packet();
        }
        if (accelerator.from_ipsec(status) && status == ipsec_status.IPSEC_ERROR) {
            drop_packet();
        } else if (status == ipsec_status.IPSEC_SUCCESS) {
            accelerator.disable();
        } else {
            accelerator.set_sa_index(meta.hash);
            accelerator.set_ip_header_offset(16w14);
            accelerator.enable();
        }
        destinations.apply();
    }
}

control Close(packet_out packet, in headers_t headers, in meta_t meta, in pna_main_output_metadata_t output) {
    apply {
        packet.emit(headers);
    }
}

PNA_NIC(Receive(), Prepare(), Forward(), Close()) main;
