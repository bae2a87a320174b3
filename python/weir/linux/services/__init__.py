"""Services in processes of their own on hosts of the Linux world: senders, receivers, observers."""
