# Our central on bluetoothd, at Bumble's peripherals: every kind of attribute, at the largest MTU and the smallest.
# bumble: yes
# daemons: dbus bluetoothd
# programs: tests
# tests: 8
# limit: 200
need 'peripherals of two characters' start_peer peers peripheral plain narrow
run_swift_tests CentralPeerTests 180
