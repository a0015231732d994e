import * as v from 'valibot';
import { described, int, record } from '../base/schema.ts';
import { defineStream } from '../contract/command.ts';
import { renderStep } from '../app/demo/render-step.ts';
import type { DemoStep } from '../app/demo/demo-step.ts';

export default defineStream({
  path: 'demo',
  summary: 'Show what deed does, in under a minute, offline, in a separate folder',
  description:
    'Creates a small repository, runs a plan of agents on it, denies an item, verifies a receipt, replays a run, finds and terminates a leftover ' +
    'tool server, and resumes as a new agent. Every step runs commands of this program and shows them as a user would type them, ' +
    'in a new folder with its own home; existing files are not changed. On a terminal the default format is text',
  params: {
    folder: described(
      v.optional(v.pipe(v.string(), v.minLength(1))),
      'A new or empty folder (default: a temporary one), which is kept for inspection',
    ),
    live: described(
      v.optional(v.boolean(), false),
      'Call a real model instead of using recorded responses; needs a provider key in the environment and incurs its costs',
    ),
    model: described(
      v.optional(v.pipe(v.string(), v.regex(/^[^/\s]+\/\S+$/u, 'must be provider/model'))),
      'The model of a live demo (default: a small model of the first provider with a key)',
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
  errors: ['E_CONFLICT', 'E_AUTH', 'E_AGENT_FAILED', 'E_DENIED', 'E_TESTS_FAILED', 'E_DAMAGED'],
  run: async function* (request, { system, signal }) {
    const { runDemo } = await import('../app/demo/run-demo.ts');
    yield* runDemo(request, system, signal) as AsyncIterable<never>;
  },
  renderText: (item, paint) => renderStep(item as DemoStep, paint),
});
