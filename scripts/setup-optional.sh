#!/bin/sh
# Installs what deed uses where it is there: bubblewrap, for workspaces that are confined and need no copy. Everything works without.
set -eu

if command -v bwrap >/dev/null 2>&1; then
  echo "bubblewrap is there: $(bwrap --version)"
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "bubblewrap is missing and there is no apt-get here; install it with this system's package manager." >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "bubblewrap is missing; run this as root, or: sudo apt-get install bubblewrap" >&2
  exit 1
fi
if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends bubblewrap; }; then
  echo "bubblewrap could not be installed (no package source reachable?). deed works on, with copies instead of overlays." >&2
  exit 1
fi
echo "installed: $(bwrap --version)"
