import { keep, type Family } from '../situation.ts';

/** Programs whose normal state is to run without a parent and without a terminal. */
export const daemons: Family = {
  name: 'daemons',
  situations: [
    keep(
      'ssh-agent',
      { stage: 'detached', needs: ['ssh-agent'] },
      'Holds the keys of a person.',
      `eval "$(ssh-agent -s -a $DIR/agent.sock)" >/dev/null; track agent $SSH_AGENT_PID`,
    ),
    keep(
      'ssh-agent-foreground-terminal-closed',
      { stage: 'hangup', needs: ['ssh-agent'] },
      'Holds the keys of a person.',
      'set -m; bg agent ssh-agent -D -a $DIR/agent.sock >/dev/null 2>&1; sleep 1',
    ),
    keep(
      'gpg-agent',
      { stage: 'detached', needs: ['gpg-agent'] },
      'Holds the keys of a person.',
      `export GNUPGHOME=$DIR/.gnupg; mkdir -m 700 .gnupg; gpg-agent --daemon >/dev/null 2>&1; sleep 1; track agent $(grep -l gpg-agent /proc/[0-9]*/comm | while read -r one; do pid=\${one#/proc/}; pid=\${pid%/comm}; grep -qz "TEST_SITUATION=gpg-agent" /proc/$pid/environ && echo $pid; done | head -1)`,
    ),
    keep(
      'cron',
      { stage: 'detached', needs: ['cron'] },
      'Runs the schedule of the machine.',
      'bg daemon setsid cron -f; sleep 1',
    ),
    keep(
      'sshd',
      { stage: 'detached', needs: ['sshd', 'ssh-keygen'] },
      'Lets people log in.',
      `ssh-keygen -qt ed25519 -N '' -f key; mkdir -p /run/sshd
bg daemon setsid $(command -v sshd) -D -f /dev/null -o Port=$PORT -h $DIR/key -o PidFile=none -E sshd.log; listening`,
    ),
    keep(
      'tini-container-init',
      { stage: 'detached', needs: ['tini'] },
      'The init of a container and its service.',
      'bg init setsid tini -s -- python3 -m http.server --bind 0.0.0.0 $PORT >/dev/null 2>&1; listening',
    ),
    keep(
      'containerd-shim',
      { stage: 'detached', standIn: 'a container runtime cannot start containers here' },
      'A shim keeps the streams of a container.',
      `as shim 'containerd-shim-runc-v2' bash -c 'sleep 100000; true' -namespace moby -id 0123456789ab; sleep 1`,
    ),
    keep(
      'file-sync-daemon',
      { stage: 'detached', standIn: 'the daemon needs a network' },
      'Waits for changes of a folder and of a peer.',
      `as daemon syncthing /usr/bin/python3 -c "import socket; s=socket.socket(); s.bind(('0.0.0.0',$PORT)); s.listen();
while True: s.accept()" serve --no-browser; listening`,
    ),
    keep(
      'watchman',
      { stage: 'detached', needs: ['inotifywait'], standIn: 'no package of Debian has it' },
      'A file watching service that many tools share.',
      `mkdir w; as daemon watchman inotifywait -q -m -r w; sleep 1`,
    ),
    keep(
      'stunnel',
      { stage: 'detached', needs: ['stunnel4', 'openssl'] },
      'A TLS relay for others.',
      `openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -subj /CN=x -days 9 2>/dev/null
printf 'foreground=yes\\npid=\\n[x]\\naccept=0.0.0.0:%s\\nconnect=127.0.0.1:1\\ncert=%s/c.pem\\nkey=%s/k.pem\\n' $PORT $DIR $DIR > s.conf; bg daemon setsid stunnel4 s.conf >/dev/null 2>&1; listening`,
    ),
    keep(
      'systemd-run-like-service',
      { stage: 'detached' },
      'A service below a self-made supervisor that restarts it.',
      `printf 'while :; do python3 -m http.server --bind 127.0.0.1 %s; sleep 1; done >/dev/null 2>&1\\n' $PORT > supervise.sh; bg supervisor setsid bash supervise.sh; listening`,
    ),
  ],
};
