#!/usr/bin/env python3
"""An Improv device that nobody here wrote: pyimprov's protocol on bless's peripheral, through bluetoothd on an adapter.

Only what lies between the two is here: which value is notified when, and a home to join. pyimprov is of revision 1 of the
standard: it advertises no service data, and claims to be able to identify itself and nothing else, even where it lists
networks and tells what it is; 'capabilities' corrects that.

The home has the networks below. Lines on standard input:

    authorize             as when a person presses the button, or as when a device is reset that needs none
    revoke                as when a minute has passed since: credentials are refused until 'authorize'
    capabilities BITS     the value of that characteristic from now on, instead of pyimprov's own
"""
import argparse
import asyncio

from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties
from improv import ImprovProtocol, ImprovState, ImprovUUID

from report import lines, report

READ, WRITE = GATTAttributePermissions.readable, GATTAttributePermissions.writeable
PROPERTIES = GATTCharacteristicProperties
SERVICE = ImprovUUID.SERVICE_UUID.value

CHARACTERISTICS = {
    ImprovUUID.STATUS_UUID: (PROPERTIES.read | PROPERTIES.notify, READ),
    ImprovUUID.ERROR_UUID: (PROPERTIES.read | PROPERTIES.notify, READ),
    ImprovUUID.RPC_COMMAND_UUID: (PROPERTIES.write | PROPERTIES.write_without_response, WRITE),
    ImprovUUID.RPC_RESULT_UUID: (PROPERTIES.read | PROPERTIES.notify, READ),
    ImprovUUID.CAPABILITIES_UUID: (PROPERTIES.read, READ),
}

# SSID, strength, protection; and the passphrases. They fill more than one of pyimprov's results, which are of 100 bytes: the
# first ends with the fifth name, whose strength begins the second. (pyimprov 0.2.0 loses a result of 101 to 103 bytes.)
NETWORKS = [("Improv Home", "-48", "WPA2"), ("Café 🏠", "-61", "NO"), ("neighbour", "-70", "WPA/WPA2"),
            ("office", "-71", "WPA2 EAP"), ("the attic room", "-77", "WPA3"), ("Improv Home", "-80", "WPA2"),
            ("the longest name there is, of 32", "-83", "WPA2"), ("shed", "-88", "WEP")]
PASSPHRASES = {"Improv Home".encode(): "porchlight 🔑".encode(), "Café 🏠".encode(): b"",
               b"neighbour": b"over the fence"}
PAGE = "http://192.168.77.9/welcome"


class Device:
    def __init__(self, adapter):
        self.capabilities = None
        self.server = BlessServer(name="Improv Cam", loop=asyncio.get_running_loop(), adapter=adapter)
        self.server.read_request_func = self.read
        self.server.write_request_func = self.written
        self.protocol = ImprovProtocol(
            self.join, identify_callback=lambda: report("identified"),
            wifi_networks_callback=lambda: [text for network in NETWORKS for text in network],
            device_info_callback=lambda: ["pyimprov", "0.2.0", "bless", "Front Garden"])

    async def start(self):
        await self.server.add_new_service(SERVICE)
        for identifier, (properties, permissions) in CHARACTERISTICS.items():
            await self.server.add_new_characteristic(
                SERVICE, identifier.value, properties, bytearray(), permissions)
        await self.server.start()

    def notify(self, identifier, value):
        self.server.get_characteristic(identifier.value).value = bytearray(value)
        self.server.update_value(SERVICE, identifier.value)

    def notify_state(self):
        self.notify(ImprovUUID.STATUS_UUID, self.protocol.handle_read(ImprovUUID.STATUS_UUID.value))

    def join(self, ssid, password):
        """pyimprov is in the state 'provisioning' while this runs."""
        self.notify_state()
        right = PASSPHRASES.get(bytes(ssid)) == bytes(password)
        report("told", ssid=bytes(ssid), right=right)
        return [PAGE] if right else None

    def read(self, characteristic, **_):
        if self.capabilities is not None and characteristic.uuid == ImprovUUID.CAPABILITIES_UUID.value:
            return bytearray([self.capabilities])
        value = self.protocol.handle_read(characteristic.uuid)
        return value[-1] if isinstance(value, list) else value

    def written(self, characteristic, value, **_):
        report("asked", command=value[0])
        before = self.protocol.state
        target, answer = self.protocol.handle_write(characteristic.uuid, value)
        # An error is one value, results are a list of them.
        for part in answer if isinstance(answer, list) else [answer]:
            if part:
                self.notify(ImprovUUID(target), part)
        if self.protocol.state != before or value[0] == 1:
            self.notify_state()

    def obey(self, word, *numbers):
        match word:
            case "authorize":
                self.protocol.state = ImprovState.AUTHORIZED
            case "revoke":
                self.protocol.state = ImprovState.AWAITING_AUTHORIZATION
            case "capabilities":
                self.capabilities = int(numbers[0])
            case _:
                report("unknown", command=word)
        self.notify_state()


async def main(adapter):
    device = Device(adapter)
    await device.start()
    report("ready")
    async for line in lines():
        device.obey(*line.split())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", default="hci1")
    asyncio.run(main(parser.parse_args().adapter))
