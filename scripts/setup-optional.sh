#!/bin/sh
# Installs what is optional: bubblewrap, with which deed sandboxes workspaces without a copy, Chromium, in which the web pages are tested, and
# Postgres, on which stores of several machines are tested.
set -eu

install() {
  program=$1
  package=$2
  without=$3
  if command -v "$program" >/dev/null 2>&1; then
    echo "$package is installed: $("$program" --version 2>/dev/null | head -1)"
    return 0
  fi
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "$package is missing and this system has no apt-get; install it with the package manager of the system. $without" >&2
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "$package is missing; run this as root, or: sudo apt-get install $package. $without" >&2
    return 1
  fi
  if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$package"; }; then
    echo "$package could not be installed (no package source reachable?). $without" >&2
    return 1
  fi
  echo "installed: $("$program" --version 2>/dev/null | head -1)"
}

status=0
install bwrap bubblewrap "deed works without it, with copies instead of overlays." || status=1
# Debian keeps the programs of the server outside the search path.
if [ -d /usr/lib/postgresql ]; then
  echo "postgresql is installed: $(ls /usr/lib/postgresql | tail -1)"
else
  install postgres postgresql "Without it the tests of stores on Postgres are skipped." || [ -d /usr/lib/postgresql ] || status=1
fi
# The one without windows takes a third less processor time; not every distribution has it.
install chromium-headless-shell chromium-headless-shell "The tests of the web pages then use chromium." ||
  install chromium chromium "Without it the tests of the web pages are skipped." || status=1
exit "$status"
