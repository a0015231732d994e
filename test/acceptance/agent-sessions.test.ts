import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest, type AgentFixtures } from '../fixtures/agent-test.ts';
import { startAiAgent, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { confirmedAsync, deedAsync, waitFor } from '../fixtures/run-deed.ts';
import { agentHere, confirmedHere, deedHere } from '../fixtures/run-here.ts';
import { scriptModel } from '../fixtures/script-model.ts';
import { LONG, rowsOf } from '../fixtures/start-node.ts';
import {
  callsOf,
  configureSteps,
  killAtCall,
  killAtRequest,
  recordsOf,
  resumeHere,
  resumeOnly,
  sessionIds,
  sessionsFolder,
  toolOf,
} from '../fixtures/stored-session.ts';

/** Stored sessions: resumed after a kill at any step, continued, copied, listed and deleted. */
const test = agentTest;

/** The tool calls; there is one request more. In the short suite each tool is called once, and one of them again. */
const TURNS = LONG ? 10 : 4;
const REPORT = `All ${TURNS} calls are done.\n`;
const ALL = Array.from({ length: TURNS }, (_, n) => n);
const CALLS = ALL.map((n) => `${toolOf(n)} ${n}`);
const UNKNOWN = 'interrupted with unknown outcome';

const home = (folder: AgentFolder) => ({ home: join(folder.home, '.deed'), cwd: folder.path });

/** What the model was told about call n. */
function answerTo(n: number, { server }: AgentFixtures): string {
  const messages = server.requests.at(-1)?.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === 'tool')[n]?.content ?? '';
}

