#!/usr/bin/env python3
"""A camera that nobody here wrote: Bumble, and docs/pairing-protocol.md.

Makes controllers of software for the kernel (hciN, for bluetoothd) and, on the same air, a camera that waits to be paired.
It says in JSON what it gets; of a secret only a part of its SHA-256. What comes of an attempt is said before:

    pairing_camera.py --code 20461812 --outcome wrongPassword joined

Networks come from a file, an array of {"ssid": …, "security": code, "strength": dBm, "bands": bits}. On standard input:

    drop        ends the link
    reset       is switched off and on: waits again, knows nothing
"""
import argparse
import asyncio
import json
import logging

from bumble import att, core, gatt, hci
from bumble.device import AdvertisingType, Device

from air import Air, Radio, give_to_kernel, host_of
import pairing_messages as wire
from pairing_device import Camera, Settings
from report import lines, report

READ, WRITE = gatt.Characteristic.READABLE, gatt.Characteristic.WRITEABLE
PROPERTIES = gatt.Characteristic.Properties
TYPES = core.AdvertisingData.Type
DEFAULT_NETWORKS = [wire.Network(3, -48, 3, b"Porchlight Demo"), wire.Network(0, -88, 1, b"Guest")]


class Peripheral:
    """Bumble's device as the camera's carrier."""

    def __init__(self, settings, air):
        self.settings = settings
        address = hci.Address("C0:00:00:00:03:01")
        self.radio = Radio("stranger", air, address)
        # No longer name has room beside the advertisement's other structures.
        name = f"PORCH-{settings.device_id[-4:]}"
        self.device = Device(name=name, address=address, host=host_of(self.radio))
        self.characteristics, self.subscriptions = {}, set()
        self.moving = asyncio.Event()
        self.link = None
        for layout in settings.layouts:
            self.device.add_service(gatt.Service(layout.service, self.attributes(layout)))
        self.device.on("connection", self.connected)
        self.camera = Camera(settings, self, report)

    def attributes(self, layout):
        if layout is not wire.STANDARD:
            return [self.attribute(layout.exchange, PROPERTIES.READ | PROPERTIES.WRITE | PROPERTIES.NOTIFY)]
        return [self.attribute(wire.INFO, PROPERTIES.READ), self.attribute(wire.DEVICE_ID, PROPERTIES.READ),
                self.attribute(wire.NETWORKS, PROPERTIES.WRITE | PROPERTIES.NOTIFY),
                *(self.attribute(identifier, PROPERTIES.WRITE) for identifier, _ in wire.FIELDS.values()),
                self.attribute(wire.STATUS, PROPERTIES.READ | PROPERTIES.NOTIFY)]

    def attribute(self, identifier, properties):
        def written(client, value):
            try:
                self.camera.written(client, identifier, bytes(value))
            except wire.Refusal as refusal:
                raise att.ATT_Error(refusal.code) from None

        permissions = READ * bool(properties & PROPERTIES.READ) | WRITE * bool(properties & PROPERTIES.WRITE)
        made = gatt.Characteristic(
            identifier, properties, gatt.Characteristic.Permissions(permissions),
            gatt.CharacteristicValue(read=lambda client: self.camera.read(client, identifier), write=written))
        if properties & PROPERTIES.NOTIFY:
            made.on(made.EVENT_SUBSCRIPTION, lambda client, notifies, _: (
                self.subscriptions.add if notifies else self.subscriptions.discard)((client, identifier)))
        self.characteristics[identifier] = made
        return made

    # For the camera

    async def notify(self, client, characteristic, value):
        for one in [client] if client else [one for one, identifier in self.subscriptions if identifier == characteristic]:
            await self.device.notify_subscriber(one, self.characteristics[characteristic], value)

    def room(self, client):
        return client.att_mtu - 3

    def subscribed(self, client, characteristic):
        return (client, characteristic) in self.subscriptions

    def moved(self):
        self.moving.set()

    # The radio

    def connected(self, connection):
        self.link = connection
        report("connected", central=str(connection.peer_address))
        connection.on("disconnection", lambda reason: self.disconnected(connection, reason))

    def disconnected(self, connection, reason):
        self.link = None
        report("disconnected", reason=reason)
        self.subscriptions = {one for one in self.subscriptions if one[0] is not connection}
        self.camera.left(connection)
        self.moved()

    async def advertise(self):
        """Keeps what is on the air as the camera wants it."""
        shown = None
        while True:
            self.moving.clear()
            # A connection stops it.
            shown = shown if self.device.is_advertising else None
            wanted = self.camera.sighting if self.camera.advertises and self.link is None else None
            if wanted != shown:
                if shown is not None:
                    await self.device.stop_advertising()
                if wanted is not None:
                    await self.start(wanted)
                shown = wanted
                report("advertising", data=wanted or b"")
            await self.moving.wait()

    async def start(self, sighting):
        advertised = core.AdvertisingData([
            (TYPES.FLAGS, bytes([0x06])),
            (TYPES.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, core.UUID(self.settings.layouts[0].service).to_bytes()),
            (TYPES.MANUFACTURER_SPECIFIC_DATA, wire.COMPANY.to_bytes(2, "little") + sighting)])
        answer = core.AdvertisingData([(TYPES.COMPLETE_LOCAL_NAME, self.device.name.encode())])
        await self.device.start_advertising(
            AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE, auto_restart=False, advertising_data=bytes(advertised),
            scan_response_data=bytes(answer), advertising_interval_min=100, advertising_interval_max=100)

    async def do(self, command):
        report("asked", command=command)
        match command:
            case "drop":
                if self.link:
                    await self.link.disconnect()
            case "reset":
                self.camera.stop()
                self.camera = Camera(self.settings, self, report, self.camera.registration)
                if self.link:
                    await self.link.disconnect()
                self.moved()
            case _:
                report("unknown", command=command)


