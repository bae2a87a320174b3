/* bmv2/psa.p4 - the name under which programs for the software switch include the architecture. */
#include <psa/architecture.p4>
