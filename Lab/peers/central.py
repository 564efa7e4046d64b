#!/usr/bin/env python3
"""A central that nobody here wrote: Bumble, doing one step after the other and saying how each went.

Makes a controller of software for the kernel (hciN, for bluetoothd, whose peripheral it is to meet) and, on the same air,
so many centrals. A step is a line of standard input; 'second read short' is the second central's, and one after '& ' is
not waited for. Identifiers are UUIDs or names of table.py. Each step is answered by one line: {"event": "step", "step": …,
"ok": …}, with what it brought, or the ATT error.

    scan NAME [SECONDS]        until an advertisement with this name, of both its packets
    connect NAME [SECONDS]     scans for it first
    mtu SIZE                   asks for it
    discover                   services, included services, characteristics, descriptors
    read IDENTIFIER            read, and read blob for the rest
    read-at IDENTIFIER OFFSET  one read blob
    read-descriptor IDENTIFIER DESCRIPTOR
    write IDENTIFIER TEXT      a request; longer than MTU - 3: prepare and execute
    write-bytes IDENTIFIER COUNT    the same with bytes 0, 1, 2 … 250, 0 …
    whole IDENTIFIER COUNT     as write-bytes, but never in parts
    command IDENTIFIER TEXT
    commands IDENTIFIER COUNT SIZE
    prepare IDENTIFIER OFFSET TEXT
    execute | cancel           what has been prepared
    subscribe IDENTIFIER [indications]
    unsubscribe IDENTIFIER
    values IDENTIFIER COUNT [SECONDS]   until so many have come since the subscription
    silent                     confirms no indication from now on
    disconnect
    vanish SECONDS             is gone without a word, and comes back
"""
import argparse
import asyncio
import logging

from bumble import att, core, hci
from bumble.device import Device

from air import Air, Radio, give_to_kernel, host_of
from report import lines, report
from steps import Failure, Values, pattern, perform
import table

ORDINALS = ["first", "second", "third", "fourth"]
PATIENCE = 30


