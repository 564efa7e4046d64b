"""bleak's side of the benchmark: the same rows as Sources/gatt, answered the same way."""
import asyncio
import pathlib
import resource
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Lab" / "peers"))

from bleak import BleakClient, BleakScanner

from report import lines
import table

NAME = "peer-plain"
ADAPTER = {"adapter": "hci0"}
PACKET = b"." * 512
TOTAL = 64 * 1024


class Client:
    def __init__(self):
        self.scanner = None
        self.device = None
        self.link = None
        self.before = None
        self.remaining = 0
        self.came = asyncio.Event()

    async def start(self, count):
        pass

    async def scan(self, count):
        found = asyncio.Event()

        def heard(device, advertisement):
            if advertisement.local_name == NAME:
                self.device = device
                found.set()
        self.scanner = BleakScanner(heard, bluez=ADAPTER)
        await self.scanner.start()
        await found.wait()

    async def rest(self, count):
        await self.scanner.stop()

    async def connect(self, count):
        self.link = BleakClient(self.device, bluez=ADAPTER)
        await self.link.connect()

    async def read(self, count):
        short = self.link.services.get_characteristic(table.SHORT)
        for _ in range(count):
            await self.link.read_gatt_char(short)

    async def write(self, count):
        short = self.link.services.get_characteristic(table.SHORT)
        for _ in range(count):
            await self.link.write_gatt_char(short, b"." * 20, response=True)

    async def counted(self):
        value = await self.link.read_gatt_char(self.link.services.get_characteristic(table.COUNTED))
        return struct.unpack("<II", value)[1]

    async def count(self, count):
        self.before = await self.counted()

    async def stream(self, count):
        command = self.link.services.get_characteristic(table.COMMAND)
        for _ in range(TOTAL // len(PACKET)):
            await self.link.write_gatt_char(command, PACKET, response=False)
        while await self.counted() - self.before < TOTAL:
            pass

    async def subscribe(self, count):
        await self.link.start_notify(table.NOTIFIED, self.notified)

    def notified(self, characteristic, value):
        self.remaining -= 1
        if self.remaining == 0:
            self.came.set()

    async def notify(self, count):
        self.remaining = count
        self.came.clear()
        await self.link.write_gatt_char(table.COMMANDS, f"notify {count} 20".encode(), response=True)
        await self.came.wait()

    async def unsubscribe(self, count):
        await self.link.stop_notify(table.NOTIFIED)

    async def disconnect(self, count):
        await self.link.disconnect()


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main():
    client = Client()
    async for line in lines():
        row, *rest = line.split()
        busy, began = processor_seconds(), time.monotonic()
        try:
            await getattr(client, row)(int(rest[0]) if rest else 1)
            print(time.monotonic() - began, processor_seconds() - busy, flush=True)
        except Exception as error:
            print("failed", repr(error), flush=True)


asyncio.run(main())
