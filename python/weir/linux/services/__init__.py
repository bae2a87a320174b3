"""What runs in processes of its own on hosts of the Linux world: senders, receivers, observers."""
