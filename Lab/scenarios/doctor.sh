# 'porchlight doctor' on real stacks: what it says of an adapter, of a blocked one, of none, and of no daemon.
# controllers: 1
# radios: 1
# video: yes
# daemons: bluetoothd wpa_supplicant
# programs: porchlight
# limit: 180
# tests: 5

# doctor CHECK LEVEL PATTERN ROLE…: the examination has a finding of that name and level, whose words or remedy match.
doctor() {
    local check=$1 level=$2 pattern=$3 status=0
    shift 3
    PORCHLIGHT_RADIO=bluez "$PRODUCTS/porchlight" doctor --json "$@" > /run/doctor.json || status=$?
    python3 - "$check" "$level" "$pattern" "$status" << 'END'
import json, re, sys
check, level, pattern, status = sys.argv[1:]
report = json.load(open("/run/doctor.json"))
print(*(f"{each['level']} {each['check']}: {each['says']}" for each in report["findings"]), sep="\n")
found = [each for each in report["findings"] if each["check"] == check]
fits = any(each["level"] == level and re.search(pattern, f"{each['says']} | {each.get('remedy')}") for each in found)
sys.exit(not fits or report["works"] != (status == "0") or (level == "problem") == report["works"])
END
}

start_dhcpcd wlan0
try 'a board with everything can be a camera' within 30 doctor bluetooth.advertising ok 'hci0 can advertise' --for camera
cp /run/doctor.json "$LOGS/camera.json"

block() { echo "$1" > "$(dirname "$(grep -l "^$2\$" /sys/class/rfkill/*/type)")/soft"; }
block 1 bluetooth
try 'a blocked adapter' within 30 doctor rfkill.bluetooth problem 'rfkill unblock bluetooth' --for app
block 0 bluetooth

deny_bluetooth
try 'a policy that keeps it away' within 30 doctor bluetooth.permission problem usermod --for app
allow_bluetooth

unplug_controllers
try 'no adapter' within 30 doctor bluetooth.adapter problem 'bluetoothd has no adapter' --for app
stop_bluetoothd
try 'no daemon' within 30 doctor bluetooth.daemon problem 'systemctl enable --now bluetooth' --for app
