#!/usr/bin/env python3
"""A client that nobody here wrote: pairs a camera as docs/pairing-protocol.md says, by bleak through bluetoothd.

Looks for a camera that advertises pairing, takes the best layout that it offers or the one asked for, lists networks, hands
the credentials over and waits for the outcome. Each step is one line of JSON, the last of which is 'outcome' with a
'result': joined, the failure that the camera told, or what kept it from going on. Ends with status 0 when the camera has
joined, or when the result is that of --expect.

With the standard layout it stays and watches the status. With --tries N it gives the setup code so many times, on one link,
and goes on only when it was right.
"""
import argparse
import asyncio
import sys

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError, BleakGATTProtocolError

import pairing_messages as wire
from pairing_conversations import AttError, Failure, conversation, shown, within
from report import report

ATTEMPTS = 4


class Link:
    """bleak's, as the conversations want it."""

    def __init__(self, client):
        self.client = client

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
            except wire.Malformed:
                continue
            report("found", address=device.address, name=heard.local_name, services=heard.service_uuids,
                   phase=sighting.phase, failure=sighting.failure, layouts=sighting.layouts)
            return device


async def connect(options):
    for attempt in range(ATTEMPTS):
        device = await within(find(options), options.patience, "noCamera")
        client = BleakClient(device, timeout=20, bluez={"adapter": options.adapter},
                             disconnected_callback=lambda _: report("disconnected"))
        try:
            await client.connect()
            return client
        except (BleakError, TimeoutError) as error:
            # As every program on bleak does: BlueZ may drop a link that has just come up.
            report("retried", error=str(error))
    raise Failure("notConnected")


def choose(options, client):
    offered = [layout for layout in wire.LAYOUTS.values() if client.services.get_service(layout.service)]
    report("connected", layouts=[layout.name for layout in offered])
    if options.layout == "best":
        if options.code and wire.PROTECTED not in offered:
            raise Failure("notProtected")
        return offered[-1]
    if wire.LAYOUTS[options.layout] not in offered:
        raise Failure("layoutNotOffered")
    return wire.LAYOUTS[options.layout]


async def secure(options, talk):
    for attempt in range(1, options.tries + 1):
        try:
            await talk.secure(options.code, **({"confirm_anyway": True} if options.confirm_anyway else {}))
            return
        except Failure as failure:
            refusal = failure.fields.get("refusal", failure.reason)
            report("try", number=attempt, result=refusal)
            if refusal != "wrongSetupCode" or attempt == options.tries:
                raise


async def pair(options, client):
    layout = choose(options, client)
    report("layout", layout=layout.name)
    talk = conversation(layout, Link(client), report, options.device)
    await talk.begin()
    await secure(options, talk)
    if not options.no_list:
        await talk.networks()
    fields = {name: value.encode() for name, value in (
        ("ssid", options.ssid), ("password", options.password), ("sessionKey", options.session_key),
        ("region", options.region), ("environment", options.environment)) if value is not None}
    if options.security is not None:
        fields["security"] = bytes([options.security])
    report("handing-over", **{name: shown(value) if name in ("password", "sessionKey") else value.hex()
                              for name, value in fields.items()})
    await talk.hand_over(fields)
    return await talk.outcome()


async def run(options):
    client = None
    try:
        client = await connect(options)
        result, details = await pair(options, client), {}
    except Failure as failure:
        result, details = failure.reason, failure.fields
    except wire.Malformed as error:
        result, details = "malformed", {"error": str(error)}
    finally:
        if client is not None and client.is_connected:
            await client.disconnect()
    said = details.get("refusal", result)
    report("outcome", result=result, **details)
    return 0 if said == options.expect else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", default="hci0")
    parser.add_argument("--address", help="only this camera")
    parser.add_argument("--device", help="the device id that the camera must have")
    parser.add_argument("--layout", choices=[*wire.LAYOUTS, "best"], default="best")
    parser.add_argument("--code", help="the setup code; without it, the protected layout goes without")
    parser.add_argument("--tries", type=int, default=1)
    parser.add_argument("--confirm-anyway", action="store_true", help="also when the camera's proof is wrong")
    parser.add_argument("--no-list", action="store_true", help="do not ask for networks")
    parser.add_argument("--ssid", default="Porchlight Demo")
    parser.add_argument("--security", type=int)
    parser.add_argument("--password")
    parser.add_argument("--session-key", default="8Zk3vQ1nT0xWb6RgYc2uLw")
    parser.add_argument("--region", default="us")
    parser.add_argument("--environment", default="dev")
    parser.add_argument("--expect", default="joined", help="the result, or the refusal, with which it ends well")
    parser.add_argument("--patience", type=float, default=30, help="seconds until a camera is heard")
    sys.exit(asyncio.run(run(parser.parse_args())))
