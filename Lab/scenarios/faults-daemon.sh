# bluetoothd and the message bus killed and started at each stage of our work, and shared with other programs.
# controllers: 2
# daemons: dbus bluetoothd
# programs: tests
# group: faults
# limit: 240
# tests: 13
run_swift_tests 'FaultTests/(Daemon|Bus|Sharing)' 220
