import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { ROOT } from '../../scripts/build-constants.ts';
import { createPlace, type SessionPlace } from './session-place.ts';
import {
  DEED_SESSION,
  MCP_SESSION,
  VYBE_SESSION,
  type Call,
  type Step,
  type ToolCall,
} from './standard-session.ts';
import { fillStore } from './store-of-session.ts';

/** The tokens of a session: everything that passes through the context of a model. */
export interface SessionCost {
  readonly face: string;
  readonly total: number;
  readonly bound: number;
  /** Before the first call: the Skill, or the instructions and tools of the server. */
  readonly preparation: number;
  readonly steps: Readonly<Partial<Record<Step, number>>>;
}

interface Answer {
  readonly text: string;
  readonly ok: boolean;
}

/** Plays the standard session over each interface and counts the tokens. */
export async function playSessions(): Promise<readonly SessionCost[]> {
  const skill = readFileSync(join(ROOT, 'skills/deed/SKILL.md'), 'utf8');
  return [
    await play(
      'vybe with the Skill',
      6000,
      (place) => ({ preparation: skill, run: runInShell(place) }),
      VYBE_SESSION,
    ),
    await play(
      'deed with the Skill',
      5000,
      (place) => ({ preparation: skill, run: runInShell(place) }),
      DEED_SESSION,
    ),
    await play('MCP', 4000, connect, MCP_SESSION),
  ];
}

interface Face<T> {
  readonly preparation: string;
  readonly run: (call: T) => Answer | Promise<Answer>;
  readonly close?: () => Promise<void>;
}

async function play<T>(
  face: string,
  bound: number,
  open: (place: SessionPlace) => Face<T> | Promise<Face<T>>,
  session: readonly Call<T>[],
): Promise<SessionCost> {
  const place = createPlace();
  try {
    fillStore(place);
    const { preparation, run, close } = await open(place);
    const known: Record<string, string> = {};
    const steps: Partial<Record<Step, number>> = {};
    for (const { step, call } of session) {
      const filled = fill(call, known);
      const { text, ok } = await run(filled);
      if (ok !== (step !== 'recover')) throw new Error(`${JSON.stringify(filled)} answered ${text}`);
      remember(step, text, known);
      const asked = typeof filled === 'string' ? filled : JSON.stringify(filled);
      steps[step] = (steps[step] ?? 0) + count(asked) + count(text);
    }
    await close?.();
    const prepared = count(preparation);
    const total = Object.values(steps).reduce((sum, tokens) => sum + tokens, prepared);
    return { face, total, bound, preparation: prepared, steps };
  } finally {
    place.dispose();
  }
}

function count(text: string): number {
  return encode(text).length;
}

/** An agent sees both outputs of a command that it runs in a shell. */
function runInShell({ folder, env }: SessionPlace): (call: string) => Answer {
  return (call) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', call], { cwd: folder, env, encoding: 'utf8' });
    return { text: `${stdout}${stderr}`, ok: status === 0 };
  };
}

async function connect({ folder, env }: SessionPlace): Promise<Face<ToolCall>> {
  const client = new Client({ name: 'claude-app', version: '1.0.0' });
  const command = join(ROOT, 'dist/bin/deed');
  await client.connect(
    new StdioClientTransport({ command, args: ['mcp', 'serve'], cwd: folder, env: { ...env } }),
  );
  const { tools } = await client.listTools();
  return {
    preparation: `${client.getInstructions() ?? ''}\n${JSON.stringify(tools)}`,
    run: async (call) => {
      const { content, isError } = await client.callTool({
        name: call.name,
        arguments: { ...call.arguments },
      });
      const [{ text } = { text: '' }] = content as { text: string }[];
      return { text, ok: isError !== true };
    },
    close: () => client.close(),
  };
}

/** Puts values of earlier answers in the place of names in braces. */
function fill<T>(call: T, known: Readonly<Record<string, string>>): T {
  const text = JSON.stringify(call).replaceAll(/\{(task|token)\}/gu, (_, name: string) => known[name] ?? '');
  return JSON.parse(text) as T;
}

function remember(step: Step, text: string, known: Record<string, string>): void {
  const token = /"confirm_token":\s*"(ct_[^"]+)"/u.exec(text)?.[1];
  if (token !== undefined) known.token = token;
  const task = step === 'create' ? /"id":\s*"(task_\w+)"/u.exec(text)?.[1] : undefined;
  if (task !== undefined) known.task = task;
}
