#!/usr/bin/env python3
"""Advertisers only, as many as wanted, none of which can be connected: a crowd, or packets that no decent device sends.

Makes a controller of software for the kernel (hciN, for bluetoothd) and puts on its air:

    crowd COUNT     advertisers with a name, a service and manufacturer data, each of its own address and strength
    odd             one advertiser for each entry of ODD below: malformed, cut short, as long as can be
    moving          one whose strength and manufacturer data change with each packet

and says what it sends: one line an advertiser, with the bytes.
"""
import argparse
import asyncio
import itertools
import logging
import struct

from bumble import core, hci

from air import KINDS, Advertisement, Air, give_to_kernel
from report import report
import table

SERVICE = core.UUID(table.VALUES).to_bytes()
COMPANY = 0xFFFF
FLAGS = bytes([2, 0x01, 0x06])

NAMED = b"\x05\x09odd!"

# Name, advertising data, scan response. The name of each is told apart by the address, since most cannot carry one.
ODD = [
    ("nothing", b"", b""),
    ("flags only", FLAGS, b""),
    ("zero length", FLAGS + b"\x00" + NAMED, b""),
    ("zeros", bytes(31), NAMED),
    ("length beyond the end", FLAGS + b"\x1e\xff\xff\xff", b""),
    ("length without type", FLAGS + b"\x01", b""),
    ("length one", FLAGS + b"\x01\x09" + NAMED, b""),
    ("cut name", FLAGS + b"\x0a\x09cut", b""),
    ("name not UTF-8", FLAGS + b"\x05\x09\xff\xfe\xc3\x28", b""),
    ("empty name", FLAGS + b"\x01\x09", b""),
    ("manufacturer data without company", FLAGS + b"\x02\xff\xff" + NAMED, b""),
    ("company without data", FLAGS + b"\x03\xff\xff\xff" + NAMED, b""),
    ("odd list of 16-bit services", FLAGS + b"\x04\x03\x0d\x18\x0f" + NAMED, b""),
    ("short list of 128-bit services", FLAGS + b"\x09\x07" + SERVICE[:8] + NAMED, b""),
    ("service data without service", FLAGS + b"\x02\x16\xaa" + NAMED, b""),
    ("two manufacturers", FLAGS + b"\x04\xff\x01\x00a\x04\xff\x02\x00b" + NAMED, b""),
    ("same manufacturer twice", FLAGS + b"\x04\xff\x01\x00a\x04\xff\x01\x00b" + NAMED, b""),
    ("flags last", NAMED + b"\x04\xff\x01\x00a" + FLAGS, b""),
    ("unknown types", FLAGS + b"\x03\x7f\x01\x02\x02\x00\x01" + NAMED, b""),
    ("as long as can be", b"\x1e\xff" + struct.pack("<H", COMPANY) + bytes(range(27)), b"\x1e\x09" + b"n" * 29),
    ("random", bytes.fromhex("9f0b66c3a1e2f40d7788c1005502aa19e76f3c8d4b21f09e8a7c6d5e4f3a21"), b""),
]


class Crowd:
    """Sends for all its advertisers; not a controller, since there are more of them than anybody would want controllers."""

    def __init__(self, air, interval):
        self.air = air
        self.interval = interval
        self.advertisers = []

    def add(self, name, packets):
        """Of the packets, one after the other goes out, again and again."""
        self.advertisers.append(itertools.cycle(packets))
        first = packets[0]
        report("advertiser", name=name, address=str(first.advertiser_address), data=first.data,
               scan_response=first.scan_response, strength=first.strength)

    async def run(self):
        """All of them within one interval, spread evenly."""
        while True:
            for advertiser in self.advertisers:
                self.air.send_advertising_pdu(self, next(advertiser))
                await asyncio.sleep(self.interval / len(self.advertisers))


def address(group, index):
    return hci.Address(f"C0:00:00:00:{group:02X}:{index:02X}")


def structure(kind, data):
    return bytes([len(data) + 1, kind]) + data


def crowd(count):
    for index in range(count):
        manufacturer = structure(0xFF, struct.pack("<HI", COMPANY, index))
        yield f"crowd-{index:03d}", [Advertisement(
            address(0x10 + index // 256, index % 256), FLAGS + structure(0x07, SERVICE) + manufacturer,
            structure(0x09, f"crowd-{index:03d}".encode()), KINDS.ADV_SCAN_IND, -40 - index % 60)]


def odd():
    for index, (name, data, scan_response) in enumerate(ODD):
        yield name, [Advertisement(address(0x20, index), data, scan_response, KINDS.ADV_SCAN_IND)]


def moving():
    yield "moving", [Advertisement(
        address(0x30, 0), FLAGS + structure(0xFF, struct.pack("<HH", COMPANY, index)),
        structure(0x09, b"moving"), KINDS.ADV_SCAN_IND, -40 - index % 50) for index in range(1000)]


async def main(options):
    air = Air()
    kernel = await give_to_kernel(air, options.kernel)
    sender = Crowd(air, options.interval)
    groups = [crowd(options.crowd), odd() if options.odd else (), moving() if options.moving else ()]
    for name, packets in itertools.chain(*groups):
        sender.add(name, packets)
    report("ready", advertisers=len(sender.advertisers))
    running = asyncio.get_running_loop().create_task(sender.run())
    await kernel.transport.source.terminated
    running.cancel()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crowd", type=int, default=0, metavar="COUNT", help="at most 4,096")
    parser.add_argument("--odd", action="store_true")
    parser.add_argument("--moving", action="store_true")
    parser.add_argument("--interval", type=float, default=0.5, metavar="SECONDS", help="between two of one advertiser")
    parser.add_argument("--kernel", default="F0:00:00:00:00:03", metavar="ADDRESS", help="of the kernel's controller")
    chosen = parser.parse_args()
    if not chosen.crowd and not chosen.odd and not chosen.moving:
        parser.error("nothing to advertise: say --crowd, --odd or --moving")
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main(chosen))
