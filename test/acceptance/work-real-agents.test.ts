import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentApi } from '../fixtures/agent-api.ts';
import { createAgentBench } from '../fixtures/real-agents.ts';
import { item, type WorkBench } from '../fixtures/work-bench.ts';

const FIX = `printf 'larger() { [ "$1" -gt "$2" ] && echo "$1" || echo "$2"; }\\n' > larger.sh`;
const COMMENT = `sed -i '1i# Prints the larger one of two numbers.' larger.sh`;

describe.skipIf(process.env.DEED_TEST_LONG !== '1')('with its real program and a scripted model', () => {
  let api: AgentApi;
  let bench: WorkBench;
  beforeAll(async () => {
    ({ api, bench } = await createAgentBench());
  }, 600_000);
  afterAll(async () => {
    bench?.dispose();
    await api?.close();
  });

  it.each(['claude', 'codex'])(
    '%s fixes a failing test, is sent back once, and continues its session',
    async (agent) => {
      bench.reset();
      bench.write('larger.sh', 'larger() { echo "$1"; }\n');
      bench.write('test.sh', '. ./larger.sh\n[ "$(larger 1 2)" = 2 ] && echo "1 passed"\n');
      const before = api.requests.length;
      api.script({ run: FIX }, { say: 'Fixed.' });
      const waiting = await bench.workAsync(
        item('fix', 'The test of larger fails. Fix it.', {
          agent_id: agent,
          approval: true,
          test_command: 'sh test.sh',
        }),
      );
      expect(waiting.envelope.error, JSON.stringify(waiting.envelope.error)).toMatchObject({
        code: 'E_HUMAN_REQUIRED',
      });
      const first = waiting.envelope.error?.details.run_id as string;
      const shown = (id: string) => bench.deed(['work', 'show', id]).envelope.data;
      expect(shown(first)).toMatchObject({
        tests: { passed: true },
        agent: { session_id: expect.stringMatching(/^[\w-]{36}$/u), tokens: { output: expect.any(Number) } },
        limits: { max_tool_ops: { used: 1 } },
      });
      const answered = api.requests.length;
      expect(answered).toBe(before + 2);
      api.script({ run: COMMENT }, { say: 'Commented.' });
      const revised = await bench.deedAsync([
        'work',
        'revise',
        first,
        '--comment',
        'Say what it does',
        '--confirm',
        await tokenOf('work', 'revise', first, '--comment', 'Say what it does'),
      ]);
      const second = revised.envelope.error?.details.run_id as string;
      expect(shown(second).agent.session_id).toBe(shown(first).agent.session_id);
      // The session has the first task, and the message has the comment and the diff.
      const texts = JSON.stringify(api.requests[answered]);
      for (const part of ['The test of larger fails', 'Say what it does', 'diff --git a/larger.sh'])
        expect(texts).toContain(part);
      expect(bench.confirmed('work', 'approve', second).envelope.ok).toBe(true);
      expect(bench.read('larger.sh')).toMatch(/^# Prints the larger one.*\nlarger\(\) \{ \[ "\$1" -gt/u);
      expect(bench.deed(['work', 'log', second, '--format', 'text']).stdout).toContain('Commented.');
      expect(bench.deed(['receipt', 'verify']).envelope.data.valid).toBe(true);
    },
    300_000,
  );

  const tokenOf = async (...argv: string[]): Promise<string> =>
    (await bench.deedAsync([...argv, '--dry-run'])).envelope.data.confirm_token as string;
});
