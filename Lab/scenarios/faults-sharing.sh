# One adapter and one daemon shared by managers, processes and other programs, and a camera whose program starts anew.
# controllers: 2
# daemons: dbus bluetoothd
# programs: tests
# limit: 150
# tests: 4
run_swift_tests 'FaultTests/Sharing' 135