/** The accounting entries of all sessions. */
function ledgerOf({ home: userHome }: AgentFolder): readonly Record<string, unknown>[] {
  const lines = readFileSync(join(userHome, '.deed/accounting.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe.concurrent('a session that was killed with SIGKILL', () => {
  const spread = <T>(values: readonly T[], ...chosen: T[]): readonly T[] => (LONG ? values : chosen);

  test.for(spread([...ALL, TURNS], 2))(
    'during request %i sends it again, and accounts for both',
    async (n, { server, folder }) => {
      const fixtures = { server, folder };
      const argv = configureSteps(fixtures, TURNS);
      await killAtRequest(argv, fixtures, n);
      const run = await resumeOnly(folder);
      expect([run.stdout, run.code]).toEqual([REPORT, 0]);
      expect(callsOf(folder)).toEqual(CALLS);
      expect(server.requests).toHaveLength(TURNS + 2);
      const requests = ledgerOf(folder).filter(({ type }) => type === 'llm');
      expect(requests).toHaveLength(TURNS + 2);
      expect(requests.filter(({ status }) => status === 'failed')).toEqual([
        expect.objectContaining({
          error: UNKNOWN,
          tokens: expect.objectContaining({ estimated: true }),
        }),
      ]);
    },
  );

  test.for(
    spread(
      ALL.flatMap((n) => [`before-${n}`, `after-${n}`]),
      'after-0',
    ),
  )(
    'while a tool worked, %s, repeats only a call that is declared repeatable',
    async (at, { server, folder }) => {
      const fixtures = { server, folder };
      const n = Number(at.split('-')[1]);
      const argv = configureSteps(fixtures, TURNS);
      await killAtCall(argv, folder, at);
      const run = await resumeOnly(folder);
      expect([run.stdout, run.code]).toEqual([REPORT, 0]);
      const isRepeated = toolOf(n) !== 'write';
      const hadEffect = at.startsWith('after');
      const counted = callsOf(folder).filter((call) => call.endsWith(` ${n}`)).length;
      expect(counted).toBe((hadEffect ? 1 : 0) + (isRepeated ? 1 : 0));
      expect(callsOf(folder).filter((call) => !call.endsWith(` ${n}`))).toEqual(
        CALLS.filter((call) => !call.endsWith(` ${n}`)),
      );
      expect(answerTo(n, fixtures)).toContain(isRepeated ? `${toolOf(n)} ${n}: ok` : UNKNOWN);
      expect(answerTo(n, fixtures).startsWith('(tool failed: ')).toBe(!isRepeated);
    },
  );

  test.runIf(LONG)(
    'after any of its records ends with the same report and repeats no completed call',
    async ({ server, folder }) => {
      const fixtures = { server, folder };
      const argv = configureSteps(fixtures, TURNS);
      const whole = await agentHere(argv, { folder });
      expect([whole.stdout, whole.code]).toEqual([REPORT, 0]);
      const records = recordsOf(folder);
      const [id = ''] = sessionIds(folder);
      const file = join(sessionsFolder(folder), `${id}.jsonl`);
      const steps = LONG ? records.map((_, index) => index + 1) : [3, 6, 21];
      for (const step of steps) {
        const kept = records.slice(0, step).map((line) => JSON.parse(line) as Record<string, unknown>);
        // The file as the kill leaves it, sometimes with a part of the next record.
        const torn = (records[step] ?? '').slice(0, step % 3 === 0 ? 20 : 0);
        writeFileSync(file, records.slice(0, step).join('\n') + '\n' + torn);
        const done = kept.flatMap(({ type, position }) =>
          type === 'tool.finished' ? [String(position)] : [],
        );
        writeFileSync(join(folder.path, 'calls'), '');
        const run = await agentHere(['--resume', id], { folder });
        expect([run.stdout, run.code], `after ${step} records`).toEqual([REPORT, 0]);
        const isStarted = kept.at(-1)?.type === 'tool.started';
        const isUnknown = isStarted && toolOf(done.length) === 'write';
        expect(callsOf(folder).filter((call) => call !== '')).toEqual(
          CALLS.slice(done.length + (isUnknown ? 1 : 0)),
        );
      }
    },
  );
});

describe.concurrent('a session that was killed while a tool server asked its model', () => {
  const QUESTION = 'What is six times seven?';

  /** The only call asks the model, so the requests are: the call, the question, the report. */
  async function killAtQuestion({ server, folder }: AgentFixtures, tool: string): Promise<void> {
    const argv = configureSteps({ server, folder }, 1, { sampling: 'allow' });
    server.mock.clearFixtures();
    server.mock.onMessage(QUESTION, { content: 'Forty-two.' });
    const call = [`count__${tool}`, { n: 0, ask: QUESTION }] as const;
    scriptModel(server, [{ calls: [call] }, { report: REPORT.trim() }], 'm');
    await killAtRequest([...argv.slice(0, -1), '6'], { server, folder }, 1);
  }

  test.for(
    rowsOf([
      ['write', 1, 3, UNKNOWN],
      ['read', 2, 4, 'read 0: Forty-two.'],
    ]),
  )('follows the same rules for %s', async ([tool, effects, turns, told], { server, folder }) => {
    const fixtures = { server, folder };
    await killAtQuestion(fixtures, tool);
    const run = await resumeHere(folder);
    expect([run.stdout, run.code]).toEqual([REPORT, 0]);
    expect(callsOf(folder)).toEqual(Array.from({ length: effects }, () => `${tool} 0`));
    expect(answerTo(0, fixtures)).toContain(told);
    const [id = ''] = sessionIds(folder);
    const shown = (await deedHere(['agent', 'sessions', 'show', id, '--detail'], home(folder))).envelope.data;
    const unknown = shown.steps.filter(({ status }: { status: string }) => status === 'unknown');
    // The request whose answer was lost; a repeated call, and one that is answered as interrupted, have their outcome.
    expect(unknown).toEqual([expect.objectContaining({ kind: 'request', name: 'p/m', turn: 1 })]);
    const fill = shown.steps.at(-1);
    expect(fill.context_tokens).toBeGreaterThan(0);
    expect(fill.context_limit).toBe(131_072 - 8192 - 4096);
    // A question counts as a turn, also the one whose answer was lost.
    expect(shown).toMatchObject({ status: 'succeeded', turns });
    const requests = ledgerOf(folder).filter(({ type }) => type === 'llm');
    expect(requests).toHaveLength(server.requests.length);
    expect(requests.filter(({ status }) => status === 'failed')).toEqual([
      expect.objectContaining({
        error: UNKNOWN,
        callPath: 'ai-agent->count',
        tokens: expect.objectContaining({ estimated: true }),
      }),
    ]);
  });
});

describe.concurrent('a stored session', () => {
  test('keeps what it has spent, and ends at its limits when it is resumed', async ({ server, folder }) => {
    const fixtures = { server, folder };
    const argv = configureSteps(fixtures, 4);
    const first = await agentHere([...argv.slice(0, -1), '3'], { folder });
    expect(first.code).toBe(1);
    const sent = server.requests.length;
    const again = await resumeHere(folder);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('Max turns reached (3)')]);
    expect(server.requests).toHaveLength(sent);
    const more = await resumeHere(folder, '--max-turns', '9');
    expect([more.stdout, more.code]).toEqual(['All 4 calls are done.\n', 0]);
    const [id = ''] = sessionIds(folder);
    const { data } = (await deedHere(['agent', 'sessions', 'show', id], home(folder))).envelope;
    expect(data).toMatchObject({ id, status: 'succeeded', agent: 'ai-agent', error: null, calls: [] });
    expect(data.turns).toBeGreaterThan(4);
    expect(data.tokens.input).toBeGreaterThan(0);
    expect(data.elapsed_ms).toBeGreaterThan(0);
    expect(data._untrusted).toContain('conversation');
    const detail = ['agent', 'sessions', 'show', id, '--detail', '--fields', 'steps'];
    const { steps } = (await deedHere(detail, home(folder))).envelope.data as {
      steps: { turn: number; kind: string; name: string; status: string; tokens: object | null }[];
    };
    expect(steps.filter(({ kind }) => kind === 'tool').map(({ status }) => status)).toContain('ok');
    expect(steps.find(({ kind }) => kind === 'request')).toMatchObject({
      turn: 1,
      name: 'p/m',
      status: 'ok',
      agents: null,
      tokens: { input: expect.any(Number), output: expect.any(Number), cached: expect.any(Number) },
      latency_ms: expect.any(Number),
      reason: null,
    });
    expect(new Set(steps.map(({ turn }) => turn)).size).toBeGreaterThan(4);
  });

  test('returns its report again, and continues with a further task', async ({ server, folder }) => {
    const fixtures = { server, folder };
    configureSteps(fixtures, 1);
    const argv = ['You count.', 'Count.', '--models', 'p/m', '--tools', 'count', '--transport', 'native'];
    expect((await agentHere(argv, { folder })).code).toBe(0);
    const sent = server.requests.length;
    expect((await resumeHere(folder)).stdout).toBe('All 1 calls are done.\n');
    expect(server.requests).toHaveLength(sent);
    server.mock.clearFixtures();
    server.mock.on(
      { predicate: () => true },
      {
        toolCalls: [
          { name: 'agent__final_report', arguments: '{"format":"markdown","report_content":"More."}' },
        ],
      },
    );
    expect((await resumeHere(folder, 'And now?')).stdout).toBe('More.\n');
    const messages = server.requests.at(-1)?.body.messages as { role: string; content: string }[];
    expect(messages.map(({ role }) => role).join(' ')).toBe('system user assistant tool assistant tool user');
    expect(messages.at(-1)?.content).toBe('And now?');
  });

  test('continues with a further task after its context was full', async ({ server, folder }) => {
    configureSteps({ server, folder }, 0);
    folder.write('skills/big/SKILL.md', `---\nname: big\ndescription: b\n---\n${'word '.repeat(4000)}`);
    folder.write('skills/small/SKILL.md', '---\nname: small\ndescription: s\n---\nBe brief.');
    server.mock.clearFixtures();
    const load = (name: string) => ({ calls: [['agent__load_skill', { name }]] }) as const;
    scriptModel(server, [load('big'), { report: 'Too big.' }, load('small'), { report: 'Read.' }], 'm');
    const flags = '--models p/m --skills skills --transport native --context-window 15000'.split(' ');
    expect((await agentHere(['You read.', 'Read.', ...flags], { folder })).stdout).toBe('Too big.\n');
    expect((await resumeHere(folder, 'And small?')).stdout).toBe('Read.\n');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('Be brief.');
  });

  test('that has used its turns names the limit for a further task', async ({ server, folder }) => {
    const argv = configureSteps({ server, folder }, 0);
    expect((await agentHere(argv, { folder })).code).toBe(0);
    const run = await resumeHere(folder, 'And now?');
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringMatching(/Max turns reached \(1\).*--max-turns 2/su),
    ]);
  });

  test.runIf(LONG)('is copied with --fork and stays as it is', async ({ server, folder }) => {
    const fixtures = { server, folder };
    const argv = configureSteps(fixtures, 4);
    await killAtCall(argv, folder, 'before-1');
    const [original = ''] = sessionIds(folder);
    const file = join(sessionsFolder(folder), `${original}.jsonl`);
    const before = readFileSync(file, 'utf8');
    const fork = await agentHere(['--fork', original], { folder });
    expect([fork.stdout, fork.code]).toEqual(['All 4 calls are done.\n', 0]);
    expect(readFileSync(file, 'utf8')).toBe(before);
    const copy = sessionIds(folder).find((id) => id !== original) ?? '';
    const shown = (await deedHere(['agent', 'sessions', 'show', copy], home(folder))).envelope.data;
    expect(shown).toMatchObject({ forked_from: original, status: 'succeeded' });
    const list = (await deedHere(['agent', 'sessions', 'list'], home(folder))).envelope.data;
    expect(list.items).toEqual([
      expect.objectContaining({ id: copy, status: 'succeeded', turns: 5 }),
      expect.objectContaining({ id: original, status: 'interrupted', turns: 1 }),
    ]);
    const shownOriginal = (await deedHere(['agent', 'sessions', 'show', original], home(folder))).envelope
      .data;
    expect(shownOriginal.calls).toEqual([{ tool: 'count__read', arguments: '{"n":1}', outcome: 'unknown' }]);
  });

  test('is private, without secrets, and cannot be resumed while it runs', async ({ server, folder }) => {
    const fixtures = { server, folder };
    const argv = [
      'You count.',
      'Use ghp_0123456789abcdefghijABCDEFGHIJ456789.',
      ...configureSteps(fixtures, 2).slice(2),
    ];
    const limitFlags = ['--max-total-tokens', '50000', '--max-duration-ms', '600000'];
    const child = startAiAgent([...argv, '--verbose', ...limitFlags], { folder });
    server.hangAfter(1);
    while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const busy = await resumeHere(folder);
    expect([busy.code, busy.stderr]).toEqual([1, expect.stringContaining('is running')]);
    const { items } = (await deedHere(['agent', 'sessions', 'list', '--status', 'running'], home(folder)))
      .envelope.data;
    expect(items).toHaveLength(1);
    const [id = ''] = sessionIds(folder);
    const { limits } = (await deedHere(['agent', 'sessions', 'show', id], home(folder))).envelope.data;
    expect(limits).toEqual({
      max_turns: { used: 1, limit: 3 },
      max_total_tokens: { used: expect.any(Number), limit: 50_000 },
      max_duration_ms: { used: expect.any(Number), limit: 600_000 },
    });
    expect(limits.max_total_tokens.used).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await waitFor(child);
    const file = join(sessionsFolder(folder), `${id}.jsonl`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(sessionsFolder(folder)).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, 'utf8')).not.toContain('ghp_0123');
  });

  test('is continued by deed after a confirmation, which a changed session invalidates', async ({
    server,
    folder,
  }) => {
    const fixtures = { server, folder };
    const argv = configureSteps(fixtures, 3);
    await killAtCall(argv, folder, 'after-0');
    const [id = ''] = sessionIds(folder);
    const options = home(folder);
    await confirmedAsync(['config', 'trust', '.', '--file', '.ai-agent.json'], options);
    const call = ['agent', 'run', '--resume', id];
    const preview = await deedAsync([...call, '--dry-run'], options);
    expect(preview.envelope.data.preview.changes[0].after).toMatchObject({ resume: id, turns: 0 });
    const token = preview.envelope.data.confirm_token as string;
    const elsewhere = { ...options, cwd: folder.home };
    const run = await deedAsync([...call, '--confirm', token], elsewhere);
    expect(run.envelope.data).toMatchObject({ session_id: id, report_text: 'All 3 calls are done.' });
    const stale = await deedAsync([...call, '--confirm', token], options);
    expect(stale.envelope.ok).toBe(false);
  });

  test.for([
    [['--resume', 'nope'], 4, 'Invalid session id: "nope"'],
    [['--resume', 'f'.repeat(32)], 3, 'does not exist'],
    [['--resume', 'f'.repeat(32), '--fork', 'f'.repeat(32)], 4, 'only one of --resume and --fork'],
    [['--resume', 'f'.repeat(32), 'a', 'b'], 4, 'already has a system prompt'],
  ] as const)('is refused for %j', async ([argv, code, message], { folder }) => {
    const run = await agentHere([...argv], { folder });
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  test('that is damaged is named, with the line', async ({ server, folder }) => {
    const fixtures = { server, folder };
    await agentHere(configureSteps(fixtures, 1), { folder });
    const [id = ''] = sessionIds(folder);
    const file = join(sessionsFolder(folder), `${id}.jsonl`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"type":"llm.settled"', '"type":"llm.unknown"'));
    const run = await resumeHere(folder);
    expect(run.stderr).toContain(`${id}.jsonl is damaged: line 3`);
    const list = await deedHere(['agent', 'sessions', 'list'], home(folder));
    expect(list.envelope.data.items).toHaveLength(1);
    for (const content of ['', '{"type":"session.op', '[]\n', '{"type":"session.opened","at":1}\n']) {
      writeFileSync(file, content);
      const shown = await deedHere(['agent', 'sessions', 'show', id], home(folder));
      expect(shown.envelope.error).toMatchObject({ code: 'E_DAMAGED', details: { path: file } });
    }
  });

  test('is deleted by age and by size, and not while it is kept', async ({ server, folder }) => {
    const fixtures = { server, folder };
    await agentHere(configureSteps(fixtures, 1), { folder });
    const options = home(folder);
    const [id = ''] = sessionIds(folder);
    const file = join(sessionsFolder(folder), `${id}.jsonl`);
    cpSync(file, join(sessionsFolder(folder), `${'0'.repeat(32)}.jsonl`));
    expect((await confirmedHere(['agent', 'sessions', 'prune'], options)).envelope.data.removed).toBe(0);
    const small = ['agent', 'sessions', 'prune', '--keep-bytes', String(statSync(file).blocks * 512)];
    expect((await confirmedHere(small, options)).envelope.data).toMatchObject({ removed: 1 });
    expect(sessionIds(folder)).toHaveLength(1);
    const old = ['agent', 'sessions', 'prune', '--keep-days', '0'];
    expect((await confirmedHere(old, options)).envelope.data.removed).toBe(1);
    expect(sessionIds(folder)).toEqual([]);
  });
});
