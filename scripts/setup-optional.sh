#!/bin/sh
# Installs bubblewrap, which is optional: deed uses it for sandboxed workspaces without a copy.
set -eu

if command -v bwrap >/dev/null 2>&1; then
  echo "bubblewrap is installed: $(bwrap --version)"
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "bubblewrap is missing and this system has no apt-get; install it with the package manager of the system." >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "bubblewrap is missing; run this as root, or: sudo apt-get install bubblewrap" >&2
  exit 1
fi
if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends bubblewrap; }; then
  echo "bubblewrap could not be installed (no package source reachable?). deed works without it, with copies instead of overlays." >&2
  exit 1
fi
echo "installed: $(bwrap --version)"
