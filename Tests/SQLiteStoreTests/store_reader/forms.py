"""What is wrong with a file, and the forms of its values."""

import plistlib
import struct
from decimal import Decimal


class Fault(Exception):
    """A rule of the format that the file does not keep."""


def printable(value):
    """A value of a property list in JSON."""
    if isinstance(value, dict):
        return {key: printable(element) for key, element in value.items()}
    if isinstance(value, list):
        return [printable(element) for element in value]
    if isinstance(value, (bytes, bytearray)):
        return {"data": bytes(value).hex()}
    if isinstance(value, float):
        return {"real": bits(value)}
    if isinstance(value, plistlib.UID):
        return {"uid": value.data}
    if hasattr(value, "timestamp"):
        return {"date": bits((value - value.__class__(2001, 1, 1)).total_seconds())}
    return value


def bits(number):
    return struct.pack(">d", number).hex()


def float_bits(number):
    try:
        return struct.pack(">f", number).hex()
    except OverflowError:
        return struct.pack(">f", float("inf") if number > 0 else float("-inf")).hex()


def decimal_text(value):
    if isinstance(value, float):
        value = repr(value)
    number = Decimal(value)
    if not number.is_finite():
        raise ValueError
    result = format(number, "f")
    if "." in result:
        result = result.rstrip("0").rstrip(".")
    return "0" if result == "-0" else result
