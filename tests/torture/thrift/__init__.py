"""Calls to BMv2's Thrift services, and bytes that are not calls. They need thriftpy2."""

from torture.case import Class
from torture.thrift.clients import calls, damaged, several

CLASS = Class("thrift", {"calls": (50, calls), "damaged": (45, damaged), "several": (5, several)})
