# Our peripheral on bluetoothd, met by two centrals of Bumble's.
# bumble: yes
# daemons: dbus bluetoothd
# programs: tests
# tests: 6
# limit: 200
run_swift_tests PeripheralPeerTests 190