class Central:
    def __init__(self, name, air, number, mtu):
        self.name = name
        address = hci.Address(f"C0:00:00:00:02:{number:02X}")
        self.radio = Radio(name, air, address)
        self.device = Device(name=f"central-{name}", address=address, host=host_of(self.radio))
        self.link = None
        self.values = Values()
        if mtu is not None:
            self.device.gatt_server.max_mtu = mtu

    def att_code(self, error):
        return error.error_code if isinstance(error, att.ATT_Error) else None

    @property
    def client(self):
        if self.link is None:
            raise Failure("not connected")
        return self.link.gatt_client

    def characteristic(self, identifier):
        found = self.client.get_characteristics_by_uuid(core.UUID(table.named(identifier)))
        if not found:
            raise Failure(f"no characteristic {identifier}")
        return found[0]

    async def ask(self, request):
        answer = await self.client.send_request(request)
        if isinstance(answer, att.ATT_Error_Response):
            raise att.ATT_Error(answer.error_code)
        return answer

    # Finding and connecting

    async def find(self, name, seconds):
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement):
            names = [advertisement.data.get(kind, raw=True) for kind in (
                core.AdvertisingData.Type.COMPLETE_LOCAL_NAME, core.AdvertisingData.Type.SHORTENED_LOCAL_NAME)]
            if name.encode() in names and not found.done():
                found.set_result(advertisement)
        self.device.on("advertisement", heard)
        await self.device.start_scanning()
        try:
            return await asyncio.wait_for(found, float(seconds))
        except asyncio.TimeoutError:
            raise Failure(f"nothing called {name} was heard") from None
        finally:
            await self.device.stop_scanning()
            self.device.remove_listener("advertisement", heard)

    async def do_scan(self, name, seconds=PATIENCE):
        advertisement = await self.find(name, seconds)
        return {"address": str(advertisement.address), "connectable": advertisement.is_connectable,
                "structures": [[int(kind), bytes(data).hex()] for kind, data in advertisement.data.ad_structures]}

    async def do_connect(self, name, seconds=PATIENCE):
        advertisement = await self.find(name, seconds)
        self.link = await self.device.connect(advertisement.address, timeout=float(seconds))
        self.link.on("disconnection", self.lost)
        return {"address": str(advertisement.address)}

    def lost(self, reason):
        self.link = None
        report("disconnected", central=self.name, reason=reason)

    async def do_disconnect(self):
        if self.link is None:
            raise Failure("not connected")
        await self.link.disconnect()

    async def do_vanish(self, seconds):
        await self.radio.vanish()
        await asyncio.sleep(float(seconds))
        self.radio.come_back()

    # Attributes

    async def do_mtu(self, size):
        return {"mtu": await self.client.request_mtu(int(size))}

    async def do_discover(self):
        found = {}
        for service in await self.client.discover_services():
            characteristics = {}
            for characteristic in await service.discover_characteristics():
                descriptors = await characteristic.discover_descriptors()
                characteristics[written(characteristic.uuid)] = {
                    "properties": int(characteristic.properties), "descriptors": [written(one.type) for one in descriptors]}
            included = await self.client.discover_included_services(service)
            found[written(service.uuid)] = {
                "included": [written(one.uuid) for one in included], "characteristics": characteristics}
        return {"services": found}

    async def do_read(self, identifier):
        value = await self.client.read_value(self.characteristic(identifier))
        return {"length": len(value), "value": value}

    async def do_read_at(self, identifier, offset):
        answer = await self.ask(att.ATT_Read_Blob_Request(self.characteristic(identifier).handle, int(offset)))
        return {"length": len(answer.part_attribute_value), "value": answer.part_attribute_value}

    async def do_read_descriptor(self, identifier, descriptor):
        wanted = core.UUID(table.named(descriptor))
        found = [one for one in self.characteristic(identifier).descriptors if one.type == wanted]
        if not found:
            raise Failure(f"no descriptor {descriptor}")
        return {"value": await self.client.read_value(found[0])}

    async def do_write(self, identifier, *words):
        await self.client.write_value(self.characteristic(identifier), " ".join(words).encode(), with_response=True)

    async def do_write_bytes(self, identifier, count):
        await self.client.write_value(self.characteristic(identifier), pattern(count), with_response=True)

    async def do_whole(self, identifier, count):
        await self.ask(att.ATT_Write_Request(self.characteristic(identifier).handle, pattern(count)))

    async def do_command(self, identifier, *words):
        await self.client.write_value(self.characteristic(identifier), " ".join(words).encode())

    async def do_commands(self, identifier, count, size):
        for _ in range(int(count)):
            await self.client.write_value(self.characteristic(identifier), pattern(size))

    async def do_prepare(self, identifier, offset, *words):
        answer = await self.ask(att.ATT_Prepare_Write_Request(
            self.characteristic(identifier).handle, int(offset), " ".join(words).encode()))
        return {"value": answer.part_attribute_value}

    async def do_execute(self):
        await self.ask(att.ATT_Execute_Write_Request(flags=1))

    async def do_cancel(self):
        await self.ask(att.ATT_Execute_Write_Request(flags=0))

    # Values that come by themselves

    async def do_subscribe(self, identifier, way="notifications"):
        characteristic = self.characteristic(identifier)
        await characteristic.subscribe(self.values.begin(identifier), prefer_notify=way == "notifications")

    async def do_unsubscribe(self, identifier):
        await self.characteristic(identifier).unsubscribe(force=True)

    async def do_values(self, identifier, count, seconds=PATIENCE):
        return await self.values.wait(identifier, int(count), float(seconds))

    async def do_silent(self):
        self.client.send_confirmation = lambda confirmation: report("unconfirmed", central=self.name)


def written(uuid):
    return uuid.to_hex_str("-").lower()


async def main(options):
    air = Air()
    kernel = await give_to_kernel(air, options.kernel)
    centrals = {}
    for number, name in enumerate(ORDINALS[:options.centrals], 1):
        centrals[name] = Central(name, air, number, options.mtu)
        await centrals[name].device.power_on()
    report("ready")
    async for line in lines():
        name, _, rest = line.partition(" ")
        central, step = (centrals[name], rest) if name in centrals else (centrals[ORDINALS[0]], line)
        if step.startswith("& "):
            asyncio.get_running_loop().create_task(perform(central, central.name, step[2:]))
        else:
            await perform(central, central.name, step)
    await kernel.transport.source.terminated


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--centrals", type=int, default=1, choices=range(1, 5))
    parser.add_argument("--mtu", type=int, help="the largest that they agree to; bluetoothd asks for 517 by itself")
    parser.add_argument("--kernel", default="F0:00:00:00:00:02", metavar="ADDRESS", help="of the kernel's controller")
    parser.add_argument("--log", default="WARNING", help="Bumble's log level, on standard error")
    chosen = parser.parse_args()
    logging.basicConfig(level=chosen.log.upper())
    asyncio.run(main(chosen))
