# A person at a terminal: 'porchlight pair' between two adapters, with lists, a wrong password, the right one, and Ctrl-C.
# controllers: 2
# radios: 2
# daemons: bluetoothd wpa_supplicant
# programs: porchlight
# limit: 240
# tests: 7

password='correct horse battery'
mapfile -t lines < <(wpa2_network 'Lighthouse' "$password"; printf '%s\n' bss=wlan1_1 ssid=Harbour)
need 'the home has networks' start_home 192.168.77.1 "${lines[@]}"
start_dhcpcd wlan0
cloud=http://192.168.77.1:8080
start_daemon cloud ip netns exec home "$PRODUCTS/porchlight" serve --data /run/cloud --host 192.168.77.1 --port 8080
need 'the home has a cloud' within_file 40 "$LOGS/cloud.log" 'The cloud is up'
space=$(sed -n 's/^Space \([^;]*\);.*/\1/p' "$LOGS/cloud.log")
start_daemon camera env PORCHLIGHT_LOG=info PORCHLIGHT_RADIO=bluez PORCHLIGHT_ADAPTER=hci1 PORCHLIGHT_STATE=/run/camera-radio \
    "$PRODUCTS/porchlight" camera --cloud "$cloud" --state /run/camera --wifi wlan0 --video pattern --size 320x180 --fps 5 \
    --bitrate 200000
need 'the camera waits to be paired' within_file 40 "$LOGS/camera.log" 'waiting to be paired'
code=$(sed -n 's/^Setup code \([0-9]*-[0-9]*\).*/\1/p' "$LOGS/camera.log")

# record NAME LINE…: plays a person before 'porchlight pair'; the recording goes to $LOGS/NAME.cast.
record() {
    local name=$1
    shift
    printf '%s\n' "$@" > "/run/$name.script"
    env PORCHLIGHT_RADIO=bluez PORCHLIGHT_ADAPTER=hci0 PORCHLIGHT_STATE=/run/app-radio ip netns exec home \
        python3 "$GUEST/record" "$LOGS/$name.cast" "/run/$name.script" \
        "$PRODUCTS/porchlight" pair --cloud "$cloud" --space "$space" --token-file /run/cloud/owner-token \
        --snapshot "/run/$name.png"
}

interrupted() {
    local status=0
    record interrupted 'wait Number, or Enter for the nearest: ' enter 'wait Setup code on the camera' enter \
        'wait hides it: ' $'type \x03' || status=$?
    echo "status $status"
    [ "$status" -eq 130 ]
}
try 'Ctrl-C at the list of networks ends it, and leaves the camera waiting' interrupted
try 'with a setup code, a wrong password and then the right one it is paired' record pair \
    'wait Number, or Enter for the nearest: ' 'look 2' enter 'wait Setup code on the camera' 'look 1' "type $code" \
    'wait hides it: ' 'look 2' 'type Lighthouse' "wait Password of 'Lighthouse': " 'type correct horse batterie' \
    'wait The Wi-Fi password is wrong' "wait Password of 'Lighthouse': " 'look 1' "type $password" 'wait Live: ' 'look 1'
try 'the camera is on the network' grep -q 'SSID: Lighthouse' <(iw dev wlan0 link)
no_secret_is_told() {
    not grep -E "batter(y|ie)|$code" "$LOGS/pair.cast" "$LOGS/cloud.log" && not grep -E 'batter(y|ie)' "$LOGS/camera.log"
}
try 'neither the passwords nor the code are in the recording' no_secret_is_told
