import { describe, expect, it } from 'vitest';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createPtSandbox, type PtAnswer } from '../fixtures/pt-sandbox.ts';

const ROUNDS = process.env.DEED_TEST_LONG ? 20 : 1;
const REAPER = new URL('../fixtures/replaced-parent.ts', import.meta.url).pathname;

/**
 * Starts an orphaned tool server that takes a lock on SIGUSR1 and writes to a file on SIGUSR2, and one that listens on a loopback port.
 * Their pids are in $SERVER and $LISTENER, the port in $PORT.
 */
const SERVERS = `
work=$(mktemp -d); cd $work
( true | setsid bash -c 'exec -a mcp-server-demo bash -c "$0"' 'trap "exec 9>lock; flock 9" USR1; trap "exec 8>>data; echo x >&8" USR2; exec 3<> <(:); echo $$ > pid; while :; do read -u 3; done' >/dev/null 2>&1 & )
while [ ! -s pid ]; do sleep 0.02; done; SERVER=$(cat pid)
( true | setsid bash -c 'exec -a mcp-server-port ${process.execPath} -e "$0"' 'const s = require("net").createServer(() => {}).listen(0, "127.0.0.1", () => { const fs = require("fs"); fs.writeFileSync("port.new", String(s.address().port) + " " + process.pid); fs.renameSync("port.new", "port"); })' >/dev/null 2>&1 & )
while [ ! -s port ]; do sleep 0.02; done; read PORT LISTENER < port
# The port may be one on which another program just had connections, and a plan spares a program for those.
while grep -q "$(printf ':%04X 06' $PORT)" /proc/net/tcp; do sleep 0.5; done
sleep 0.5
`;

/** Starts an orphaned tool server, $SERVER, that connects to a display on SIGUSR2; the display is a socket at its usual path. */
const WINDOW = `
work=$(mktemp -d); cd $work; display=$((1000 + RANDOM)); mkdir -p /tmp/.X11-unix
${process.execPath} -e 'require("net").createServer((s) => s.on("error", () => {})).listen("/tmp/.X11-unix/X" + process.argv[1])' $display & LISTENER=$!
( true | DISPLAY=:$display setsid bash -c 'exec -a mcp-server-window ${process.execPath} -e "$0"' '
  const fs = require("fs"); const path = "/tmp/.X11-unix/X" + process.env.DISPLAY.slice(1); let socket;
  process.on("SIGUSR2", () => { socket = require("net").connect(path, () => fs.writeFileSync("window", "")); });
  setInterval(() => socket, 1e9); fs.writeFileSync("pid.new", String(process.pid)); fs.renameSync("pid.new", "pid");' >/dev/null 2>&1 & )
while [ ! -s pid ] || [ ! -S /tmp/.X11-unix/X$display ]; do sleep 0.02; done; SERVER=$(cat pid)
sleep 0.5
`;

/** Starts an orphaned tool server, $SERVER, below a reaper, $LISTENER, that becomes another program on SIGUSR2. */
const REAPED = `
work=$(mktemp -d); cd $work
cat > script.sh <<'END'
( true | setsid bash -c 'exec -a mcp-server-reaped bash -c "$0"' 'exec 3<> <(:); echo $$ > pid; while :; do read -u 3; done' >/dev/null 2>&1 & )
END
# Below a shell: a child of the first process would itself count as adopted.
( setsid ${process.execPath} ${REAPER} script.sh </dev/null >/dev/null 2>&1 & echo $! > reaper; wait ) &
while [ ! -s reaper ]; do sleep 0.02; done; LISTENER=$(cat reaper)
while [ ! -s pid ]; do sleep 0.02; done; SERVER=$(cat pid)
until grep -q "^PPid:.$LISTENER$" /proc/$SERVER/status; do sleep 0.02; done
sleep 0.5
`;

interface Change {
  readonly when: string;
  readonly setup: string;
  /** How many kills the plan recommends. */
  readonly planned: number;
  readonly target: 'SERVER' | 'LISTENER';
  readonly script: string;
  readonly gate: 'vetoes' | 'grounds';
  readonly reason: string;
}

const CHANGES: readonly Change[] = [
  {
    when: 'a lock is taken',
    setup: SERVERS,
    planned: 2,
    target: 'SERVER',
    script: 'kill -USR1 $SERVER; until grep -q lock: /proc/$SERVER/fdinfo/* 2>/dev/null; do sleep 0.02; done',
    gate: 'vetoes',
    reason: 'file lock',
  },
  {
    when: 'a write begins',
    setup: SERVERS,
    planned: 2,
    target: 'SERVER',
    script: 'kill -USR2 $SERVER; until [ -s data ]; do sleep 0.02; done',
    gate: 'vetoes',
    reason: 'open for writing',
  },
  {
    when: 'a client connects',
    setup: SERVERS,
    planned: 2,
    target: 'LISTENER',
    script: 'exec 7<>/dev/tcp/127.0.0.1/$PORT; sleep 0.1',
    gate: 'vetoes',
    reason: 'connection',
  },
  {
    when: 'a client connected and left',
    setup: SERVERS,
    planned: 2,
    target: 'LISTENER',
    // Rarely, on a busy machine, the kernel keeps no record of the closed connection; then there is nothing that a plan could see.
    script: `until grep -q "$(printf ':%04X 06' $PORT)" /proc/net/tcp; do
      exec 7<>/dev/tcp/127.0.0.1/$PORT; sleep 0.1; exec 7>&-; sleep 0.1
    done`,
    gate: 'vetoes',
    reason: 'connections',
  },
  {
    when: 'a window opens',
    setup: WINDOW,
    planned: 1,
    target: 'SERVER',
    script: 'kill -USR2 $SERVER; until [ -e window ]; do sleep 0.02; done',
    gate: 'vetoes',
    reason: 'its environment names a display',
  },
  {
    when: 'the parent is replaced',
    setup: REAPED,
    planned: 1,
    target: 'SERVER',
    script: 'kill -USR2 $LISTENER; running $LISTENER sleep',
    gate: 'grounds',
    reason: 'its parent is running',
  },
];

