# Hardware of software: Bluetooth controllers, Wi-Fi radios, video devices.

# set_up: what the scenario's header asks for.
set_up() {
    local daemon
    [ "$controllers" -eq 0 ] || start_controllers "$controllers"
    [ "$bumble" = no ] || modprobe hci_vhci
    [ "$radios" -eq 0 ] || start_radios "$radios"
    [ "$video" = no ] || start_video
    [ "$trace" = no ] || start_daemon btmon btmon --write "$LOGS/hci.btsnoop"
    [ -z "$daemons" ] || start_dbus
    for daemon in $daemons; do
        [ "$daemon" = dbus ] || "start_$daemon"
        [ "$daemon" != bluetoothd ] || within 20 adapters_ready "$controllers"
    done
}

# usable_controllers COUNT: the kernel finished its initial exchange with so many, that is, knows their addresses.
usable_controllers() {
    local usable
    usable=$(hciconfig 2> /dev/null | grep 'BD Address' | grep -vc 'BD Address: 00:00:00:00:00:00') || true
    [ "$usable" -ge "$1" ] || { echo "$usable of $1 controllers are usable"; return 1; }
}

# controllers_settled COUNT: all usable, or one of them given up by the kernel.
controllers_settled() {
    usable_controllers "$1" || [[ $(dmesg) == *': Opcode 0x'*' failed: -110'* ]]
}

# start_controllers COUNT: joined to each other by btvirt or, in a scenario of 'air: bumble', by Bumble. On a busy machine a
# controller's first reset can time out, and the kernel does not try again, so all of them are started again then.
start_controllers() {
    local try
    local -a program=(btvirt "-l$1")
    [ "$air" = btvirt ] || program=("$PYTHON" "$CHECKOUT/Lab/peers/controllers.py" "$1")
    # A reset has two seconds. btvirt answers it after it has asked the kernel for ciphers, whose modules take as long to
    # load here: they are loaded before.
    modprobe --all hci_vhci algif_hash algif_skcipher cmac ecb || return
    cat "$(command -v btvirt)" > /dev/null
    for try in 1 2 3 4; do
        dmesg --clear
        start_daemon controllers "${program[@]}"
        within 30 controllers_settled "$1" || true
        if usable_controllers "$1"; then
            advertise_often "$1"
            return
        fi
        echo "controllers: attempt $try failed" | tee -a "$LOGS/controllers.log"
        stop_daemon controllers
    done
    return 1
}

# advertise_often COUNT: every 100 ms. With the kernel's 1.28 s a scenario would mostly wait.
advertise_often() {
    local index limit
    for ((index = 0; index < $1; index++)); do
        for limit in min max; do
            echo 160 > "/sys/kernel/debug/bluetooth/hci$index/adv_${limit}_interval" || return
        done
    done
}

# unplug_controllers: all of them; they vanish as a pulled USB stick does.
unplug_controllers() {
    stop_daemon controllers KILL
    within 20 not usable_controllers 1
}

# controller_address INDEX
controller_address() {
    hciconfig "hci$1" | sed -n 's/.*BD Address: \([0-9A-F:]*\).*/\1/p'
}

# start_radios COUNT: wlan0 stays here, the others are put into the network namespace 'home'.
start_radios() {
    local index
    modprobe mac80211_hwsim radios="$1"
    ip netns add home
    ip -n home link set lo up
    for ((index = 1; index < $1; index++)); do
        within 10 test -e "/sys/class/net/wlan$index/phy80211/name" > /dev/null
        iw phy "$(cat "/sys/class/net/wlan$index/phy80211/name")" set netns name home
    done
    within 10 test -e /sys/class/net/wlan0
}

start_video() {
    modprobe vivid
    within 20 test -c /dev/video0
}
