# Two controllers under one bluetoothd find each other and connect: bluetoothctl on both sides, none of our code.
# controllers: 2
# daemons: bluetoothd
# limit: 60
# tests: 4
need 'a bluetoothctl for the peripheral' start_bluetoothctl peripheral 1
tell peripheral 'power on'
hears peripheral 20 'power on succeeded'
tell peripheral 'advertise.name porchlight-lab'
tell peripheral 'advertise.discoverable on'
tell peripheral 'advertise on'
hears peripheral 20 'Advertising object registered'

need 'a bluetoothctl for the central' start_bluetoothctl central 0
tell central 'power on'
hears central 20 'power on succeeded'
# Otherwise every second round of the discovery is for classic Bluetooth.
tell central 'scan.transport le'
tell central 'scan on'
address=$(controller_address 1)
need 'the central finds the peripheral' hears central 30 "NEW.* Device $address"
# A connection waits for the end of a round of discovery, 10 s.
tell central 'scan off'
hears central 20 'Discovery stopped'
tell central "connect $address"
need 'the central connects' hears central 30 'Connection successful'
