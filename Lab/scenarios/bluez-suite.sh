# The component tests of CoreBluetooth on BlueZ: the same that run on the software radio.
# controllers: 4
# air: bumble
# daemons: bluetoothd
# programs: tests
# tests: 35
# limit: 480
export PORCHLIGHT_TEST_RADIO=bluez
run_swift_tests 'CoreBluetoothTests.(Attribute|Connection|Discovery|Notification)Tests' 470
