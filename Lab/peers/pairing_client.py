#!/usr/bin/env python3
"""A client that nobody here wrote: pairs cameras as docs/pairing-protocol.md says, by bleak through bluetoothd.

A run is a layout, which may be 'best', the setup codes to try one after the other on the same link, and the result that it
must come to:

    pairing_client.py protected:00000000,20461812=wrongPassword chunked standard=keyRefused

With --probe it first shows the camera, on the exchange of the first run, what must be refused; each is a line 'check', which
says whether the refusal was 'ok'.
Each run looks for a camera that advertises pairing, connects, lists networks, hands the credentials over and waits for the
outcome, on the standard layout by its status. Each step is one line of JSON; the last of a run is 'outcome' with a 'result':
joined (which is also what it must come to if nothing is said), the failure that the camera told, the refusal that it gave,
or what else kept the client from going on. Ends with status 0 when all came to what they must; nothing runs after one that
did not.
"""
import argparse
import asyncio
import dataclasses
import sys

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError, BleakGATTProtocolError

from pairing_conversations import AttError, Failure, conversation
from pairing_fields import shown
from pairing_frames import Malformed
import pairing_messages as wire
from pairing_probe import Probe
from report import report

ATTEMPTS = 4


class Link:
    """bleak's, as the conversations want it."""

    def __init__(self, device, adapter):
        self.client = BleakClient(device, timeout=20, bluez={"adapter": adapter}, disconnected_callback=self.lost)
        self.conversations = {}

    def conversation(self, layout, expected_device):
        """One of each layout: the client's messages are counted on the link."""
        if layout not in self.conversations:
            self.conversations[layout] = conversation(layout, self, report, expected_device)
        return self.conversations[layout]

    def lost(self, _):
        report("disconnected")
        for one in self.conversations.values():
            one.end("linkLost")

    def characteristic(self, identifier):
        found = self.client.services.get_characteristic(identifier)
        if found is None:
            raise Failure("noCharacteristic", characteristic=identifier)
        return found

    async def read(self, identifier):
        return bytes(await self.translated(self.client.read_gatt_char(self.characteristic(identifier))))

    async def write(self, identifier, value):
        await self.translated(self.client.write_gatt_char(self.characteristic(identifier), value, response=True))

    async def subscribe(self, identifier, function):
        await self.translated(self.client.start_notify(self.characteristic(identifier),
                                                       lambda _, value: function(bytes(value))))

    def room(self, identifier):
        return self.characteristic(identifier).max_write_without_response_size

    async def translated(self, work):
        try:
            return await work
        except BleakGATTProtocolError as error:
            raise AttError(int(error.args[0])) from None
        except BleakError as error:
            raise Failure("linkLost", error=str(error)) from None


async def find(options):
    """The first camera in pairing mode whose layouts have the one asked for."""
    wanted = [layout.service for layout in wire.LAYOUTS.values()]
    async with BleakScanner(service_uuids=wanted, bluez={"adapter": options.adapter}) as scanner:
        async for device, heard in scanner.advertisement_data():
            if not set(heard.service_uuids) & set(wanted):
                continue
            if options.address and device.address != options.address:
                continue
            try:
                sighting = wire.Sighting.decode(heard.manufacturer_data.get(wire.COMPANY, b""))
            except Malformed:
                continue
            report("found", address=device.address, name=heard.local_name, services=heard.service_uuids,
                   phase=sighting.phase, failure=sighting.failure, layouts=sighting.layouts)
            return device


async def connect(options):
    for attempt in range(ATTEMPTS):
        try:
            device = await asyncio.wait_for(find(options), options.patience)
        except asyncio.TimeoutError:
            raise Failure("noCamera") from None
        link = Link(device, options.adapter)
        try:
            await link.client.connect()
            return link
        except (BleakError, TimeoutError) as error:
            # As every program on bleak does: BlueZ may drop a link that has just come up.
            report("retried", error=str(error))
    raise Failure("notConnected")