describe.runIf(namespaceCommand !== null)('what changes between plan and apply is skipped', () => {
  it.each(CHANGES)('when $when', async ({ setup, planned, target, script, gate, reason }) => {
    const sandbox = createPtSandbox();
    try {
      const rounds = Array.from(
        { length: ROUNDS },
        (_, round) => `
        ${setup}
        quiet_plan plan${round} ${planned}
        ${script}
        call apply${round} agent apply --session $SESSION --targets $${target} --yes
        record alive${round} $(alive $${target})
        kill -9 $SERVER $LISTENER; exec 7>&-; cd /
      `,
      );
      const answers = await sandbox.run(rounds.join('\n'));
      for (let round = 0; round < ROUNDS; round += 1) {
        const plan: PtAnswer | undefined = answers[`plan${round}`];
        expect(plan?.json.recommended.total_actions, plan?.stdout).toBe(planned);
        const applied: PtAnswer | undefined = answers[`apply${round}`];
        expect(applied?.json.error, applied?.stdout).toMatchObject({
          code: 'GATE_FAILED',
          details: { gate },
        });
        expect(applied?.json.error.message).toContain(reason);
        expect(answers[`alive${round}`]?.stdout.trim()).not.toBe('');
      }
    } finally {
      sandbox.dispose();
    }
  });

  it('when a resumed apply finds a target in use again', async () => {
    const sandbox = createPtSandbox();
    try {
      const answers = await sandbox.run(`
        ${SERVERS}
        quiet_plan plan 2
        call stopped agent apply --session $SESSION --recommended --yes --timeout 0s
        kill -USR1 $SERVER; until grep -q lock: /proc/$SERVER/fdinfo/* 2>/dev/null; do sleep 0.02; done
        call resumed agent apply --session $SESSION --resume
        record kept $(alive $SERVER)
        record ended $(alive $LISTENER)
        kill -9 $SERVER; cd /
      `);
      expect(answers.stopped?.json.error.code).toBe('TIMEOUT');
      const results = answers.resumed?.json.results as { outcome: string; gate?: string; reason?: string }[];
      expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['skipped', 'success']);
      expect(results.find(({ outcome }) => outcome === 'skipped')).toMatchObject({
        gate: 'vetoes',
        reason: expect.stringContaining('file lock') as string,
      });
      expect(answers.kept?.stdout.trim()).not.toBe('');
      expect(answers.ended?.stdout.trim()).toBe('');
    } finally {
      sandbox.dispose();
    }
  });

  it('when the plan is old, unless a higher age is passed', async () => {
    const sandbox = createPtSandbox();
    try {
      const answers = await sandbox.run(`
        orphans 1; plan plan; sleep 1
        call old agent apply --session $SESSION --recommended --yes --max-plan-age 500ms
        record alive $(alive $ORPHANS)
        call young agent apply --session $SESSION --recommended --yes --max-plan-age 10m
        record ended $(alive $ORPHANS)
      `);
      expect(answers.old?.json.error).toMatchObject({ code: 'GATE_FAILED', details: { gate: 'plan_age' } });
      expect(answers.old?.json.error.message).toContain('pt agent plan (without --session)');
      expect(answers.alive?.stdout.trim()).not.toBe('');
      expect(answers.young?.json.summary.successful).toBe(1);
      expect(answers.ended?.stdout.trim()).toBe('');
    } finally {
      sandbox.dispose();
    }
  });
});

describe.runIf(namespaceCommand !== null)('a name is not enough', () => {
  it('for a job that is named like a tool server', async () => {
    const sandbox = createPtSandbox();
    try {
      const { plan } = await sandbox.run(`
        work=$(mktemp -d); cd $work; mkdir mcp-notes weather-mcp
        echo 'setInterval(() => {}, 1e9)' > mcp-notes/index.js
        echo 'process.stdin.resume(); setInterval(() => {}, 1e9)' > weather-mcp/index.js
        echo 'exec 3<> <(:); read -u 3' > mcp_backup.sh
        child() { ( true | setsid bash -c '( echo $BASHPID > $0; exec "$@" ) <&0 &' "$@" >/dev/null 2>&1 & ); }
        child job ${process.execPath} $work/mcp-notes/index.js sync
        child backup bash mcp_backup.sh
        child server ${process.execPath} $work/weather-mcp/index.js
        ( true | setsid bash -c 'echo $$ > cron; exec -a mcp-cron sleep 1000' >/dev/null 2>&1 & )
        for _ in $(seq 100); do grep -qs '^flags:.*4...$' /proc/$(cat server)/fdinfo/0 && break; sleep 0.05; done
        quiet_plan plan 1
        kill -9 $(cat job backup server cron); cd /
      `);
      const candidates: { cmd_full: string; recommended_action: string }[] = plan?.json.candidates;
      const actions = candidates.map((each) => [
        each.cmd_full.replace(/^.*\//u, ''),
        each.recommended_action,
      ]);
      expect(Object.fromEntries(actions)).toEqual({
        'index.js': 'kill',
        'index.js sync': 'review',
        'bash mcp_backup.sh': 'review',
        'mcp-cron 1000': 'review',
      });
    } finally {
      sandbox.dispose();
    }
  });
});
