# The camera's own code joins every kind of network or says why not, and goes back: wpa_supplicant and hostapd.
# radios: 2
# daemons: wpa_supplicant
# programs: tests
# limit: 240
# tests: 18
emoji=🏠🌷🐆🏠🌷🐆🏠🌷
longest='the longest passphrase there is has sixty-three characters: 012'
mixed='mixed horse'
[ "$(hexadecimal "$emoji" | wc -c)" -eq 64 ] && [ "${#longest}" -eq 63 ]

psk() { printf '%s\n' wpa=2 wpa_key_mgmt=WPA-PSK rsn_pairwise=CCMP "$@"; }
mapfile -t lines < <(
    printf '%s\n' ssid=lab-wpa2; psk 'wpa_passphrase=correct horse'
    printf '%s\n' bss=wlan1_1 ssid=lab-open
    printf '%s\n' bss=wlan1_2 ssid=lab-wpa3 wpa=2 wpa_key_mgmt=SAE rsn_pairwise=CCMP ieee80211w=2 'sae_password=battery staple'
    printf '%s\n' bss=wlan1_3 ssid=lab-hidden ignore_broadcast_ssid=1; psk 'wpa_passphrase=hidden horse'
    printf '%s\n' bss=wlan1_4 "ssid2=$(hexadecimal "$emoji")"; psk 'wpa_passphrase=emoji horse'
    printf '%s\n' bss=wlan1_5 ssid=lab-long; psk "wpa_passphrase=$longest"
    printf '%s\n' bss=wlan1_6 ssid=lab-mixed wpa=2 'wpa_key_mgmt=WPA-PSK SAE' rsn_pairwise=CCMP ieee80211w=1 "wpa_passphrase=$mixed"
)
need 'the home has networks of every kind' start_home 192.168.77.1 "${lines[@]}"
start_dhcpcd wlan0

# network TEST SSID SECURITY ENDING PASSWORD
networks=/run/networks
network() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$(hexadecimal "$2")" "$3" "$4" "$5" >> "$networks"; }
network 'WPA2' lab-wpa2 wpa2 kept 'correct horse'
network 'WPA2, the wrong password' lab-wpa2 wpa2 wrongPassword 'correct borse'
network 'open' lab-open open kept ''
network 'open, with a password' lab-open wpa2 invalidCredentials 'correct horse'
network 'WPA3' lab-wpa3 wpa3 kept 'battery staple'
network 'WPA3, the wrong password' lab-wpa3 wpa3 wrongPassword 'battery stable'
network 'WPA3, told WPA2' lab-wpa3 wpa2 kept 'battery staple'
network 'hidden' lab-hidden wpa2 kept 'hidden horse'
network 'a name of 32 bytes of emoji' "$emoji" wpa2 kept 'emoji horse'
network 'a passphrase of 63 characters' lab-long wpa2 kept "$longest"
network 'WPA2 and WPA3 at once' lab-mixed wpa2 kept "$mixed"
network 'a network that is left again' lab-open open left ''
network 'a network that a killed camera was trying' lab-wpa3 wpa3 abandoned 'battery staple'
network 'a network that is not there' lab-gone wpa2 networkNotFound 'correct horse'
network 'WPA2, by its key' lab-wpa2 wpa2 kept "$(wpa_passphrase lab-wpa2 'correct horse' | sed -n 's/^\tpsk=//p')"

PORCHLIGHT_LOG=debug PORCHLIGHT_LAB_NETWORKS=$networks "$PRODUCTS/PorchlightPackageTests.xctest" \
    --testing-library swift-testing --filter WpaSupplicantLabTests > "$LOGS/tests.log" 2>&1 || true

ended_as_wanted() {
    local line
    line=$(grep -m 1 -P "^result\t$1\t" "$LOGS/tests.log") || { echo 'it was not tried'; return 1; }
    IFS=$'\t' read -r _ _ ending wanted taken <<< "$line"
    echo "$ending after $taken; wanted: $wanted"
    [ "$ending" = "$wanted" ]
}
while IFS=$'\t' read -r test _; do try "$test" ended_as_wanted "$test"; done < "$networks"

all_but_the_hidden_are_heard() {
    grep -P '^(heard|listed)' "$LOGS/tests.log"
    [ "$(grep -cP '^heard ' "$LOGS/tests.log")" -eq 6 ] && ! grep -q '^heard lab-hidden' "$LOGS/tests.log"
}
try 'all but the hidden network are heard' all_but_the_hidden_are_heard

one_network_is_left() {
    busctl get-property fi.w1.wpa_supplicant1 /fi/w1/wpa_supplicant1/Interfaces/0 fi.w1.wpa_supplicant1.Interface Networks \
        | tee /dev/stderr | grep -q '^ao 1 '
}
try 'of all the networks, only the last is left in the list' one_network_is_left
