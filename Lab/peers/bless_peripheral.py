#!/usr/bin/env python3
"""A peripheral that nobody here wrote: bless, through bluetoothd on one of its adapters, as many programs in Python are.

It is called peer-bless and has a part of what peripheral.py has: 'short', 'both', 'described' without descriptors,
'notified', 'indicated', and 'commands', of which it can do these:

    notify COUNT SIZE [MS]
    indicate COUNT SIZE
    same COUNT
"""
import argparse
import asyncio
import struct

from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties

from report import lines, report
import table

READ, WRITE = GATTAttributePermissions.readable, GATTAttributePermissions.writeable
PROPERTIES = GATTCharacteristicProperties

CHARACTERISTICS = [
    (table.SHORT, PROPERTIES.read | PROPERTIES.write, READ | WRITE, table.SHORT_VALUE),
    (table.BOTH, PROPERTIES.write | PROPERTIES.write_without_response, WRITE, b""),
    (table.DESCRIBED, PROPERTIES.read, READ, b"described"),
    (table.NOTIFIED, PROPERTIES.notify, READ, b""),
    (table.INDICATED, PROPERTIES.indicate, READ, b""),
    (table.COMMANDS, PROPERTIES.write, WRITE, b""),
]


class Peripheral:
    def __init__(self, adapter):
        self.loop = asyncio.get_running_loop()
        self.server = BlessServer(name="peer-bless", loop=self.loop, adapter=adapter)
        self.server.read_request_func = lambda characteristic: characteristic.value
        self.server.write_request_func = self.written

    async def start(self):
        await self.server.add_new_service(table.VALUES)
        for identifier, properties, permissions, value in CHARACTERISTICS:
            await self.server.add_new_characteristic(table.VALUES, identifier, properties, bytearray(value), permissions)
        await self.server.start()

    def written(self, characteristic, value):
        characteristic.value = value
        if characteristic.uuid == table.COMMANDS:
            self.loop.create_task(self.do(bytes(value).decode()))
        else:
            report("written", length=len(value), value=bytes(value[:32]))

    async def do(self, text):
        report("asked", command=text)
        word, *numbers = text.split()
        count, size, milliseconds = [*map(int, numbers), 0, 0][:3]
        if word not in ("notify", "indicate", "same"):
            report("unknown", command=text)
            return
        identifier = table.INDICATED if word == "indicate" else table.NOTIFIED
        for index in range(count):
            value = b"same" if word == "same" else struct.pack("<I", index).ljust(size, b".")
            self.server.get_characteristic(identifier).value = bytearray(value)
            self.server.update_value(table.VALUES, identifier)
            await asyncio.sleep(milliseconds / 1000)
        report("sent", count=count)


async def main(options):
    peripheral = Peripheral(options.adapter)
    await peripheral.start()
    report("ready")
    async for line in lines():
        await peripheral.do(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", default="hci1")
    asyncio.run(main(parser.parse_args()))
