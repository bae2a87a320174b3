// The objects of PSA. Types with @p4runtime_translation, such as PortId_t, have names.
#include <psa.p4>

header h_t {
    bit<16> a;
    bit<16> b;
}

@controller_header("packet_in")
header to_controller_t {
    PortIdInHeader_t port;
}

struct headers_t {
    to_controller_t to_controller;
    h_t h;
}

struct meta_t {
    PSA_MeterColor_t colour;
}

struct report_t {
    PortId_t port;
    bit<16> a;
}

struct empty_t {
}

parser Receive(packet_in packet, out headers_t hdr, inout meta_t meta,
               in psa_ingress_parser_input_metadata_t input, in empty_t resubmitted, in empty_t recirculated) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Forward(inout headers_t hdr, inout meta_t meta,
                in psa_ingress_input_metadata_t input, inout psa_ingress_output_metadata_t output) {
    Counter<bit<64>, PortId_t>(32, PSA_CounterType_t.PACKETS) packets;
    Counter<bit<64>, bit<8>>(33, PSA_CounterType_t.PACKETS_AND_BYTES) both;
    DirectCounter<bit<64>>(PSA_CounterType_t.BYTES) hits;
    Meter<PortId_t>(34, PSA_MeterType_t.PACKETS) rate;
    DirectMeter(PSA_MeterType_t.BYTES) rates;
    Register<bit<48>, PortId_t>(35) last;
    Register<bit<16>, bit<8>>(256, 7) sums;
    Hash<bit<16>>(PSA_HashAlgorithm_t.CRC16) no_object;
    ActionProfile(64) profile;
    @max_group_size(16)
    ActionSelector(PSA_HashAlgorithm_t.CRC32, 128, 16) choice;

    action forward(PortId_t port) {
        hits.count();
        meta.colour = rates.execute();
        send_to_port(output, port);
    }
    action to(PortId_t port) {
        send_to_port(output, port);
    }
    action drop() {
        ingress_drop(output);
    }
    table destinations {
        key = {
            hdr.h.a: exact;
            input.ingress_port: ternary;
        }
        actions = { forward; drop; }
        psa_direct_counter = hits;
        psa_direct_meter = rates;
        psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL;
    }
    table members {
        key = {
            hdr.h.a: lpm;
        }
        actions = { to; drop; }
        psa_implementation = profile;
        psa_idle_timeout = PSA_IdleTimeout_t.NO_TIMEOUT;
    }
    table groups {
        key = {
            hdr.h.a: exact;
            hdr.h.b: selector;
        }
        actions = { to; drop; }
        psa_implementation = choice;
    }
    apply {
        packets.count(input.ingress_port);
        both.count(3);
        meta.colour = rate.execute(input.ingress_port);
        last.write(input.ingress_port, 1);
        sums.write(3, no_object.get_hash(hdr.h.b));
        destinations.apply();
        members.apply();
        groups.apply();
    }
}

control CloseIngress(packet_out packet, out empty_t cloned, out empty_t resubmitted, out empty_t normal,
                     inout headers_t hdr, in meta_t meta, in psa_ingress_output_metadata_t output) {
    Digest<report_t>() reports;
    apply {
        reports.pack({ output.egress_port, hdr.h.a });
        packet.emit(hdr);
    }
}

parser Reopen(packet_in packet, out headers_t hdr, inout meta_t meta,
              in psa_egress_parser_input_metadata_t input, in empty_t normal, in empty_t cloned, in empty_t again) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Send(inout headers_t hdr, inout meta_t meta,
             in psa_egress_input_metadata_t input, inout psa_egress_output_metadata_t output) {
    apply {
        hdr.to_controller.setValid();
        hdr.to_controller.port = psa_PortId_int_to_header(input.egress_port);
    }
}

control CloseEgress(packet_out packet, out empty_t cloned, out empty_t recirculated, inout headers_t hdr,
                    in meta_t meta, in psa_egress_output_metadata_t output,
                    in psa_egress_deparser_input_metadata_t input) {
    apply {
        packet.emit(hdr);
    }
}

IngressPipeline(Receive(), Forward(), CloseIngress()) incoming;
EgressPipeline(Reopen(), Send(), CloseEgress()) outgoing;
PSA_Switch(incoming, PacketReplicationEngine(), outgoing, BufferingQueueingEngine()) main;
