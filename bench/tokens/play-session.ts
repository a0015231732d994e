import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { ROOT } from '../../scripts/build-constants.ts';
import { connectTo, createPlace, type SessionPlace } from './session-place.ts';
import {
  PROJECT,
  DEED_SESSION,
  MCP_SESSION,
  VYBE_SESSION,
  type Call,
  type Step,
  type ToolCall,
} from './standard-session.ts';
import { fillSessionStore } from './fill-session-store.ts';

/** The tokens of a session: everything that passes through the context of a model. */
export interface SessionCost {
  readonly name: string;
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
  const original = createPlace();
  try {
    await fillSessionStore(original);
    const inShell = (place: SessionPlace): AgentInterface<string> => ({
      preparation: skill,
      run: runInShell(place),
    });
    return [
      await play(
        { name: 'vybe with the Skill', bound: 6000, open: inShell, session: VYBE_SESSION },
        original,
      ),
      await play(
        { name: 'deed with the Skill', bound: 5000, open: inShell, session: DEED_SESSION },
        original,
      ),
      await play({ name: 'MCP', bound: 4000, open: connect, session: MCP_SESSION }, original),
    ];
  } finally {
    original.dispose();
  }
}

interface Play<T> {
  readonly name: string;
  readonly bound: number;
  readonly open: (place: SessionPlace) => AgentInterface<T> | Promise<AgentInterface<T>>;
  readonly session: readonly Call<T>[];
}

interface AgentInterface<T> {
  readonly preparation: string;
  readonly run: (call: T) => Answer | Promise<Answer>;
  readonly close?: () => Promise<void>;
}

async function play<T>(
  { name, bound, open, session }: Play<T>,
  original: SessionPlace,
): Promise<SessionCost> {
  const place = createPlace(original);
  try {
    const { preparation, run, close } = await open(place);
    const known: Record<string, string> = {};
    const steps: Partial<Record<Step, number>> = {};
    for (const { step, call } of session) {
      const filled = fill(call, known);
      const { text, ok } = await run(filled);
      if (ok !== (step !== 'recover')) throw new Error(`${JSON.stringify(filled)} answered ${text}`);
      remember(step, text, known);
      const asked = typeof filled === 'string' ? filled : JSON.stringify(filled);
      // Replaces the temporary folder by the path of an ordinary project, so that paths cost a realistic number of tokens.
      const seen = `${asked}\n${text}`.replaceAll(place.folder, dirname(PROJECT));
      steps[step] = (steps[step] ?? 0) + count(seen);
    }
    await close?.();
    const prepared = count(preparation);
    const total = Object.values(steps).reduce((sum, tokens) => sum + tokens, prepared);
    return { name, total, bound, preparation: prepared, steps };
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

async function connect(place: SessionPlace): Promise<AgentInterface<ToolCall>> {
  const client = await connectTo(place);
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
