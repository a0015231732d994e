import * as v from 'valibot';
import { HOSTS } from '../../app/setup/host-parts.ts';
import { applySetup, changesOf, chosenHosts, planSetup, type SetupScope } from '../../app/setup/set-up.ts';
import { PART_NAMES, type PartName, type SetupHost } from '../../app/setup/setup-part.ts';
import { readSetupStatus } from '../../app/setup/setup-status.ts';
import { described } from '../../base/schema.ts';
import { printable } from '../../base/text.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { CHANGED_FILES, HOSTS_PARAMETER } from './setup-parameters.ts';

export default defineWrite({
  path: 'setup',
  summary: 'Set up Claude Code, Codex, Gemini CLI, OpenCode and Cursor to use deed',
  description:
    'Adds the MCP server, hooks that record sessions, the Skill, and a paragraph in the instructions, as far as each agent supports them. ' +
    'Other entries stay byte for byte the same. An agent with a file that cannot be changed is skipped, with the reason. "setup undo" restores what was there before',
  params: {
    hosts: HOSTS_PARAMETER,
    parts: described(v.optional(v.array(v.picklist(PART_NAMES))), 'Only these parts (default: all)'),
    check: described(v.optional(v.boolean(), false), 'Only show what is set up and what is missing'),
  },
  positionals: ['hosts'],
  output: v.object({
    ready: described(v.boolean(), 'Nothing is missing'),
    hosts: v.array(
      v.object({
        host: v.string(),
        name: v.string(),
        ready: v.boolean(),
        parts: v.array(
          v.object({
            part: v.string(),
            status: v.picklist(['ready', 'missing', 'unsupported']),
            path: v.nullable(v.string()),
            note: v.nullable(v.string()),
          }),
        ),
      }),
    ),
    changed: CHANGED_FILES,
    next: described(v.array(v.string()), 'What a person has to do in the agents'),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['setup --check', 'setup --dry-run', 'setup --confirm <token>', 'setup claude --dry-run'],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_CONFIG', 'E_FORBIDDEN'],
  onlyReads: ({ check }) => check,
  plan: async (params, context) => {
    const scope = scopeOf(params, context);
    const plan = planSetup(scope, context);
    return { ...plan, changes: changesOf(plan) };
  },
  run: async (params, context, plan) => {
    const scope = scopeOf(params, context);
    const done = params.check ? [] : await applySetup(scope, plan, context);
    const hosts = readSetupStatus(scope, context);
    return {
      ready: hosts.every(({ ready }) => ready),
      hosts: hosts.map((host) => ({ ...host, parts: [...host.parts] })),
      changed: done.map(({ action, id }) => ({ action, path: id })),
      next: params.check ? [] : nextSteps(scope.hosts.filter((_, index) => hosts[index]?.ready)),
    };
  },
  renderText: ({ hosts, next, changed }, paint) => {
    const lines = hosts.map(({ name, ready, parts }) => {
      const shown = parts.map(({ part, status }) => `${part} ${status}`).join(', ');
      const notes = parts.flatMap(({ status, note }) =>
        status === 'missing' && note !== null ? [note] : [],
      );
      return [
        `${(ready ? paint.green : paint.yellow)(ready ? 'ready  ' : 'missing')}  ${paint.bold(name)}: ${shown}\n`,
        ...[...new Set(notes)].map((note) => `         ${printable(note)}\n`),
      ].join('');
    });
    const isMissing = hosts.some(({ ready }) => !ready);
    return [
      ...lines,
      ...changed.map(({ action, path }) => `${action}  ${printable(path)}\n`),
      ...next.map((step) => `next: ${step}\n`),
      ...(isMissing ? ['To set up what is missing: deed setup --dry-run\n'] : []),
    ].join('');
  },
});

interface Parameters {
  readonly hosts?: readonly SetupHost[] | undefined;
  readonly parts?: readonly PartName[] | undefined;
}

function scopeOf({ hosts, parts }: Parameters, { system }: CommandContext): SetupScope {
  return { hosts: chosenHosts(hosts, system), parts: parts ?? PART_NAMES };
}

function nextSteps(hosts: readonly SetupHost[]): string[] {
  return [
    ...hosts.flatMap((host) => HOSTS[host].next ?? []),
    'Start a new session of your coding agent: it is recorded, and the session after it starts with what it did.',
  ];
}
