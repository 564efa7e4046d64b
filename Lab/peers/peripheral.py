#!/usr/bin/env python3
"""A peripheral that nobody here wrote: Bumble, with every kind of attribute and every bad habit.

Makes a controller of software for the kernel (hciN, for bluetoothd) and, on the same air, one peripheral for each
character asked for:

    plain     answers everything
    mute      accepts the connection and never answers
    dropper   ends the link at the first request
    flaky     its first two connections fail to be established (error 0x3E), the next ones hold
    shy       advertises, but cannot be connected
    narrow    plain, with the smallest MTU, 23
    stale     plain, with another table of attributes at every connection and no Service Changed characteristic

A peripheral does what is written, as text, to its characteristic 'commands', or what stands on a line of standard input
after its character:

    notify COUNT SIZE [MS]     values of that size, counted in their first four bytes, so many milliseconds apart
    indicate COUNT SIZE
    same COUNT                 notifications of one and the same value
    refuse CODE                reads and writes of 'refusing' get this ATT error (0: they succeed)
    mute                       answers nothing from now on, on this link
    drop                       ends the link
    vanish SECONDS [AFTER]     is gone without a word, after so many more values if given, and comes back
    vanish-at-write SECONDS    the same in the middle of the next write: when it has arrived, before it is answered
    table first|second [quietly]   changes the attributes now; quietly: without Service Changed
    strength DBM               of its advertisements
    advertise on|off
"""
import argparse
import asyncio
import logging
import struct

from bumble import att, core, gatt, hci
from bumble.device import AdvertisingType, Device
from bumble.gatt_server import Server

from air import Air, Radio, give_to_kernel, host_of
from report import lines, report
import table

READ, WRITE = gatt.Characteristic.READABLE, gatt.Characteristic.WRITEABLE
PROPERTIES = gatt.Characteristic.Properties
WINDOW = 64
CHARACTERS = ["plain", "mute", "dropper", "flaky", "shy", "narrow", "stale"]


class HabitServer(Server):
    """Bumble's server, which asks its peripheral before it hears a request."""

    def __init__(self, device, peripheral):
        super().__init__(device)
        self.peripheral = peripheral

    def on_gatt_pdu(self, bearer, att_pdu):
        if self.peripheral.hears(bearer, att_pdu):
            super().on_gatt_pdu(bearer, att_pdu)


