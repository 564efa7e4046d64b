# Pairing without simulation: two adapters, real Wi-Fi from scan to address, the cloud behind it, a V4L2 picture.
# controllers: 2
# radios: 2
# video: yes
# daemons: bluetoothd wpa_supplicant
# programs: porchlight
# limit: 360
# tests: 10
emoji=🏠🌷🐆🏠🌷🐆🏠🌷
longest='the longest passphrase there is has sixty-three characters: 012'
wrong=${longest/the/thy}

mapfile -t lines < <(
    printf '%s\n' "ssid2=$(hexadecimal "$emoji")" wpa=2 wpa_key_mgmt=WPA-PSK rsn_pairwise=CCMP "wpa_passphrase=$longest"
    printf '%s\n' bss=wlan1_1 ssid=lab-open
    printf '%s\n' bss=wlan1_2 ssid=lab-hidden ignore_broadcast_ssid=1 wpa=2 wpa_key_mgmt=SAE rsn_pairwise=CCMP ieee80211w=2 \
        'sae_password=battery staple'
)
need 'the home has networks' start_home 192.168.77.1 "${lines[@]}"
start_dhcpcd wlan0
cloud=http://192.168.77.1:8080
start_daemon cloud ip netns exec home "$PRODUCTS/porchlight" serve --data /run/cloud --host 192.168.77.1 --port 8080
need 'the home has a cloud' within_file 40 "$LOGS/cloud.log" 'The cloud is up'
space=$(sed -n 's/^Space \([^;]*\);.*/\1/p' "$LOGS/cloud.log")

# start_camera NAME
start_camera() {
    start_daemon "$1" env PORCHLIGHT_LOG=info PORCHLIGHT_RADIO=bluez PORCHLIGHT_ADAPTER=hci1 "PORCHLIGHT_STATE=/run/$1-radio" \
        "$PRODUCTS/porchlight" camera --cloud "$cloud" --state "/run/$1" --wifi wlan0 --video /dev/video0 \
        --size 320x180 --fps 5 --bitrate 200000
    within_file 40 "$LOGS/$1.log" 'waiting to be paired'
}

# pair NAME SSID PASSWORD OPTION…: the app, which is in the home; its answer goes to $LOGS/NAME.json.
pair() {
    local name=$1 ssid=$2 password=$3
    shift 3
    printf '%s\n' "$password" | env PORCHLIGHT_LOG=info PORCHLIGHT_RADIO=bluez PORCHLIGHT_ADAPTER=hci0 \
        PORCHLIGHT_STATE=/run/app-radio ip netns exec home "$PRODUCTS/porchlight" pair --cloud "$cloud" --space "$space" \
        --token-file /run/cloud/owner-token --ssid "$ssid" --json --snapshot "$LOGS/$name.png" "$@" \
        > "$LOGS/$name.json" 2> "$LOGS/$name.log"
}

# says NAME FILTER: what the app's answer holds.
says() {
    python3 -c 'import json, sys; print(eval(sys.argv[2], {}, {"answer": json.load(open(sys.argv[1]))}))' "$LOGS/$1.json" "$2"
}

need 'the camera waits to be paired' start_camera camera
try 'it joins networks with wlan0, and films a real device' grep -A 1 'filming /dev/video0' "$LOGS/camera.log"

if pair wrong "$emoji" "$wrong" --password-file -; then failed 'a wrong passphrase' 'it was taken'; fi
the_reason_is_the_password() { says wrong 'answer["error"]["reason"]' | grep 'The Wi-Fi password is wrong'; }
try 'with a wrong passphrase, the session says so' the_reason_is_the_password

picture_is_there() {
    says "$1" 'answer["width"], answer["height"], answer["frames"] >= 5' | grep '(320, 180, True)' || return
    [ "$(head -c 8 "$LOGS/$1.png" | od -An -t x1 | tr -d ' \n')" = 89504e470d0a1a0a ]
}
paired() { pair "$@" && picture_is_there "$1"; }
try 'the right one, and a name of 32 bytes of emoji, end with a picture' paired right "$emoji" "$longest" --password-file -
signal_is_the_radios() {
    local told heard
    told=$(says right 'answer["rssi"]')
    heard=$(iw dev wlan0 link | sed -n 's/.*signal: \(-[0-9]*\) dBm.*/\1/p')
    echo "told $told dBm, heard $heard dBm"
    [ -n "$heard" ] && [ "$told" = "$heard" ]
}
try 'its signal is that of the radio' signal_is_the_radios

# paired_anew NAME SSID PASSWORD OPTION…: the same with a camera that knows nothing yet.
camera=camera
paired_anew() {
    stop_daemon "$camera"
    camera=camera-$1
    start_camera "$camera" && paired "$@" && iw dev wlan0 link | grep "SSID: $2"
}
try 'an open network' paired_anew open lab-open '' --open
try 'a hidden network, by WPA3' paired_anew hidden lab-hidden 'battery staple' --hidden --password-file -

no_passphrase_is_told() {
    local status=0
    grep -rlF -e "$longest" -e "$wrong" -e 'battery staple' "$LOGS" --exclude=body --exclude=hostapd.log \
        --exclude=wpa_supplicant.log || status=$?
    [ "$status" -eq 1 ]
}
try 'no passphrase is in any log or answer' no_passphrase_is_told
