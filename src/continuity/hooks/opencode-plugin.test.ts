import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import { openCodePlugin } from './opencode-plugin.ts';

type Hook = (input: unknown, output?: unknown) => Promise<void>;

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

/** Loads the plugin like the host does, with a program that records its calls. */
async function load(program: readonly string[]): Promise<Record<string, Hook>> {
  const file = join(store.folder, `plugin-${Math.random()}.mjs`);
  writeFileSync(file, openCodePlugin(program));
  const { Vybe } = (await import(pathToFileURL(file).href)) as {
    Vybe: (input: object) => Promise<Record<string, Hook>>;
  };
  return Vybe({ directory: '/app' });
}

function recording(): { program: string[]; calls: () => string[] } {
  const log = join(store.folder, 'calls');
  const program = join(store.folder, 'program.sh');
  const answer = JSON.stringify({ hookSpecificOutput: { additionalContext: 'the brief' } });
  writeFileSync(log, '');
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s %s\\n' "$2" "$(cat)" >> ${log}\n[ "$2" = session-start ] && echo '${answer}'\nexit 0\n`,
    {
      mode: 0o755,
    },
  );
  return { program: [program], calls: () => readFileSync(log, 'utf8').trim().split('\n') };
}

const created = (id: string, parentID?: string): object => ({
  event: { type: 'session.created', properties: { info: { id, parentID } } },
});
const systemPrompt = async (
  plugin: Record<string, Hook>,
  sessionID: string,
  first: string,
): Promise<string[]> => {
  const system = [first];
  await plugin['experimental.chat.system.transform']?.({ sessionID, model: {} }, { system });
  return system.slice(1);
};

it('the brief is in the first request to the model, for new and for resumed sessions', async () => {
  const plugin = await load(recording().program);
  // The host does not wait for this call.
  void plugin.event?.(created('new'));
  expect(await systemPrompt(plugin, 'new', 'You are opencode')).toEqual(['the brief']);
  expect(await systemPrompt(plugin, 'old', 'You are opencode')).toEqual(['the brief']);
  expect(await systemPrompt(plugin, 'new', 'You are a title generator.')).toEqual([]);
});

it('events are recorded in order before the host exits, and failures as failures', async () => {
  const { program, calls } = recording();
  const plugin = await load(program);
  await plugin.event?.(created('s'));
  await systemPrompt(plugin, 's', '');
  await plugin.event?.(created('child', 's'));
  await plugin['chat.message']?.({ sessionID: 's' }, { parts: [{ text: 'do it' }] });
  await plugin['chat.message']?.({ sessionID: 'child' }, { parts: [{ text: 'a part' }] });
  const after = (callID: string, tool: string, exit?: number): Promise<void> | undefined =>
    plugin['tool.execute.after']?.(
      { tool, sessionID: 's', callID, args: {} },
      { output: 'x', metadata: { exit } },
    );
  await after('1', 'bash', 0);
  await after('2', 'bash', 3);
  await after('3', 'read');
  const part = {
    type: 'tool',
    sessionID: 's',
    callID: '4',
    tool: 'edit',
    state: { status: 'error', error: 'no' },
  };
  for (let time = 0; time < 2; time += 1)
    await plugin.event?.({ event: { type: 'message.part.updated', properties: { part } } });
  await plugin.dispose?.(undefined);
  expect(calls().map((line) => line.split(' ')[0])).toEqual([
    'session-start',
    'prompt',
    'tool-success',
    'tool-failure',
    'tool-failure',
    'session-end',
  ]);
});

it('the last text of the assistant is recorded when the session is idle, once', async () => {
  const { program, calls } = recording();
  const plugin = await load(program);
  const send = (type: string, properties: object): Promise<void> | undefined =>
    plugin.event?.({ event: { type, properties } });
  const say = (messageID: string, text: string): Promise<void> | undefined =>
    send('message.part.updated', { part: { type: 'text', sessionID: 's', messageID, text } });
  await systemPrompt(plugin, 's', '');
  await send('message.updated', { info: { id: 'm1', sessionID: 's', role: 'user' } });
  await say('m1', 'do it');
  await send('message.updated', { info: { id: 'm2', sessionID: 's', role: 'assistant' } });
  await say('m2', 'The');
  await say('m2', 'The next step is the parser.');
  await send('message.updated', { info: { id: 'm2', sessionID: 's', role: 'assistant' } });
  for (let time = 0; time < 2; time += 1) await send('session.idle', { sessionID: 's' });
  await plugin.dispose?.(undefined);
  const stops = calls().filter((line) => line.startsWith('stop '));
  expect(stops.map((line) => JSON.parse(line.slice(5)) as object)).toEqual([
    expect.objectContaining({ session_id: 's', last_assistant_message: 'The next step is the parser.' }),
  ]);
});

it('the end of an output is passed on, for failed commands and for others', async () => {
  const { program, calls } = recording();
  const plugin = await load(program);
  const output = `${'header '.repeat(9000)}1 failed`;
  for (const exit of [0, 1])
    await plugin['tool.execute.after']?.(
      { tool: 'bash', sessionID: 's', callID: `${exit}`, args: { command: 'x' } },
      { output, metadata: { exit } },
    );
  await plugin.dispose?.(undefined);
  const [success, failure] = calls().map(
    (line) => JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>,
  );
  expect(success?.tool_response).toMatch(/header 1 failed$/u);
  expect(failure?.error).toMatch(/^exit code 1[\s\S]*1 failed$/u);
  expect(failure?.error?.length).toBeLessThan(21_000);
});

it('no error reaches the host, even for invalid input and a missing program', async () => {
  const plugin = await load([join(store.folder, 'missing')]);
  for (const hook of Object.values(plugin)) {
    await hook(undefined, undefined);
    await hook({ event: { type: 'session.created' } }, null);
  }
  expect(await systemPrompt(plugin, 's', '')).toEqual([]);
});

it('runtime settings of the host are not passed to the program', async () => {
  const log = join(store.folder, 'environment');
  const program = join(store.folder, 'environment.sh');
  writeFileSync(program, `#!/bin/sh\nenv > ${log}\ncat > /dev/null\n`, { mode: 0o755 });
  const settings = { BUN_BE_BUN: '1', BUN_OPTIONS: '--preload=x', NODE_OPTIONS: '', VYBE_AGENT: 'kept' };
  Object.assign(process.env, settings);
  try {
    const plugin = await load([program]);
    await systemPrompt(plugin, 's', '');
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name];
  }
  const names = readFileSync(log, 'utf8').match(/^(?:BUN_|NODE_OPTIONS|VYBE_AGENT)[^=]*/gmu);
  expect(names).toEqual(['VYBE_AGENT']);
});