class Peripheral:
    """One character. All of it runs on the program's one event loop."""

    def __init__(self, character, air, number):
        self.character = character
        address = hci.Address(f"C0:00:00:00:01:{number:02X}")
        self.radio = Radio(character, air, address)
        self.device = Device(name=f"peer-{character}", address=address, host=host_of(self.radio))
        self.device.gatt_server = HabitServer(self.device, self)
        if character == "narrow":
            self.device.gatt_server.max_mtu = att.ATT_DEFAULT_MTU
        self.table = "first"
        self.refusal = 0
        self.commands = (0, 0)
        self.muted = character == "mute"
        self.vanish_after = None
        self.vanish_at_write = None
        self.connections = 0
        self.link = None
        self.fill()
        self.device.on("connection", self.connected)

    def say(self, event, **fields):
        report(event, peer=self.character, **fields)

    # The attributes

    def fill(self):
        """Lays the attributes anew; handles move when the table changes."""
        server = self.device.gatt_server
        server.attributes.clear()
        server.attributes_by_handle.clear()
        server.services.clear()
        self.device.add_default_services(add_gatt_service=self.character != "stale")
        if self.table == "second":
            server.add_service(self.later())
        for service in self.services():
            server.add_service(service)

    def characteristic(self, identifier, properties, permissions=0, value=b"", descriptors=()):
        return gatt.Characteristic(identifier, properties, gatt.Characteristic.Permissions(permissions), value,
                                   list(descriptors))

    def kept(self, name, value):
        """A value that is read and written."""
        held = [value]

        def write(_, new):
            held[0] = new
            self.say("written", attribute=name, length=len(new), value=new[:32])
        return gatt.CharacteristicValue(read=lambda _: held[0], write=write)

    def services(self):
        inside = gatt.Service(table.INCLUDED, [
            self.characteristic(table.INSIDE, PROPERTIES.READ, READ, b"inside")], primary=False)
        self.notified = self.characteristic(table.NOTIFIED, PROPERTIES.NOTIFY)
        self.indicated = self.characteristic(table.INDICATED, PROPERTIES.INDICATE)
        values = gatt.Service(table.VALUES, [
            self.characteristic(table.SHORT, PROPERTIES.READ | PROPERTIES.WRITE, READ | WRITE,
                                self.kept("short", table.SHORT_VALUE)),
            self.characteristic(table.LONG, PROPERTIES.READ | PROPERTIES.WRITE, READ | WRITE,
                                self.kept("long", table.LONG_VALUE)),
            self.characteristic(table.COMMAND, PROPERTIES.WRITE_WITHOUT_RESPONSE, WRITE,
                                gatt.CharacteristicValue(write=self.count)),
            self.characteristic(table.BOTH, PROPERTIES.WRITE | PROPERTIES.WRITE_WITHOUT_RESPONSE, WRITE,
                                self.kept("both", b"")),
            self.notified, self.indicated,
            self.characteristic(table.DESCRIBED, PROPERTIES.READ, READ, b"described", [
                gatt.Descriptor(gatt.GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, READ, table.DESCRIPTION.encode()),
                gatt.Descriptor(core.UUID(table.DESCRIPTOR), READ | WRITE, self.kept("descriptor", b"descriptor"))]),
            self.characteristic(table.COUNTED, PROPERTIES.READ, READ,
                                gatt.CharacteristicValue(read=lambda _: struct.pack("<II", *self.commands))),
            self.characteristic(table.REFUSING, PROPERTIES.READ | PROPERTIES.WRITE, READ | WRITE,
                                gatt.CharacteristicValue(read=self.refuse, write=self.refuse)),
        ], included_services=[inside])
        control = gatt.Service(table.CONTROL, [
            self.characteristic(table.COMMANDS, PROPERTIES.WRITE, WRITE, gatt.CharacteristicValue(write=self.asked))])
        return [inside, values, control]

    def later(self):
        return gatt.Service(table.LATER, [
            self.characteristic(table.AFTERWARDS, PROPERTIES.READ, READ, b"afterwards")])

    def count(self, _, value):
        packets, length = self.commands
        self.commands = (packets + 1, length + len(value))

    def refuse(self, *_):
        if self.refusal:
            raise att.ATT_Error(self.refusal)
        return b"not refused"

    # The link

    def connected(self, connection):
        self.connections += 1
        self.link = connection
        self.muted = self.character == "mute"
        self.say("connected", central=str(connection.peer_address))
        connection.on("disconnection", self.disconnected)
        if self.character == "flaky" and self.connections <= 2:
            self.radio.lose_links(hci.HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR)

    def disconnected(self, reason):
        self.link = None
        self.say("disconnected", reason=reason)
        if self.character == "stale":
            self.table = "second" if self.table == "first" else "first"
            self.fill()

    def hears(self, bearer, pdu):
        if self.character == "dropper":
            self.spawn(self.drop())
            return False
        if self.vanish_at_write is not None and isinstance(pdu, (att.ATT_Write_Request, att.ATT_Prepare_Write_Request)):
            seconds, self.vanish_at_write = self.vanish_at_write, None
            self.spawn(self.vanish(seconds))
            return False
        if self.muted:
            self.say("ignored", request=pdu.name)
        return not self.muted

    # The commands

    def spawn(self, work):
        task = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(lambda done: done.cancelled() or done.exception() is None
                               or self.say("failed", error=repr(done.exception())))

    def asked(self, _, value):
        """The answer to the write goes out first; what it asks for is then on its way."""
        self.spawn(self.do(value.decode()))

    async def do(self, text):
        self.say("asked", command=text)
        word, *rest = text.split()
        match word:
            case "notify":
                await self.send(self.device.notify_subscribers, self.notified, *map(int, rest))
            case "indicate":
                await self.send(self.device.indicate_subscribers, self.indicated, *map(int, rest))
            case "same":
                for _ in range(int(rest[0])):
                    await self.device.notify_subscribers(self.notified, b"same")
            case "refuse":
                self.refusal = int(rest[0], 0)
            case "mute":
                self.muted = True
            case "drop":
                await self.drop()
            case "vanish" if len(rest) == 2:
                self.vanish_after = (int(rest[1]), float(rest[0]))
            case "vanish":
                await self.vanish(float(rest[0]))
            case "vanish-at-write":
                self.vanish_at_write = float(rest[0])
            case "table":
                await self.change(rest[0], "quietly" in rest)
            case "strength":
                self.radio.strength = int(rest[0])
            case "advertise":
                await (self.advertise() if rest[0] == "on" else self.device.stop_advertising())
            case _:
                self.say("unknown", command=text)

    async def send(self, way, characteristic, count, size, milliseconds=0):
        for index in range(count):
            if self.vanish_after and self.vanish_after[0] == index:
                seconds, self.vanish_after = self.vanish_after[1], None
                self.spawn(self.vanish(seconds))
                return
            await way(characteristic, struct.pack("<I", index).ljust(size, b"."))
            await asyncio.sleep(milliseconds / 1000)
            if index % WINDOW == WINDOW - 1:
                await self.catch_up()
        self.say("sent", count=count)

    async def catch_up(self):
        """Waits until the central's host has taken what was sent: it answers requests in turn. This air has no rate, so
        that the kernel would drop what its ATT socket cannot hold."""
        if self.link:
            await self.link.gatt_client.send_request(att.ATT_Read_By_Type_Request(
                starting_handle=0x0001, ending_handle=0xFFFF, attribute_type=gatt.GATT_DEVICE_NAME_CHARACTERISTIC))

    async def drop(self):
        if self.link:
            await self.link.disconnect()

    async def vanish(self, seconds):
        self.say("vanished")
        await self.radio.vanish()
        await asyncio.sleep(seconds)
        self.radio.come_back()
        await self.advertise()
        self.say("back")

    async def change(self, name, quietly):
        self.table = name
        subscribers = {bearer: dict(handles) for bearer, handles in self.device.gatt_server.subscribers.items()}
        self.fill()
        changed = self.device.gatt_service and self.device.gatt_service.service_changed_characteristic
        if not quietly and changed:
            # Service Changed keeps its handle, and with it who listens to it.
            for bearer, handles in subscribers.items():
                self.device.gatt_server.subscribers[bearer] = {
                    handle: state for handle, state in handles.items() if handle == changed.handle}
            await self.device.indicate_subscribers(changed, struct.pack("<HH", 0x0001, 0xFFFF))
        self.say("table", name=name)

    async def advertise(self):
        flags = core.AdvertisingData.Type.FLAGS, bytes([0x06])
        services = (core.AdvertisingData.Type.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                    core.UUID(table.VALUES).to_bytes())
        name = core.AdvertisingData.Type.COMPLETE_LOCAL_NAME, self.device.name.encode()
        kind = (AdvertisingType.UNDIRECTED_SCANNABLE if self.character == "shy"
                else AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE)
        await self.device.start_advertising(
            kind, auto_restart=True, advertising_data=bytes(core.AdvertisingData([flags, services])),
            scan_response_data=bytes(core.AdvertisingData([name])), advertising_interval_min=100,
            advertising_interval_max=100)


async def main(options):
    air = Air()
    kernel = await give_to_kernel(air, options.kernel)
    peripherals = {}
    for number, character in enumerate(options.characters, 1):
        peripheral = peripherals[character] = Peripheral(character, air, number)
        await peripheral.device.power_on()
        await peripheral.advertise()
        peripheral.say("ready", name=peripheral.device.name, address=str(peripheral.device.random_address))
    report("ready")
    async for line in lines():
        character, _, command = line.partition(" ")
        await peripherals[character].do(command)
    await kernel.transport.source.terminated


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("characters", nargs="*", choices=CHARACTERS, default=["plain"], metavar="CHARACTER")
    parser.add_argument("--kernel", default="F0:00:00:00:00:01", metavar="ADDRESS", help="of the kernel's controller")
    parser.add_argument("--log", default="WARNING", help="Bumble's log level, on standard error")
    chosen = parser.parse_args()
    logging.basicConfig(level=chosen.log.upper())
    asyncio.run(main(chosen))
