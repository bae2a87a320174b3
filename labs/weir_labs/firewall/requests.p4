/*
 * requests.p4 - requests to join or leave go to the controller, few of each port.
 *
 * Each port has a meter, so that a flood at one port takes nothing from hosts at others, and the
 * controller never gets more than it can read.
 */

const bit<32> PORTS = 512;
const bit<32> REQUEST_BYTES = 67;       // Ethernet, kind, address, nonce and token

control Requests(inout headers hdr,
                 inout standard_metadata_t standard_metadata,
                 out bit<32> reason) {
    meter(PORTS, MeterType.packets) requests;
    bit<2> colour = 0;

    action ask() {
        requests.execute_meter((bit<32>)standard_metadata.ingress_port, colour);
        reason = REASONS;
    }

    action refuse() {
        reason = BAD_REQUEST;
    }

    // The ports of hosts. Requests from other switches are refused: a host asks its own switch.
    table host_ports {
        key = { standard_metadata.ingress_port: exact; }
        actions = { ask; refuse; }
        size = 512;
        const default_action = refuse();
    }

    apply {
        reason = BAD_REQUEST;
        if (standard_metadata.packet_length == REQUEST_BYTES) {
            host_ports.apply();
            if (colour != 0) {
                reason = TOO_MANY_REQUESTS;
            }
        }
        if (reason == REASONS) {
            hdr.to_controller.setValid();
            hdr.to_controller.ingress_port = standard_metadata.ingress_port;
            hdr.to_controller.pad = 0;
            standard_metadata.egress_spec = CPU_PORT;
        }
    }
}
