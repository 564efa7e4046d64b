# Adapters that are switched off and on, pulled and plugged in, under our central and our peripheral.
# controllers: 2
# daemons: dbus bluetoothd
# programs: tests
# limit: 240
# tests: 8
run_swift_tests 'FaultTests/(Adapter|Controller)' 220
