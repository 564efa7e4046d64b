# Advertisements by the hundred, and broken ones, on the air of a second controller of Bumble's, under our central.
# bumble: yes
# daemons: dbus bluetoothd
# programs: tests
# limit: 180
# tests: 3
need 'peers of six characters' start_peer peers peripheral plain mute dropper flaky shy stale
run_swift_tests 'FaultTests/Crowd' 160
