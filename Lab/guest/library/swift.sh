# Swift tests inside the guest.

# run_swift_tests FILTER SECONDS: runs the tests of the package whose identifiers match, in one process that may ask for
# faults (control.sh), and reports each as a result when it ends. That none has run is a failure.
run_swift_tests() {
    local filter=$1 limit=$2 status=0
    mkdir -p "$CONTROL"
    rm -f "$CONTROL"/*
    mkfifo "$CONTROL"/{commands,answers,events}
    run_swift_process "$filter" "$limit" &
    serve_control || status=$?
    case $status in
        0 | 1) ;; # 1 is that of a failed test, which was reported.
        124) failed "Swift tests $filter" "stopped after $limit s; see swift-tests.log" ;;
        *) failed "Swift tests $filter" "ended with status $status; see swift-tests.log" ;;
    esac
}

run_swift_process() {
    local ended=0 results
    "$GUEST/swift-results" "$1" < "$CONTROL/events" > "$CONTROL/commands" &
    results=$!
    # A backtrace takes minutes in a program of this size.
    SWIFT_BACKTRACE=enable=no PORCHLIGHT_LAB=$CONTROL PORCHLIGHT_RADIO=bluez timeout --kill-after=3 "$2" \
        "$PRODUCTS/PorchlightPackageTests.xctest" --testing-library swift-testing --no-parallel --filter "$1" \
        --event-stream-version 0 --event-stream-output-path "$CONTROL/events" > "$LOGS/swift-tests.log" 2>&1 || ended=$?
    # For one that ended before it opened the events.
    : <> "$CONTROL/events"
    wait "$results" || true
    echo "ended $ended" > "$CONTROL/commands"
}
