// What `dpdk/psa.p4` adds to `psa.p4`.
// `tests/architectures.rs` of weir-compiler checks that nothing is missing.
#include <dpdk/psa.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> kind;
}

struct headers_t {
    ethernet_t ethernet;
}

struct empty_t {
}

parser Receive(packet_in buffer,
               out headers_t headers,
               inout empty_t meta,
               in psa_ingress_parser_input_metadata_t input,
               in empty_t resubmitted,
               in empty_t recirculated) {
    state start {
        buffer.extract(headers.ethernet);
        transition accept;
    }
}

control Forward(inout headers_t headers,
                inout empty_t meta,
                in psa_ingress_input_metadata_t input,
                inout psa_ingress_output_metadata_t output) {
    Counter<bit<64>, PortId_t>(32, PSA_CounterType_t.PACKETS) packets;
    DirectCounter<bit<64>>(PSA_CounterType_t.BYTES) hits;
    Meter<PortId_t>(32, PSA_MeterType_t.BYTES) rate;
    DirectMeter(PSA_MeterType_t.BYTES) rates;
    action forward(PortId_t port, bit<32> length) {
        hits.count(length);
        if (rates.dpdk_execute(length) != PSA_MeterColor_t.RED
            && rates.dpdk_execute(PSA_MeterColor_t.YELLOW, length) != PSA_MeterColor_t.RED) {
            send_to_port(output, port);
        }
    }
    action drop() {
        ingress_drop(output);
    }
    table destinations {
        key = {
            headers.ethernet.destination : exact;
        }
        actions = {
            forward;
            drop;
        }
        default_action = drop;
        psa_direct_counter = hits;
        psa_direct_meter = rates;
    }
    apply {
        packets.count(input.ingress_port, 64);
        if (rate.dpdk_execute(input.ingress_port, 64) == PSA_MeterColor_t.RED
            || rate.dpdk_execute(input.ingress_port, PSA_MeterColor_t.GREEN, 64) == PSA_MeterColor_t.RED) {
            drop();
            exit;
        }
        destinations.apply();
    }
}

control Close(packet_out buffer,
              out empty_t clone_meta,
              out empty_t resubmit_meta,
              out empty_t normal_meta,
              inout headers_t headers,
              in empty_t meta,
              in psa_ingress_output_metadata_t input) {
    apply {
        buffer.emit(headers);
    }
}

parser Reopen(packet_in buffer,
              out headers_t headers,
              inout empty_t meta,
              in psa_egress_parser_input_metadata_t input,
              in empty_t normal_meta,
              in empty_t clone_i2e_meta,
              in empty_t clone_e2e_meta) {
    state start {
        transition accept;
    }
}

control Send(inout headers_t headers,
             inout empty_t meta,
             in psa_egress_input_metadata_t input,
             inout psa_egress_output_metadata_t output) {
    apply {
    }
}

control Write(packet_out buffer,
              out empty_t clone_meta,
              out empty_t recirculate_meta,
              inout headers_t headers,
              in empty_t meta,
              in psa_egress_output_metadata_t input,
              in psa_egress_deparser_input_metadata_t deparser_input) {
    apply {
        buffer.emit(headers.ethernet);
    }
}

IngressPipeline(Receive(), Forward(), Close()) incoming;
EgressPipeline(Reopen(), Send(), Write()) outgoing;
PSA_Switch(incoming, PacketReplicationEngine(), outgoing, BufferingQueueingEngine()) main;
