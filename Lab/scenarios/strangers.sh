# Whoever has docs/pairing-protocol.md can write either side: a client on bleak and a camera on Bumble, both written from it
# alone, meet our camera and our app.
# bumble: yes
# daemons: dbus bluetoothd
# programs: porchlight
# limit: 300
# tests: 14
cloud=http://127.0.0.1:8080
their_code=20461812
# The air, with one adapter for our camera and one for whoever looks for a camera; in it, the camera of somebody else. As
# start_controllers says, a busy machine may need several attempts.
their_camera() {
    local attempt
    for attempt in 1 2 3; do
        start_peer theirs pairing_camera --kernel F0:00:00:00:00:01 F0:00:00:00:00:02 --code "$their_code" \
            --device STRANGERS-FIRST-CAMERA-0001 --outcome wrongPassword && within 15 adapters_ready 2 && return
        stop_peer theirs
    done
    return 1
}
need 'two adapters, and a foreign camera' their_camera
start_daemon cloud "$PRODUCTS/porchlight" serve --data /run/cloud
start_daemon ours env PORCHLIGHT_LOG=info PORCHLIGHT_RADIO=bluez PORCHLIGHT_ADAPTER=hci1 PORCHLIGHT_STATE=/run/ours-radio \
    "$PRODUCTS/porchlight" camera --cloud "$cloud" --state /run/ours --wifi simulated --video pattern
need 'the cloud is up' within_file 40 "$LOGS/cloud.log" 'The cloud is up'
need 'our camera waits to be paired, and has a code' within_file 40 "$LOGS/ours.log" 'waiting to be paired'
our_code=$(sed -n 's/^Setup code \([0-9]*\)-\([0-9]*\).*/\1\2/p' "$LOGS/ours.log")
space=$(sed -n 's/^Space \([^;]*\);.*/\1/p' "$LOGS/cloud.log")
key=$(curl --silent --oauth2-bearer "$(cat /run/cloud/owner-token)" \
    --json '{"timezoneSettings": {"id": "Europe/Berlin", "tzFormat": "GMT+01:00"}}' \
    "$cloud/v1/spaces/$space/pairing-sessions" | sed -n 's/.*"sessionKey" *: *"\([^"]*\)".*/\1/p')

# Their client and our camera, all on one link. The cloud knows only the last of the session keys.
unknown=unknown-session-key
"$PYTHON" Lab/peers/pairing_client.py --adapter hci0 --address F0:00:00:00:00:02 --one-link --probe --password porchlight \
    "protected:00000000,$our_code=keyRefused" protected=keyRefused chunked=keyRefused standard=joined \
    --keys "$unknown" "$unknown" "$unknown" "$key" > "$LOGS/client.log" 2>&1 || true
cat "$LOGS/client.log"

all_is_refused() {
    ! grep '"ok": false' "$LOGS/client.log" && [ "$(grep -c '"ok": true' "$LOGS/client.log")" -ge 40 ]
}
# came_to NUMBER PATTERN: in the lines of that run.
came_to() {
    awk -v wanted="$1" '/"event": "run"/ { run += 1 } run == wanted' "$LOGS/client.log" | tr '\n' ' ' | grep -E "$2"
}
try 'our camera refuses all that the document says' all_is_refused
try 'protected: a wrong code is refused, the right one taken' came_to 1 \
    '"layout": "protected".*"result": "wrongSetupCode".*"event": "secured",[^}]*"code": true.*"result": "keyRefused"'
try 'the wrong code has cost a try' grep 'a wrong setup code was tried; 4 tries left' "$LOGS/ours.log"
try 'protected, without a code' came_to 2 '"event": "secured",[^}]*"code": false.*"result": "keyRefused"'
try 'chunked' came_to 3 '"layout": "chunked".*"result": "keyRefused"'
try 'standard, to the end' came_to 4 '"layout": "standard".*"result": "joined"'
try 'it is in the cloud' within_file 10 "$LOGS/ours.log" 'registered with the cloud'

# app NAME OPTION…: ours, and their camera.
app() {
    echo porchlight | env PORCHLIGHT_LOG=info PORCHLIGHT_RADIO=bluez PORCHLIGHT_ADAPTER=hci0 PORCHLIGHT_STATE=/run/app-radio \
        "$PRODUCTS/porchlight" pair --cloud "$cloud" --space "$space" --token-file /run/cloud/owner-token --json \
        --ssid 'Porchlight Demo' --password-file - --camera PORCH-0001 --snapshot "$LOGS/none.png" "${@:2}" \
        > "$LOGS/$1.json" 2> "$LOGS/$1.log"
}
# ends_with STATUS COMMAND…
ends_with() {
    local status=0
    "${@:2}" || status=$?
    echo "status $status"
    [ "$status" -eq "$1" ]
}
try 'our app gives up with a wrong code' ends_with 16 app wrong --setup-code 00000000
try 'their camera has counted the try' within_file 5 "$LOGS/theirs.log" '"event": "lost"'
try 'with the right one it hears that the password is wrong' ends_with 14 app right --setup-code "$their_code"
password=$(printf porchlight | sha256sum | head -c 16)
try 'and their camera got that password, sealed' within_file 5 "$LOGS/theirs.log" "\"credentials\".*\"password\": \"$password\""
