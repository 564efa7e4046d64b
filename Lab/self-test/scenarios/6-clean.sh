# After one that hung: nothing of it is there any more, and what passes is counted as passed.
# tests: 4
try 'no process' not pgrep -f 7654321
try 'no file' not ls /tmp/left-behind /var/lib/bluetooth/left-behind
try 'no module' not test -e /sys/module/hci_vhci
try 'no network namespace' not ip netns exec left-behind true
