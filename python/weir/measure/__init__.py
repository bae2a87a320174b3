"""Results of measurements: typed values, and data frames of them."""

from weir.measure.ping import PingMatrix, PingReply, PingResult, ping_reply

__all__ = ["PingMatrix", "PingReply", "PingResult", "ping_reply"]
