# Does not end, does not listen, and has left a process outside of its group and files behind.
# limit: 2
ok 'before'
trap '' TERM
setsid sleep 7654321 &
touch /tmp/left-behind
mkdir -p /var/lib/bluetooth/left-behind
modprobe hci_vhci
ip netns add left-behind
while true; do sleep 1 || true; done
