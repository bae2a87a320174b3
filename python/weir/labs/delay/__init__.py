"""The delay lab: how long a switch holds packets back by recirculating them."""