def choose(run, link):
    """A client that has a code insists on the protected layout (section 9)."""
    offered = [layout for layout in wire.LAYOUTS.values() if link.client.services.get_service(layout.service)]
    report("connected", layouts=[layout.name for layout in offered])
    if run.codes and wire.PROTECTED not in offered:
        raise Failure("notProtected")
    layout = offered[-1] if run.layout == "best" and offered else wire.LAYOUTS.get(run.layout)
    if layout not in offered:
        raise Failure("layoutNotOffered")
    report("layout", layout=layout.name)
    return layout


async def secure(talk, codes):
    for left, code in reversed(list(enumerate(reversed(codes or [None])))):
        try:
            await talk.secure(code)
            return
        except Failure as failure:
            report("not-secured", result=failure.result, codes_left=left)
            if failure.result != "wrongSetupCode" or left == 0:
                raise


async def pair(options, run, key, link):
    layout = choose(run, link)
    talk = link.conversation(layout, options.device)
    if options.probe and run is options.runs[0] and layout is not wire.STANDARD:
        await Probe(talk).run()
    await talk.begin()
    await secure(talk, run.codes)
    if not options.no_list:
        await talk.networks()
    fields = {name: value.encode() for name, value in (
        ("ssid", options.ssid), ("password", options.password), ("sessionKey", key),
        ("region", options.region), ("environment", options.environment)) if value is not None}
    if options.security is not None:
        fields["security"] = bytes([options.security])
    report("handing-over", **shown(fields))
    await talk.hand_over(fields)
    return await talk.outcome()


async def come_to(options, run, key, link):
    """The result of one run, and the link."""
    report("run", layout=run.layout, codes=len(run.codes))
    details = {}
    try:
        link = link or await connect(options)
        result = await pair(options, run, key, link)
    except Failure as failure:
        result, details = failure.result, failure.fields
    except Malformed as error:
        result, details = "malformed", {"error": str(error)}
    report("outcome", result=result, **details)
    return result, link


async def main(options):
    link = None
    keys = options.keys + options.keys[-1:] * len(options.runs)
    for run, key, after in zip(options.runs, keys, [*options.runs[1:], None]):
        result, link = await come_to(options, run, key, link)
        if link is not None and (result != run.result or after is None or not options.one_link):
            if link.client.is_connected:
                await link.client.disconnect()
            link = None
        if result != run.result:
            return 1
    return 0


@dataclasses.dataclass
class Run:
    layout: str
    codes: list[str]
    result: str

    @classmethod
    def parse(cls, text):
        way, _, result = text.partition("=")
        layout, _, codes = way.partition(":")
        if layout not in (*wire.LAYOUTS, "best"):
            raise ValueError(layout)
        return cls(layout, codes.split(",") if codes else [], result or "joined")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Run.parse, metavar="LAYOUT[:CODE,…][=RESULT]")
    parser.add_argument("--adapter", default="hci0")
    parser.add_argument("--address", help="only this camera")
    parser.add_argument("--device", help="the device id that the camera must have")
    parser.add_argument("--one-link", action="store_true", help="all runs on one link; else each has its own")
    parser.add_argument("--probe", action="store_true",
                        help="see first that the camera refuses what the document says")
    parser.add_argument("--no-list", action="store_true", help="do not ask for networks")
    parser.add_argument("--ssid", default="Porchlight Demo")
    parser.add_argument("--security", type=int)
    parser.add_argument("--password")
    parser.add_argument("--keys", nargs="+", default=["8Zk3vQ1nT0xWb6RgYc2uLw"], metavar="KEY",
                        help="session keys, one for each run; the last is that of all further ones")
    parser.add_argument("--region", default="us")
    parser.add_argument("--environment", default="dev")
    parser.add_argument("--patience", type=float, default=30, help="seconds until a camera is heard")
    sys.exit(asyncio.run(main(parser.parse_args())))
