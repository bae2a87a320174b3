/*
 * dpdk/psa.p4 - the Portable Switch Architecture in the form of p4c's DPDK target: its counters and
 * meters take the length of a packet from the program.
 */
#define _PSA_DPDK_
#include <psa/architecture.p4>
