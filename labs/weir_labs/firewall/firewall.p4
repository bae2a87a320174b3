/*
 * firewall.p4 - an IPv4 switch that lets only admitted hosts talk.
 *
 * As in the thesis, all of it is in ingress: the source MAC address must belong to the port, IPv4
 * says where the packet goes, and the receiver's MAC address must belong to the port where it leaves.
 * Around that: requests to the controller, checks of headers, rules on layers 3 and 4, and new
 * hosts that may only answer. MAC addresses stay those of the two hosts all the way.
 */

#include <core.p4>
#include <v1model.p4>

#include "headers.p4"
#include "reasons.p4"
#include "parser.p4"
#include "policy.p4"
#include "contacts.p4"
#include "requests.p4"

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.dontFragment,
              hdr.ipv4.moreFragments, hdr.ipv4.fragOffset, hdr.ipv4.ttl, hdr.ipv4.protocol,
              hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    counter(REASONS, CounterType.packets) refused;      // by reason

    Sanity() sanity;
    Policy() policy;
    Contacts() contacts;
    Requests() requests;

    bit<32> reason = REASONS;

    action admit(host_t number, ipv4_address_t address, bit<1> is_new) {
        meta.source = number;
        meta.address = address;
        meta.is_new = is_new;
    }

    action unknown() {
        reason = UNKNOWN_SOURCE;
    }

    // Which host may send at which port. The controller is notified of entries that nobody uses.
    table sources {
        key = {
            hdr.ethernet.srcAddr: exact;
            standard_metadata.ingress_port: exact;
        }
        actions = { admit; unknown; }
        size = 1024;
        support_timeout = true;
        const default_action = unknown();
    }

    action forward(mac_t dstAddr, port_t port) {
        hdr.ethernet.dstAddr = dstAddr;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        standard_metadata.egress_spec = port;
    }

    action unreachable() {
        reason = UNKNOWN_TARGET;
    }

    table routes {
        key = { hdr.ipv4.dstAddr: exact; }
        actions = { forward; unreachable; }
        size = 1024;
        const default_action = unreachable();
    }

    action reach(host_t number) {
        meta.target = number;
    }

    action wrong_port() {
        reason = WRONG_PORT;
    }

    // Which host may receive at which port.
    table targets {
        key = {
            hdr.ethernet.dstAddr: exact;
            standard_metadata.egress_spec: exact;
        }
        actions = { reach; wrong_port; }
        size = 1024;
        const default_action = wrong_port();
    }

    apply {
        if (hdr.from_controller.isValid()) {
            standard_metadata.egress_spec = hdr.from_controller.egress_port;
            hdr.from_controller.setInvalid();
            return;
        }
        if (hdr.ethernet.isValid()) {
            if (hdr.ethernet.etherType == TYPE_REQUEST) {
                requests.apply(hdr, standard_metadata, reason);
                if (reason != REASONS) {
                    refused.count(reason);
                    mark_to_drop(standard_metadata);
                }
                return;
            }
            sources.apply();
        } else {
            reason = MALFORMED;
        }
        if (reason == REASONS) {
            sanity.apply(hdr, meta, standard_metadata, reason);
        }
        if (reason == REASONS && hdr.ipv4.isValid()) {
            if (hdr.ipv4.srcAddr != meta.address) {
                reason = WRONG_ADDRESS;
            } else {
                routes.apply();
            }
        }
        if (reason == REASONS) {
            if (standard_metadata.egress_spec == standard_metadata.ingress_port) {
                reason = WRONG_PORT;
            } else {
                targets.apply();
            }
        }
        bool stopped = false;
        if (reason == REASONS) {
            policy.apply(hdr, meta, stopped);
            if (stopped) {
                reason = DENIED;
            }
        }
        // The last check, so that only packets that pass open the way for an answer.
        if (reason == REASONS) {
            contacts.apply(meta, standard_metadata, stopped);
            if (stopped) {
                reason = NOT_CONTACTED;
            }
        }
        if (reason != REASONS) {
            refused.count(reason);
            mark_to_drop(standard_metadata);
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    apply { }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.dontFragment,
              hdr.ipv4.moreFragments, hdr.ipv4.fragOffset, hdr.ipv4.ttl, hdr.ipv4.protocol,
              hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
