"""Links of a running network, their ends, and samplers, sniffers and captures at the ends."""
