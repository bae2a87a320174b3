/*
 * psa.p4 - the Portable Switch Architecture (PSA v1.2):
 *
 *   IngressParser -> Ingress -> IngressDeparser -> (packet replication engine)
 *     -> EgressParser -> Egress -> EgressDeparser -> (buffer queueing engine)
 * The specification leaves the widths of ports, groups and other numbers to the target. These are
 * the widths that the P4Runtime translations use. Programs for p4c's DPDK target include
 * `dpdk/psa.p4`, which adds its methods of counters and meters.
 */

#include <psa/architecture.p4>
