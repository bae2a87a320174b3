/*
 * pna.p4 - the Portable NIC Architecture (PNA):
 *
 *   network port or host -> MainParser -> MainControl -> MainDeparser -> network port or host
 *
 * Two versions of the specification are in use, and their programs differ. Version 0.5, which p4c
 * has under this name, runs a PreControl before the main parser, gives the direction of a packet
 * and the number of its pass, and has an extern that recirculates. Version 0.7 has no PreControl
 * and says only whether a packet is recirculated. To use it, include `bmv2/pna.p4`, or define
 * `_PNA_VERSION_` as 700 first.
 */

#include <pna/architecture.p4>
