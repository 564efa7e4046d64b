# Results. The host reads them from a file of their own, so that nothing on the console can be taken for one.
# A line is a kind and its fields, separated by tabs.

event() {
    local IFS=$'\t'
    printf '%s\n' "${*//[$'\n\t']/ }" >> /machine/events
}

# ok TEST
ok() {
    event ok "$1"
}

# failed TEST REASON: does not end the scenario.
failed() {
    event failed "$1" "${2:-no reason given}"
    echo "failed $1: ${2:-}" >&2
}

# check TEST COMMAND…: the command's status is the result, its last line the reason. In a function that is called so, as
# everywhere behind 'if' and '||', bash ignores 'set -e': it says '|| return' where a step can fail.
check() {
    local test=$1 status=0 output=/tmp/check.$BASHPID.$RANDOM
    shift
    "$@" > "$output" 2>&1 || status=$?
    output=$(< "$output")
    printf '%s' "${output:+$output$'\n'}"
    if [ "$status" -eq 0 ]; then
        ok "$test"
    else
        failed "$test" "${output##*$'\n'} (status $status of $*)"
    fi
    return "$status"
}

# need TEST COMMAND…: as check, and ends the scenario when it fails: what follows would only repeat it.
need() {
    check "$@" || exit 0
}

# try TEST COMMAND…: as check, and goes on whatever comes.
try() {
    check "$@" || true
}
