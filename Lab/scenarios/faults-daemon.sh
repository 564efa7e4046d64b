# bluetoothd and the message bus killed and started at each stage of our work.
# controllers: 2
# daemons: dbus bluetoothd
# programs: tests
# limit: 240
# tests: 9
run_swift_tests 'FaultTests/(Daemon|Bus)' 220
