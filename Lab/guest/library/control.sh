# Faults on demand: a program in the guest asks the scenario for what only the scenario can do, such as killing a daemon.
# Each line in the pipe 'commands' is a number and a command; each line in the pipe 'answers' is that number, 'ok' or
# 'failed', and a text. Only the functions of this list can be called, and only with words that name things.

CONTROL=/run/control
control_commands='heal allow_bluetooth deny_bluetooth forget_devices freeze_bluetoothd order_peer plug_controllers power
    quiet_peer restart_bluetoothd restart_dbus start_bluetoothd start_dbus start_peer stop_bluetoothd stop_dbus stop_peer tell_peer
    unplug_controllers'

# serve_control: until the line 'ended STATUS' comes, with which it returns. A line 'result' is one of report.sh's,
# separated by tabs.
serve_control() {
    local requests replies line number command output=/run/control-output
    local -a words
    exec {requests}<> "$CONTROL/commands" {replies}<> "$CONTROL/answers"
    while IFS= read -r line <&"$requests"; do
        IFS=$'\t' read -r -a words <<< "$line"
        if [ "${words[0]}" = result ]; then
            "${words[@]:1}"
            continue
        fi
        read -r -a words <<< "$line"
        number=${words[0]:-} command=${words[1]:-}
        if [ "$number" = ended ]; then break; fi
        echo "control: $line"
        if [[ ! " ${control_commands//$'\n'/ } " == *" $command "* || ! "$line" =~ ^[A-Za-z0-9\ ._:-]+$ ]]; then
            echo "$number failed '$command' is no command" >&"$replies"
        elif "$command" "${words[@]:2}" > "$output" 2>&1; then
            echo "$number ok $(tail -n 1 "$output")" >&"$replies"
        else
            echo "$number failed $(tail -n 1 "$output")" >&"$replies"
        fi
        cat "$output"
    done
    exec {requests}>&- {replies}>&-
    return "$command"
}

# heal: the hardware and the daemons of the scenario's header, whatever was done to them. What is left in bluetoothd is the
# tests' own affair.
heal() {
    allow_bluetooth || return
    is_running dbus || restart_dbus || return
    is_running bluetoothd || start_bluetoothd || return
    [ "$controllers" -eq 0 ] || usable_controllers "$controllers" > /dev/null || plug_controllers
}

# power ADAPTER on|off: as any other program would.
power() {
    local value=false
    [ "$2" = off ] || value=true
    busctl --quiet set-property org.bluez "/org/bluez/$1" org.bluez.Adapter1 Powered b "$value"
}

# plug_controllers: those of the scenario's header, after unplug_controllers.
plug_controllers() {
    start_controllers "$controllers"
}

# freeze_bluetoothd: it does not answer any more, so that what it is asked for is still under way when it is killed.
freeze_bluetoothd() {
    kill -s STOP "${daemon_ids[bluetoothd]}"
}

# forget_devices: bluetoothd is started anew and knows no device and no attribute.
forget_devices() {
    stop_bluetoothd || return
    find /var/lib/bluetooth -mindepth 1 -delete
    start_bluetoothd
}

# stop_dbus [SIGNAL]: bluetoothd ends with it.
stop_dbus() {
    stop_daemon dbus "${1:-TERM}"
    rm -f /run/dbus/system_bus_socket
    stop_daemon bluetoothd
}

# restart_dbus [SIGNAL]
restart_dbus() {
    stop_dbus "${1:-TERM}"
    start_dbus && start_bluetoothd
}

# deny_bluetooth: the bus's policy keeps every program away from bluetoothd, until allow_bluetooth.
deny_bluetooth() {
    printf '%s\n' '<busconfig>' ' <policy context="mandatory"><deny send_destination="org.bluez"/></policy>' '</busconfig>' \
        > /etc/dbus-1/system.d/porchlight-lab.conf
    reload_dbus
}

allow_bluetooth() {
    [ -e /etc/dbus-1/system.d/porchlight-lab.conf ] || return 0
    rm /etc/dbus-1/system.d/porchlight-lab.conf
    ! is_running dbus || reload_dbus
}

reload_dbus() {
    busctl --quiet call org.freedesktop.DBus / org.freedesktop.DBus ReloadConfig
}

declare -A peer_inputs=() peer_outputs=()

# start_peer NAME PROGRAM [ARGUMENT…]: one of Lab/peers, until it says that it is ready. Its output is in $LOGS/NAME.log.
start_peer() {
    local name=$1 program=$2 pipe=/run/peer-$1 descriptor
    shift 2
    rm -f "$pipe"
    # Each life of it has a log of its own.
    [ ! -e "$LOGS/$name.log" ] || mv "$LOGS/$name.log" "$LOGS/$name.$EPOCHSECONDS.log"
    mkfifo "$pipe" || return
    exec {descriptor}<> "$pipe"
    peer_inputs[$name]=$descriptor
    start_daemon "$name" bash -c 'exec "$@" < "$0"' "$pipe" \
        "$PYTHON" "$CHECKOUT/Lab/peers/$program.py" "$@"
    within_file 60 "$LOGS/$name.log" '"event": "ready", "time": [0-9.]*(, "advertisers": [0-9]+)?}' > /dev/null || return
    exec {descriptor}< "$LOGS/$name.log"
    peer_outputs[$name]=$descriptor
}

# tell_peer NAME WORD…: a line for its standard input.
tell_peer() {
    echo "${*:2}" >&"${peer_inputs[$1]}"
}

# order_peer NAME CHARACTER COMMAND…: for Lab/peers/peripheral.py, until it carries the command out.
order_peer() {
    local output=${peer_outputs[$1]} line='' part deadline=$((${EPOCHREALTIME/./} + 20000000))
    # What it has said before is of no interest.
    while read -r -u "$output"; do :; done
    tell_peer "$@"
    until [[ $line == *'"event": "asked"'*"\"peer\": \"$2\", \"command\": \"${*:3}\""* ]]; do
        [ "${EPOCHREALTIME/./}" -lt "$deadline" ] || { echo "$1 does not listen: ${*:2}"; return 1; }
        line=''
        until IFS= read -r -u "$output" part; do
            line+=$part
            [ "${EPOCHREALTIME/./}" -lt "$deadline" ] || break
            pause 0.02
        done
        line+=$part
    done
}

# quiet_peer NAME CHARACTER…: none of these of Lab/peers/peripheral.py advertises any more.
quiet_peer() {
    local character
    for character in "${@:2}"; do tell_peer "$1" "$character advertise off"; done
}

# stop_peer NAME [SIGNAL]: its controller vanishes with it.
stop_peer() {
    local descriptor=${peer_inputs[$1]:-}
    stop_daemon "$1" "${2:-TERM}"
    [ -z "$descriptor" ] || exec {descriptor}>&-
    descriptor=${peer_outputs[$1]:-}
    [ -z "$descriptor" ] || exec {descriptor}<&-
    unset "peer_inputs[$1]" "peer_outputs[$1]"
}
