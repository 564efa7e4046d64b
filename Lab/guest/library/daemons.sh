# Daemons. Each runs in the foreground of a background job, logs to $LOGS/NAME.log and is known by its name.

declare -A daemon_ids=()

# start_daemon NAME COMMAND…
start_daemon() {
    local name=$1
    shift
    echo "--- $*" >> "$LOGS/$name.log"
    "$@" >> "$LOGS/$name.log" 2>&1 < /dev/null &
    daemon_ids[$name]=$!
}

# is_running NAME: not one that has died and is not yet waited for either.
is_running() {
    local state
    { read -r _ _ state _ < "/proc/${daemon_ids[$1]:-x}/stat"; } 2> /dev/null && [ "$state" != Z ]
}

# stop_daemon NAME [SIGNAL]: sends TERM, or the signal, and waits for its end.
stop_daemon() {
    local id=${daemon_ids[$1]:-}
    [ -n "$id" ] || return 0
    kill -s "${2:-TERM}" "$id" 2> /dev/null || true
    # With the scenario's own limit as the deadline: a daemon that does not end is a finding.
    wait "$id" 2> /dev/null || true
    unset "daemon_ids[$1]"
}

start_dbus() {
    mkdir -p /run/dbus
    start_daemon dbus dbus-daemon --system --nofork --nopidfile
    within 20 test -S /run/dbus/system_bus_socket
}

# bus_has_name NAME
bus_has_name() {
    busctl --quiet call org.freedesktop.DBus / org.freedesktop.DBus GetNameOwner s "$1" > /dev/null 2> /dev/null
}

# start_bluetoothd [OPTION…]: with one ATT channel a link. BlueZ 5.66 opens more where the kernel can, and a daemon that is
# at both ends of a link takes their answers for each other's: services are resolved after 30 s, or never.
start_bluetoothd() {
    printf '%s\n' '[GATT]' 'Channels = 1' '[Policy]' 'AutoEnable = true' > /run/bluetooth.conf
    start_daemon bluetoothd /usr/libexec/bluetooth/bluetoothd --nodetach --debug --configfile=/run/bluetooth.conf "$@"
    within 30 bus_has_name org.bluez
}

# adapters_ready COUNT: bluetoothd has switched so many on. bluetoothctl dies of an adapter that comes while it starts.
adapters_ready() {
    local objects
    objects=$(busctl --json=short call org.bluez / org.freedesktop.DBus.ObjectManager GetManagedObjects) || return
    objects=${objects//'"Powered":{"type":"b","data":true}'/$'\n'}
    objects=${objects//[^$'\n']/}
    [ "${#objects}" -ge "$1" ]
}

stop_bluetoothd() {
    stop_daemon bluetoothd "${1:-TERM}"
    within 20 not bus_has_name org.bluez
}

restart_bluetoothd() {
    stop_bluetoothd "${1:-TERM}"
    start_bluetoothd "${@:2}"
}

# start_wpa_supplicant [OPTION…]: serves fi.w1.wpa_supplicant1 on the system bus; interfaces are added by its callers.
start_wpa_supplicant() {
    start_daemon wpa_supplicant wpa_supplicant -u -d "$@"
    within 30 bus_has_name fi.w1.wpa_supplicant1
}
