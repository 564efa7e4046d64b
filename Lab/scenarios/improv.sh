# Improv Wi-Fi: our app and 'porchlight pair' at a device that nobody here wrote, pyimprov on bless, through one bluetoothd.
# controllers: 2
# air: bumble
# daemons: dbus bluetoothd
# programs: tests porchlight
# tests: 5
# limit: 210
need 'a foreign Improv device' start_peer improv improv_peripheral --adapter hci1
run_swift_tests ImprovPeerTests 130

# pair PASSWORD: to a cloud that does not exist, for nobody asks it. The answer goes to $LOGS/pair.json.
echo token > /run/token
pair() {
    printf '%s\n' "$1" | env PORCHLIGHT_RADIO=bluez PORCHLIGHT_ADAPTER=hci0 PORCHLIGHT_STATE=/run/app \
        "$PRODUCTS/porchlight" pair --json --cloud http://127.0.0.1:9 --space none --token-file /run/token \
        --camera 'Improv Cam' --ssid neighbour --password-file - > "$LOGS/pair.json" 2> "$LOGS/pair.log"
}
refused() {
    local status=0
    pair 'under the fence' || status=$?
    [ "$status" = 15 ] && grep 'could not join' "$LOGS/pair.json"
}
joined() { pair 'over the fence' && grep '192\.168\.77\.9' "$LOGS/pair.json"; }
tell_peer improv authorize
try 'porchlight pair says that it could not join' refused
try 'porchlight pair brings it onto a network, and tells its page' joined
