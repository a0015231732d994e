import { describe, expect, it } from 'vitest';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createPtSandbox, type PtAnswer } from '../fixtures/pt-sandbox.ts';

const ROUNDS = process.env.DEED_TEST_LONG ? 20 : 2;

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
sleep 0.5
`;

describe.runIf(namespaceCommand !== null)('what changes between plan and apply is skipped', () => {
  it.each([
    [
      'a lock is taken',
      'SERVER',
      'kill -USR1 $SERVER; until grep -q lock: /proc/$SERVER/fdinfo/* 2>/dev/null; do sleep 0.02; done',
      'file lock',
    ],
    [
      'a write begins',
      'SERVER',
      'kill -USR2 $SERVER; until [ -s data ]; do sleep 0.02; done',
      'open for writing',
    ],
    ['a client connects', 'LISTENER', 'exec 7<>/dev/tcp/127.0.0.1/$PORT; sleep 0.1', 'connection'],
    [
      'a client connected and left',
      'LISTENER',
      'exec 7<>/dev/tcp/127.0.0.1/$PORT; sleep 0.1; exec 7>&-; sleep 0.1',
      'connections',
    ],
  ])('when %s', async (_what, target, change, reason) => {
    const sandbox = createPtSandbox();
    try {
      const rounds = Array.from(
        { length: ROUNDS },
        (_, round) => `
        ${SERVERS}
        quiet_plan plan${round} 2
        ${change}
        call apply${round} agent apply --session $SESSION --targets $${target} --yes
        record alive${round} $(alive $${target})
        kill -9 $SERVER $LISTENER; exec 7>&-; cd /
      `,
      );
      const answers = await sandbox.run(rounds.join('\n'));
      for (let round = 0; round < ROUNDS; round += 1) {
        expect(answers[`plan${round}`]?.json.recommended.total_actions).toBe(2);
        const applied: PtAnswer | undefined = answers[`apply${round}`];
        expect(applied?.json.error).toMatchObject({ code: 'GATE_FAILED', details: { gate: 'vetoes' } });
        expect(applied?.json.error.message).toContain(reason);
        expect(answers[`alive${round}`]?.stdout.trim()).not.toBe('');
      }
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
