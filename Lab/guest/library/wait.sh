# Waiting. Nothing here sleeps for a fixed time and hopes. Starting a program costs a tenth of a second in this machine,
# so the waiting itself is all bash.

exec {never}<> <(:)

# pause SECONDS: a sleep without a process.
pause() {
    read -r -t "$1" -u "$never" || true
}

# within SECONDS COMMAND…: tries until the command succeeds; fails when time is up. Prints what its last try printed.
within() {
    local seconds=$1 output=/tmp/within.$BASHPID.$RANDOM status=0
    local deadline=$((${EPOCHREALTIME/./} + seconds * 1000000))
    shift
    until "$@" > "$output" 2>&1; do
        if [ "${EPOCHREALTIME/./}" -gt "$deadline" ]; then
            echo "not within $seconds s: $*" >> "$output"
            status=1
            break
        fi
        pause 0.1
    done
    printf '%s' "$(< "$output")"$'\n'
    return "$status"
}

# within_file SECONDS FILE PATTERN: until a line of the file matches; prints the first such line.
within_file() {
    within "$1" grep -m 1 -E -- "$3" "$2"
}

not() {
    ! "$@"
}
