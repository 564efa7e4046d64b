# A WPA2 network is joined with the right passphrase and not with a wrong one: hostapd and wpa_supplicant, none of our code.
# radios: 2
# daemons: wpa_supplicant
# limit: 60
# tests: 4
service=fi.w1.wpa_supplicant1
root=/fi/w1/wpa_supplicant1

mapfile -t lines < <(wpa2_network porchlight-lab 'correct horse')
need 'the home has a network' start_network wlan1 192.168.77.1 "${lines[@]}"
interface=$(busctl call $service $root $service CreateInterface 'a{sv}' 1 Ifname s wlan0 | cut -d '"' -f 2)

# join PASSPHRASE
join() {
    local network
    busctl call $service "$interface" $service.Interface RemoveAllNetworks
    network=$(busctl call $service "$interface" $service.Interface AddNetwork 'a{sv}' 3 \
        ssid s porchlight-lab psk s "$1" scan_freq s 2412 | cut -d '"' -f 2)
    busctl call $service "$interface" $service.Interface SelectNetwork o "$network"
}

state_is() {
    local state
    state=$(busctl get-property $service "$interface" $service.Interface State)
    [ "$state" = "s \"$1\"" ] || { echo "the state is $state"; return 1; }
}

refused() {
    within_file 20 "$LOGS/wpa_supplicant.log" 'CTRL-EVENT-SSID-TEMP-DISABLED.*reason=WRONG_KEY' && not state_is completed
}

join 'wrong horse'
try 'a wrong passphrase is refused' refused
join 'correct horse'
need 'the right passphrase joins' within 20 state_is completed

has_address() {
    ask_address wlan0 && ping -c 1 -W 5 192.168.77.1
}
try 'an address is given, and the network answers' has_address
