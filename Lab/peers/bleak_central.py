#!/usr/bin/env python3
"""A central that nobody here wrote: bleak, through bluetoothd on one of its adapters, as many programs in Python are.

The steps are lines of standard input and are answered as those of central.py, of which bleak can do these:

    scan NAME [SECONDS]
    connect NAME [SECONDS]
    discover
    read IDENTIFIER
    read-descriptor IDENTIFIER DESCRIPTOR
    write IDENTIFIER TEXT
    write-bytes IDENTIFIER COUNT
    command IDENTIFIER TEXT
    commands IDENTIFIER COUNT SIZE
    subscribe IDENTIFIER
    unsubscribe IDENTIFIER
    values IDENTIFIER COUNT [SECONDS]
    disconnect
    sleep SECONDS
"""
import argparse
import asyncio

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError, BleakGATTProtocolError

from report import lines, report
from steps import Failure, Values, pattern, perform
import table

PATIENCE = 30
ATTEMPTS = 4


class Central:
    def __init__(self, adapter):
        self.settings = {"adapter": adapter}
        self.link = None
        self.values = Values()

    def att_code(self, error):
        return int(error.code) if isinstance(error, BleakGATTProtocolError) else None

    @property
    def client(self):
        if self.link is None or not self.link.is_connected:
            raise Failure("not connected")
        return self.link

    def characteristic(self, identifier):
        found = self.client.services.get_characteristic(table.named(identifier))
        if found is None:
            raise Failure(f"no characteristic {identifier}")
        return found

    async def find(self, name, seconds):
        async with BleakScanner(bluez=self.settings) as scanner:
            try:
                async with asyncio.timeout(float(seconds)):
                    async for device, advertisement in scanner.advertisement_data():
                        if advertisement.local_name == name:
                            return device, advertisement
            except TimeoutError:
                raise Failure(f"nothing called {name} was heard") from None

    async def do_scan(self, name, seconds=PATIENCE):
        device, advertisement = await self.find(name, seconds)
        return {"address": device.address, "rssi": advertisement.rssi, "services": advertisement.service_uuids,
                "manufacturer": {str(key): value.hex() for key, value in advertisement.manufacturer_data.items()},
                "data": {key: value.hex() for key, value in advertisement.service_data.items()}}

    async def do_connect(self, name, seconds=PATIENCE):
        for attempt in range(ATTEMPTS):
            device, _ = await self.find(name, seconds)
            self.link = BleakClient(device, timeout=float(seconds), bluez=self.settings,
                                    disconnected_callback=lambda _: report("disconnected", central="bleak"))
            try:
                await self.link.connect()
                return {"address": device.address, "attempts": attempt + 1}
            except BleakError as error:
                # As every program on bleak does: BlueZ may drop a link that has just come up.
                report("retried", central="bleak", error=str(error))
        raise Failure("could not be connected")

    async def do_disconnect(self):
        await self.client.disconnect()

    async def do_sleep(self, seconds):
        await asyncio.sleep(float(seconds))

    async def do_discover(self):
        return {"services": {
            service.uuid: {
                one.uuid: {"properties": sorted(one.properties), "descriptors": [each.uuid for each in one.descriptors]}
                for one in service.characteristics}
            for service in self.client.services}}

    async def do_read(self, identifier):
        value = await self.client.read_gatt_char(self.characteristic(identifier))
        return {"length": len(value), "value": value}

    async def do_read_descriptor(self, identifier, descriptor):
        wanted = table.named(descriptor)
        found = [one for one in self.characteristic(identifier).descriptors if one.uuid == wanted]
        if not found:
            raise Failure(f"no descriptor {descriptor}")
        return {"value": await self.client.read_gatt_descriptor(found[0])}

    async def do_write(self, identifier, *words):
        await self.client.write_gatt_char(self.characteristic(identifier), " ".join(words).encode(), response=True)

    async def do_write_bytes(self, identifier, count):
        await self.client.write_gatt_char(self.characteristic(identifier), pattern(count), response=True)

    async def do_command(self, identifier, *words):
        await self.client.write_gatt_char(self.characteristic(identifier), " ".join(words).encode(), response=False)

    async def do_commands(self, identifier, count, size):
        for _ in range(int(count)):
            await self.client.write_gatt_char(self.characteristic(identifier), pattern(size), response=False)

    async def do_subscribe(self, identifier):
        came = self.values.begin(identifier)
        await self.client.start_notify(self.characteristic(identifier), lambda _, value: came(value))

    async def do_unsubscribe(self, identifier):
        await self.client.stop_notify(self.characteristic(identifier))

    async def do_values(self, identifier, count, seconds=PATIENCE):
        return await self.values.wait(identifier, int(count), float(seconds))


async def main(options):
    central = Central(options.adapter)
    report("ready")
    async for line in lines():
        await perform(central, "bleak", line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", default="hci0")
    asyncio.run(main(parser.parse_args()))
