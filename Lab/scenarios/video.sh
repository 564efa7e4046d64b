# The camera's own code films with a V4L2 device (vivid), also one that another program uses.
# video: yes
# programs: tests
# limit: 120
export PORCHLIGHT_LAB_VIDEO=/dev/video0
run_swift_tests VideoDeviceLabTests 100
