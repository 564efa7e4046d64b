# The benchmark's guest: bluetoothd on a controller of Bumble's, and two clients that take turns with one peripheral.
# bumble: yes
# daemons: dbus
# limit: 600
# tests: 1
start_peer peer peripheral plain
# As a home's: without the debugging that the scenarios want.
printf '%s\n' '[Policy]' 'AutoEnable = true' > /run/bluetooth.conf
start_daemon bluetoothd /usr/libexec/bluetooth/bluetoothd --nodetach --configfile=/run/bluetooth.conf
within 30 bus_has_name org.bluez
within 20 power hci0 on
need 'both clients do the work' "$PYTHON" Benchmarks/gatt/alternate.py /lab/results.json "$PYTHON"
