# Functions for the scripts of situations. $DIR is the folder of the situation, $PORT the first of ten free ports.
exec 9<&0

# bg NAME COMMAND…: starts a judged process with the standard input of the script. A name with "_" is not judged.
bg() { local name=$1; shift; "$@" <&9 9<&- & echo $! > "$DIR/$name.pid"; }

# bgn NAME COMMAND…: the same with /dev/null as standard input.
bgn() { local name=$1; shift; "$@" </dev/null 9<&- & echo $! > "$DIR/$name.pid"; }

# adopt NAME COMMAND…: the same, but through a shell that exits, so that init is the parent.
adopt() { local name=$1; shift; ( "$@" <&9 9<&- & echo $! > "$DIR/$name.pid" ); }

# as NAME ARGV0 COMMAND…: starts a judged process under another name, in its own session.
as() { local name=$1 argv0=$2; shift 2; setsid bash -c 'exec -a "$0" "$@"' "$argv0" "$@" <&9 9<&- & echo $! > "$DIR/$name.pid"; }

# track NAME PID: judges a process that was started in another way.
track() { echo "$2" > "$DIR/$1.pid"; }

# quiet FILE…: these files were last written twelve days ago; applied right before the plan.
quiet() { for one in "$@"; do echo "$one" >> "$DIR/quiet.list"; done; }

# until_true COMMAND…: waits up to 60 seconds.
until_true() { for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return 0; sleep 0.2; done; echo "never true: $*" >&2; return 1; }

listening() { until_true port_is_open "${1:-$PORT}"; }
port_is_open() { ( exec 3<>"/dev/tcp/127.0.0.1/$1" ); }

# child_of NAME PATTERN: waits for a descendant whose command line matches, and prints its pid.
child_of() {
  local pid; pid=$(cat "$DIR/$1.pid")
  for _ in $(seq 200); do
    local found; found=$(descendants "$pid" | while read -r one; do command_of "$one" | grep -q -- "$2" && echo "$one"; done | tail -1)
    [ -n "$found" ] && { echo "$found"; return 0; }
    sleep 0.2
  done
  echo "no descendant of $1 matches $2" >&2; return 1
}
descendants() { for one in $(cat /proc/"$1"/task/*/children 2>/dev/null); do echo "$one"; descendants "$one"; done; }
command_of() { { tr '\0' ' ' < "/proc/$1/cmdline"; } 2>/dev/null; }
