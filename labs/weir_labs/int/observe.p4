/* observe.p4 - what a switch knows of a packet's passage, and how it becomes metadata. */

const bit<16> BIT_NODE = 0x8000;
const bit<16> BIT_INTERFACES = 0x4000;
const bit<16> BIT_LATENCY = 0x2000;
const bit<16> BIT_QUEUE = 0x1000;
const bit<16> BIT_INGRESS_TIME = 0x0800;
const bit<16> BIT_EGRESS_TIME = 0x0400;
const bit<16> BIT_LOGICAL = 0x0200;
const bit<16> BIT_UTILIZATION = 0x0100;
const bit<16> BIT_BUFFER = 0x0080;
const bit<16> BIT_COMPLEMENT = 0x0001;
const bit<16> BIT_DROP = 0x0001;        // in reports

// Instructions with a meaning, but for checksum complement.
const bit<16> KNOWN = 0xff80;

// What each switch knows without configuration. v1model has no buffer that queues share.
const bit<16> ALWAYS = 0xfc00;

// The 32-bit words of metadata that instructions ask for.
bit<8> words_of(in bit<16> bits) {
    return (bit<8>) bits[15:15] + (bit<8>) bits[14:14] + (bit<8>) bits[13:13] + (bit<8>) bits[12:12]
        + ((bit<8>) bits[11:11] << 1) + ((bit<8>) bits[10:10] << 1) + ((bit<8>) bits[9:9] << 1)
        + (bit<8>) bits[8:8] + (bit<8>) bits[7:7] + (bit<8>) bits[6:6] + (bit<8>) bits[5:5]
        + (bit<8>) bits[4:4] + (bit<8>) bits[3:3] + (bit<8>) bits[2:2] + (bit<8>) bits[1:1]
        + (bit<8>) bits[0:0];
}

// Counts the bytes that ports send, in bins of time.
control Utilization(in port_t port, in bit<48> now, in bit<8> bin_log2_us, in bit<32> bytes,
                    out bit<32> last) {
    register<bit<48>>(512) bins;        // number of the current bin
    register<bit<32>>(512) current;     // bytes sent in it so far
    register<bit<32>>(512) complete;    // bytes sent in the bin before it

    apply {
        bit<32> place = (bit<32>) port;
        bit<48> bin = now >> bin_log2_us;
        bit<48> noted;
        bit<32> sent;
        @atomic {
            bins.read(noted, place);
            current.read(sent, place);
            complete.read(last, place);
            if (bin != noted) {
                last = bin == noted + 1 ? sent : 0;
                sent = 0;
                bins.write(place, bin);
                complete.write(place, last);
            }
            current.write(place, sent + bytes);
        }
    }
}

control Observe(inout metadata meta, in standard_metadata_t standard_metadata, in bit<32> last_bin) {
    // Logical interfaces, instruction bit 6: a VLAN, a tunnel, a link aggregation group.
    action set_logical_ingress(bit<32> id) {
        meta.local.logical_ingress = id;
    }

    action set_logical_egress(bit<32> id) {
        meta.local.logical_egress = id;
    }

    table logical_ingress {
        key = { standard_metadata.ingress_port: exact; }
        actions = { set_logical_ingress; NoAction; }
        size = 512;
        default_action = NoAction();
    }

    table logical_egress {
        key = { standard_metadata.egress_port: exact; }
        actions = { set_logical_egress; NoAction; }
        size = 512;
        default_action = NoAction();
    }

    apply {
        meta.local.available = ALWAYS;
        meta.local.ingress = (bit<16>) standard_metadata.ingress_port;
        meta.local.egress = (bit<16>) standard_metadata.egress_port;
        meta.local.ingress_time = standard_metadata.ingress_global_timestamp;
        meta.local.egress_time = standard_metadata.egress_global_timestamp;
        meta.local.latency = (bit<32>) (standard_metadata.egress_global_timestamp
            - standard_metadata.ingress_global_timestamp);
        meta.local.occupancy = (bit<24>) standard_metadata.enq_qdepth;
        if (logical_ingress.apply().hit) {
            if (logical_egress.apply().hit) {
                meta.local.available = meta.local.available | BIT_LOGICAL;
            }
        }
        if (meta.ppm_per_byte != 0) {
            bit<64> scaled = (bit<64>) last_bin * (bit<64>) meta.ppm_per_byte;
            meta.local.utilization = scaled[47:16];
            meta.local.available = meta.local.available | BIT_UTILIZATION;
        }
    }
}

// Writes the metadata that instructions ask for; the reserved value, ones, if there is none.
control Collect(inout hop_t hop, in local_t local, in bit<16> wanted) {
    apply {
        if (wanted & BIT_NODE != 0) {
            hop.node.setValid();
            hop.node.id = local.node;
        }
        if (wanted & BIT_INTERFACES != 0) {
            hop.interfaces.setValid();
            hop.interfaces.ingress = local.ingress;
            hop.interfaces.egress = local.egress;
        }
        if (wanted & BIT_LATENCY != 0) {
            hop.latency.setValid();
            hop.latency.us = local.latency;
        }
        if (wanted & BIT_QUEUE != 0) {
            hop.queue.setValid();
            hop.queue.id = 0;
            hop.queue.occupancy = local.occupancy;
        }
        if (wanted & BIT_INGRESS_TIME != 0) {
            hop.ingress_time.setValid();
            hop.ingress_time.us = (bit<64>) local.ingress_time;
        }
        if (wanted & BIT_EGRESS_TIME != 0) {
            hop.egress_time.setValid();
            hop.egress_time.us = (bit<64>) local.egress_time;
        }
        if (wanted & BIT_LOGICAL != 0) {
            hop.logical.setValid();
            bool known = local.available & BIT_LOGICAL != 0;
            hop.logical.ingress = known ? local.logical_ingress : 32w0xffffffff;
            hop.logical.egress = known ? local.logical_egress : 32w0xffffffff;
        }
        if (wanted & BIT_UTILIZATION != 0) {
            hop.utilization.setValid();
            hop.utilization.ppm = local.available & BIT_UTILIZATION != 0
                ? local.utilization : 32w0xffffffff;
        }
        if (wanted & BIT_BUFFER != 0) {
            hop.buffer.setValid();
            hop.buffer.id = 0xff;
            hop.buffer.occupancy = 0xffffff;
        }
    }
}

// Fills up with words of ones: reserved instruction bits, and instructions of unknown domains.
control Pad(inout hop_t hop, in bit<8> words) {
    apply {
        if (words & 1 != 0) {
            hop.ones1.setValid();
            hop.ones1.word = ~32w0;
        }
        if (words & 2 != 0) {
            hop.ones2.setValid();
            hop.ones2.words = ~64w0;
        }
        if (words & 4 != 0) {
            hop.ones4.setValid();
            hop.ones4.words = ~128w0;
        }
        if (words & 8 != 0) {
            hop.ones8.setValid();
            hop.ones8.words = ~256w0;
        }
        if (words & 16 != 0) {
            hop.ones16.setValid();
            hop.ones16.words = ~512w0;
        }
    }
}
