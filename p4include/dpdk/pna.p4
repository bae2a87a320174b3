/*
 * dpdk/pna.p4 - the Portable NIC Architecture in the form of p4c's DPDK target: more hash
 * algorithms, counters and meters that take the length of a packet from the program, and an
 * accelerator for IPsec.
 */
#define _PNA_DPDK_
#include <pna/architecture.p4>
