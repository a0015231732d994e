import * as v from 'valibot';
import { described, int, record } from '../base/schema.ts';
import { defineStream } from '../contract/command.ts';
import { renderStep } from '../app/demo/render-step.ts';
import type { DemoStep } from '../app/demo/demo-step.ts';

export default defineStream({
  path: 'demo',
  summary: 'See what deed does, in under a minute, offline, in a folder of its own',
  description:
    'Makes a small repository, runs a plan of agents on it, has an item denied, verifies a receipt, replays a run, finds and ends a tool server ' +
    'that was left behind, and lets a fresh agent read the story. Every step is made of commands of this program, shown as one would type ' +
    'them, in a new folder with a home of its own; nothing that was there before is changed. On a terminal it is told as text unless a format is named',
  params: {
    folder: described(
      v.optional(v.pipe(v.string(), v.minLength(1))),
      'A new or empty folder for it (default: a temporary one); it stays for you to look at',
    ),
    live: described(
      v.optional(v.boolean(), false),
      'Ask a real model instead of playing recorded answers; needs the key of a provider in the environment, and costs what it costs there',
    ),
    model: described(
      v.optional(v.pipe(v.string(), v.regex(/^[^/\s]+\/\S+$/u, 'must be provider/model'))),
      'Which model a live demo asks (default: a small one of the first provider whose key is there)',
    ),
  },
  item: v.object({
    step: int(),
    steps: int(),
    id: v.picklist(['stage', 'plan', 'denied', 'receipt', 'replay', 'leftover', 'resume']),
    title: v.string(),
    calls: v.array(v.object({ command: v.string(), exit_code: v.nullable(int()), duration_ms: int() })),
    lines: v.array(v.object({ tone: v.picklist(['shown', 'refused', 'plain', 'quote']), text: v.string() })),
    facts: record(v.unknown()),
    weaker: v.optional(v.string()),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['lines[].text', 'facts'],
  examples: ['demo', 'demo --folder ./deed-demo --format json', 'demo --live --model openai/gpt-5-mini'],
  errors: ['E_CONFLICT', 'E_AUTH', 'E_AGENT_FAILED', 'E_DENIED', 'E_TESTS_FAILED', 'E_INTEGRITY'],
  run: async function* (request, { system, signal }) {
    const { runDemo } = await import('../app/demo/run-demo.ts');
    yield* runDemo(request, system, signal) as AsyncIterable<never>;
  },
  renderText: (item, paint) => renderStep(item as DemoStep, paint),
});