def networks(path):
    if path is None:
        return DEFAULT_NETWORKS
    with open(path) as file:
        return [wire.Network(one["security"], one["strength"], one["bands"], one["ssid"].encode())
                for one in json.load(file)]


async def main(options):
    air = Air()
    settings = Settings([layout for layout in wire.LAYOUTS.values() if layout.name in options.layouts], code=options.code,
                        insists=options.insists, device_id=options.device, networks=networks(options.networks),
                        outcomes=options.outcome, costs=tuple(options.costs), lock=options.lock)
    # First, since it takes its time: the kernel's first commands must be answered within two seconds.
    peripheral = Peripheral(settings, air)
    kernel = [await give_to_kernel(air, address) for address in options.kernel]
    await peripheral.device.power_on()
    task = asyncio.create_task(peripheral.advertise())
    task.add_done_callback(lambda done: done.result())
    report("ready")
    async for line in lines():
        await peripheral.do(line)
    await kernel[0].transport.source.terminated


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layouts", nargs="+", choices=wire.LAYOUTS, default=list(wire.LAYOUTS))
    parser.add_argument("--code", help="the setup code; without one, the camera has none")
    parser.add_argument("--insists", action="store_true", help="on the setup code; goes with the protected layout alone")
    parser.add_argument("--device", default="", help="the device id; none, if not said")
    parser.add_argument("--networks", metavar="FILE")
    parser.add_argument("--outcome", nargs="+", choices=["joined", *wire.FAILURES[1:]], default=["joined"])
    parser.add_argument("--costs", nargs=3, type=int, default=[14, 8, 1], metavar=("LOG2N", "R", "P"))
    parser.add_argument("--lock", type=float, default=60, help="seconds after five wrong tries")
    parser.add_argument("--kernel", nargs="+", default=["F0:00:00:00:00:03"], metavar="ADDRESS",
                        help="of the kernel's controllers")
    parser.add_argument("--log", default="WARNING", help="Bumble's log level, on standard error")
    chosen = parser.parse_args()
    logging.basicConfig(level=chosen.log.upper())
    asyncio.run(main(chosen))
