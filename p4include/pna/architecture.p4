/* pna/architecture.p4 - the Portable NIC Architecture, for all files named pna.p4. */

#ifndef _PNA_P4_
#define _PNA_P4_

#ifndef _PNA_VERSION_
#define _PNA_VERSION_ 500
#endif

#include <core.p4>
#include <pna/types.p4>
#include <pna/externs.p4>

#if _PNA_VERSION_ < 700
#include <pna/version5.p4>
#else
#include <pna/version7.p4>
#endif

#endif
