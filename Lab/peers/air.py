"""The air of the Bumble peers: controllers of software that hear each other, one of which can be given to the kernel.

Bumble's own virtual controller knows one kind of advertisement, one signal strength and no way to lose a link; what the
peers need beyond it is here. On the kernel's side it is a controller for legacy advertising and scanning, of several
links at once (btvirt's are for extended advertising and have one link each, so that the lab covers both).
"""
import asyncio
import dataclasses

from bumble import core, hci, link, ll
from bumble.controller import Controller, LegacyAdvertiser
from bumble.host import Host
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

STRENGTH = -50
SUPERVISION = 2.0

KINDS = hci.HCI_LE_Set_Advertising_Parameters_Command.AdvertisingType
REPORTS = hci.HCI_LE_Advertising_Report_Event.EventType


@dataclasses.dataclass
class Advertisement(ll.AdvInd):
    """What one advertising event puts on the air. The strength is in dBm; 127 means that it is not known."""

    scan_response: bytes = b""
    kind: KINDS = KINDS.ADV_IND
    strength: int = STRENGTH

    @property
    def connectable(self):
        return self.kind == KINDS.ADV_IND

    @property
    def scannable(self):
        return self.kind in (KINDS.ADV_IND, KINDS.ADV_SCAN_IND)


class Advertiser(LegacyAdvertiser):
    """Sends what the host has set, of whatever kind, in its interval."""

    def send_advertising_data(self):
        if self.enabled:
            self.controller.send_advertising_pdu(Advertisement(
                self.address, self.advertising_data, self.scan_response_data, KINDS(self.advertising_type),
                self.controller.strength))


class Air(link.LocalLink):
    """Where radios hear each other. A radio that is not in it neither hears nor is heard."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        receiver = self.find_le_controller(destination_address)
        connection = sender_controller.le_connections.get(destination_address)
        if sender_controller in self.controllers and receiver and connection:
            asyncio.get_running_loop().call_soon(
                receiver.on_link_acl_data, connection.self_address, core.PhysicalTransport.LE, data)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        if self.find_le_controller(sender_address) and self.find_le_controller(receiver_address):
            super().send_ll_control_pdu(sender_address, receiver_address, packet)

    def send_advertising_pdu(self, sender_controller, packet):
        if sender_controller in self.controllers or not isinstance(sender_controller, Controller):
            super().send_advertising_pdu(sender_controller, packet)


class Radio(Controller):
    """One controller. Its strength is that with which the others hear it."""

    le_features = hci.LeFeatureMask.LE_ENCRYPTION | hci.LeFeatureMask.LE_DATA_PACKET_LENGTH_EXTENSION
    le_acl_data_packet_length = 251
    acl_data_packet_length = 251

    def __init__(self, name, air, address, **host):
        super().__init__(name, link=air, public_address=address, **host)
        self.strength = STRENGTH
        self.le_legacy_advertiser = Advertiser(self)

    async def vanish(self, supervision=SUPERVISION):
        """Is gone without a word; its links end on both sides when the supervision time-out has passed."""
        self.link.remove_controller(self)
        await asyncio.sleep(supervision)
        self.lose_links(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)

    def come_back(self):
        self.link.add_controller(self)

    def lose_links(self, reason):
        """Ends all links, for the same reason on both sides."""
        for connection in list(self.le_connections.values()):
            for other in list(self.link.controllers):
                theirs = other.le_connections.get(connection.self_address)
                if theirs and theirs.self_address == connection.peer_address:
                    other.on_le_disconnected(theirs, reason)
            self.on_le_disconnected(connection, reason)

    def on_advertising_pdu(self, pdu):
        if self.le_scan_enable:
            self.report(pdu, pdu.data, REPORTS(int(pdu.kind)))
            if pdu.scannable and self.le_scan_type == 1:
                self.report(pdu, pdu.scan_response, REPORTS.SCAN_RSP)
        wanted = self.pending_le_connection
        if wanted and pdu.connectable and wanted.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def report(self, pdu, data, kind):
        self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([hci.HCI_LE_Advertising_Report_Event.Report(
            event_type=kind, address_type=pdu.advertiser_address.address_type, address=pdu.advertiser_address,
            data=data, rssi=pdu.strength)]))

    def on_hci_le_create_connection_cancel_command(self, command):
        if self.pending_le_connection is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        peer, self.pending_le_connection = self.pending_le_connection.peer_address, None
        # After the command's own answer, as Vol 4, Part E - 7.8.13 has it.
        asyncio.get_running_loop().call_soon(self.send_hci_packet, hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=hci.Role.CENTRAL,
            peer_address_type=peer.address_type, peer_address=peer, connection_interval=0, peripheral_latency=0,
            supervision_timeout=0, central_clock_accuracy=0))
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_reset_command(self, command):
        self.le_legacy_advertiser.stop()
        self.le_scan_enable = False
        self.pending_le_connection = None
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(ll.TerminateInd(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR))
        self.le_connections.clear()
        return super().on_hci_reset_command(command)

    def on_hci_read_rssi_command(self, command):
        connection = self.find_le_connection_by_handle(command.handle)
        other = connection and self.link.find_le_controller(connection.peer_address)
        return hci.HCI_Read_RSSI_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, handle=command.handle, rssi=other.strength if other else 127)


def host_of(radio):
    """For a Bumble device that this program runs on the radio."""
    return Host(radio, AsyncPipeSink(radio))


async def give_to_kernel(air, address):
    """A radio of the air that the kernel sees as one more hciN; it lives as long as this program."""
    transport = await open_transport("vhci")
    radio = Radio("kernel", air, hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS),
                  host_source=transport.source, host_sink=transport.sink)
    radio.transport = transport
    return radio
