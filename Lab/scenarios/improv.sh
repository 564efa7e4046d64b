# Improv Wi-Fi: our app pairs a device that nobody here wrote, pyimprov on bless, through one bluetoothd.
# controllers: 2
# air: bumble
# daemons: dbus bluetoothd
# programs: tests
# tests: 3
# limit: 180
need 'a foreign Improv device' start_peer improv improv_peripheral --adapter hci1
run_swift_tests ImprovPeerTests 130
