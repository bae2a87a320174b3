/* bmv2/pna.p4 - the name under which programs for the software switch include PNA 0.7. */
#define _PNA_VERSION_ 700
#include <pna/architecture.p4>
