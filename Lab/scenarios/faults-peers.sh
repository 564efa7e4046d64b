# Peripherals that misbehave or vanish, played by Bumble, under our central.
# bumble: yes
# daemons: dbus bluetoothd
# programs: tests
# limit: 240
# tests: 11
need 'peers of six characters' start_peer peers peripheral plain mute dropper flaky shy stale
run_swift_tests 'FaultTests/Peers' 220
