# The guest has the hardware that the other scenarios count on.
# controllers: 2
# radios: 2
# video: yes
# daemons: bluetoothd wpa_supplicant
# limit: 60
# tests: 4
controllers_are_listed() {
    [ "$(busctl --system --list tree org.bluez | grep -c '^/org/bluez/hci[01]$')" -eq 2 ]
}

radios_are_apart() {
    [ -e /sys/class/net/wlan0 ] && ip netns exec home test -e /sys/class/net/wlan1
}

video_is_there() {
    [ "$(cat /sys/class/video4linux/video0/name)" = "vivid-000-vid-cap" ]
}

try 'bluetoothd lists both controllers' within 10 controllers_are_listed
try 'one radio is here, the other in the home' radios_are_apart
try 'there is a camera' video_is_there
try 'wpa_supplicant is on the bus' bus_has_name fi.w1.wpa_supplicant1
