/*
 * tc/pna.p4 - the Portable NIC Architecture in the form of Linux traffic control (P4TC): PNA 0.7,
 * the metadata of the kernel's packet buffers, and what the control plane sees of extern objects.
 */

#ifndef _TC_PNA_P4_
#define _TC_PNA_P4_

#define _PNA_VERSION_ 700
#define _PNA_TC_
#include <pna/architecture.p4>

/* Read the metadata of the packet's buffer (`sk_buff`), after `skb_get_meta`. */
extern void skb_get_meta();
extern bit<64> skb_get_tstamp();
extern bit<32> skb_get_mark();
extern bit<16> skb_get_tc_classid();
extern bit<16> skb_get_tc_index();
extern bit<16> skb_get_queue_mapping();
extern bit<16> skb_get_protocol();
extern bit<1> skb_get_tc_at_ingress();
extern bit<1> skb_get_from_ingress();

/* Change it; `skb_set_meta` makes the changes effective. */
extern void skb_set_tstamp(in bit<64> dummy);
extern void skb_set_mark(in bit<32> dummy);
extern void skb_set_tc_classid(in bit<16> dummy);
extern void skb_set_tc_index(in bit<16> dummy);
extern void skb_set_queue_mapping(in bit<16> dummy);
extern void skb_set_protocol(in bit<16> dummy);
extern void skb_set_meta();

/* The cells of extern objects as the control plane reads and writes them. */
struct tc_ControlPath_Counter<W, S> {
    @tc_key S index;
    @tc_data W pkts;
    @tc_data W bytes;
}

struct tc_ControlPath_DirectCounter<W> {
    @tc_key bit<32> index;
    @tc_data W pkts;
    @tc_data W bytes;
}

/* Rates and bursts of a meter (RFC 2698). */
struct tc_ControlPath_Meter<S> {
    @tc_key S index;
    @tc_data bit<64> cir;
    @tc_data bit<64> cbs;
    @tc_data bit<64> pir;
    @tc_data bit<64> pbs;
}

struct tc_ControlPath_DirectMeter {
    @tc_key bit<32> index;
    @tc_data bit<64> cir;
    @tc_data bit<64> cbs;
    @tc_data bit<64> pir;
    @tc_data bit<64> pbs;
}

struct tc_ControlPath_Register<T> {
    @tc_key bit<32> index;
    @tc_data T a_value;
}

struct tc_ControlPath_Digest<T> {
    @tc_key bit<32> index;
    @tc_data T data;
}

#endif
