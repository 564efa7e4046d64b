# Programs that many homes run, bleak and bless, meet ours through the same bluetoothd.
# controllers: 2
# air: bumble
# daemons: dbus bluetoothd
# programs: tests
# tests: 2
# limit: 150
run_swift_tests DaemonPeerTests 130
