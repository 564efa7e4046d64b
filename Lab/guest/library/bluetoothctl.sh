# bluetoothctl as a peer that nobody here wrote: one process a controller, told what to do line by line.

declare -A prompts=()

# start_bluetoothctl NAME INDEX: its output goes to $LOGS/NAME.log.
start_bluetoothctl() {
    local pipe=/run/bluetoothctl-$1 descriptor
    mkfifo "$pipe" || return
    exec {descriptor}<> "$pipe"
    stdbuf --output=L bluetoothctl < "$pipe" > "$LOGS/$1.log" 2>&1 &
    daemon_ids[$1]=$!
    prompts[$1]=$descriptor
    within_file 20 "$LOGS/$1.log" 'Agent registered' || return
    tell "$1" "select $(controller_address "$2")"
}

# tell NAME LINE
tell() {
    printf '%s\n' "$2" >&"${prompts[$1]}"
}

# hears NAME SECONDS PATTERN: until its output has a line that matches.
hears() {
    within_file "$2" "$LOGS/$1.log" "$3"
}
