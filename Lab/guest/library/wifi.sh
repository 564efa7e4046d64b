# Wi-Fi networks of the home: hostapd on a radio in the network namespace 'home', one access point a radio.

# start_network INTERFACE ADDRESS LINE…: an access point with hostapd's configuration lines, which serves addresses of
# ADDRESS's network (of 24 bits) to who joins.
start_network() {
    local interface=$1 address=$2 file=/run/hostapd-$1.conf
    shift 2
    printf '%s\n' "interface=$interface" driver=nl80211 hw_mode=g channel=1 "$@" > "$file"
    start_daemon "hostapd-$interface" ip netns exec home hostapd -t "$file"
    within_file 20 "$LOGS/hostapd-$interface.log" 'AP-ENABLED' > /dev/null || return
    ip -n home address add "$address/24" dev "$interface" || return
    start_daemon "dnsmasq-$interface" ip netns exec home dnsmasq --keep-in-foreground --log-facility=- --conf-file=/dev/null \
        --no-resolv --no-hosts --port=0 --interface="$interface" --bind-interfaces --dhcp-authoritative --leasefile-ro --no-ping \
        --dhcp-range="${address%.*}.50,${address%.*}.150,255.255.255.0,1h" --log-dhcp
    within_file 20 "$LOGS/dnsmasq-$interface.log" 'DHCP, IP range' > /dev/null
}

# wpa2_network SSID PASSPHRASE: the lines for start_network.
wpa2_network() {
    printf '%s\n' "ssid=$1" wpa=2 wpa_key_mgmt=WPA-PSK rsn_pairwise=CCMP "wpa_passphrase=$2"
}

# ask_address INTERFACE: a DHCP lease by busybox; sets the address, a name server is not wanted here.
ask_address() {
    printf '%s\n' '#!/bin/sh' '[ "$1" = bound ] || exit 0' 'ip address replace "$ip/24" dev "$interface"' > /run/udhcpc.sh
    chmod +x /run/udhcpc.sh
    busybox udhcpc -i "$1" -n -q -f -t 10 -T 1 -s /run/udhcpc.sh
}

# start_home ADDRESS LINE…: one radio, wlan1, with many networks, that all lead to one bridge, which serves addresses of
# ADDRESS's network (of 24 bits). The first network's lines come first; each further one begins with 'bss=wlan1_N'.
start_home() {
    local address=$1 file=/run/hostapd-home.conf
    shift
    modprobe bridge
    ip -n home link add home0 type bridge
    ip -n home address add "$address/24" dev home0
    ip -n home link set home0 up
    printf '%s\n' interface=wlan1 driver=nl80211 ctrl_interface=/run/hostapd hw_mode=g channel=1 "$@" |
        sed '/^bss=\|^interface=/a bridge=home0' > "$file"
    start_daemon hostapd ip netns exec home hostapd -t "$file"
    within_file 30 "$LOGS/hostapd.log" 'AP-ENABLED' > /dev/null || return
    start_daemon dnsmasq ip netns exec home dnsmasq --keep-in-foreground --log-facility=- --conf-file=/dev/null \
        --no-resolv --no-hosts --port=0 --interface=home0 --bind-interfaces --dhcp-authoritative --leasefile-ro \
        --dhcp-range="${address%.*}.50,${address%.*}.150,255.255.255.0,1h" --log-dhcp
    within_file 20 "$LOGS/dnsmasq.log" 'DHCP, IP range' > /dev/null
}

# start_dhcpcd INTERFACE: serves it whenever it is on a network, as on a board; does not look for twins of its address.
start_dhcpcd() {
    printf '%s\n' duid persistent 'option domain_name_servers' noarp nodelay noipv6 > /run/dhcpcd.conf
    mkdir -p /var/lib/dhcpcd /run/dhcpcd
    start_daemon dhcpcd dhcpcd --nobackground --debug --config /run/dhcpcd.conf "$1"
}

# hexadecimal TEXT
hexadecimal() {
    printf '%s' "$1" | od -An -v -t x1 | tr -d ' \n'
}
