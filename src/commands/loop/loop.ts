import * as v from 'valibot';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import { described, int, number } from '../../base/schema.ts';
import { sleep } from '../../base/sleep.ts';
import { parseDuration } from '../../continuity/memory/duration.ts';
import { isPerson } from '../../continuity/person.ts';
import { runLoopAgent, runPostHook, type AgentProgram } from '../../continuity/loop/run-loop-agent.ts';
import { runLoop, type LoopPorts, type LoopResult } from '../../continuity/loop/run-loop.ts';
import { splitCommand } from '../../continuity/loop/split-command.ts';
import { readReady } from '../../continuity/tasks/read-tasks.ts';
import { SESSION_VARIABLE } from '../../contract/caller.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import { CALLER_PARAMETERS } from '../continuity/define-journal-write.ts';
import { databaseOf, locateStore } from '../../app/locate-store.ts';
import { startLoopWatch } from '../../app/loop-watch/start-loop-watch.ts';
import { vybeCommandLine } from '../../app/vybe-program.ts';
import { agentOf, openWriter, storePorts, withReader } from '../continuity/open-store.ts';
import { shortText } from '../continuity/text-parameters.ts';

const params = {
  project_dir: described(v.optional(shortText), 'The project of the tasks'),
  max_tasks: described(
    v.optional(v.pipe(int(), v.minValue(1), v.maxValue(1000)), 10),
    'The maximum number of tasks',
  ),
  max_fails: described(
    v.optional(v.pipe(int(), v.minValue(1), v.maxValue(1000)), 3),
    'Stop after this many consecutive failures',
  ),
  max_attempts: described(
    v.optional(v.pipe(int(), v.minValue(1), v.maxValue(100)), 2),
    'Block a task after this many failed attempts',
  ),
  backoff: described(
    v.optional(v.string(), '30s'),
    'The pause before the second attempt at a task, for example 30s; it doubles with each attempt',
  ),
  task_timeout: described(v.optional(v.string(), '10m'), 'The time limit of one task, for example 10m'),
  cooldown: described(v.optional(v.string(), '5s'), 'The pause between tasks, for example 5s'),
  command: described(v.optional(v.string(), 'claude'), 'The agent program with its arguments'),
  post_hook: described(
    v.optional(v.string()),
    'A program to run after the loop, with the result on standard input and in VYBE_LOOP_RESULT',
  ),
  spawn_disable_hooks: described(v.optional(v.boolean(), false), 'Disable the vybe hooks in the agent'),
  ...CALLER_PARAMETERS,
};

export default defineWrite({
  path: 'loop',
  summary: 'Run an agent program on each task of the queue',
  params,
  output: v.object({
    completed: int(),
    failed: int(),
    total: int(),
    duration_sec: number(),
    results: v.array(
      v.object({ task_id: v.string(), task_title: v.string(), status: v.string(), duration: number() }),
    ),
    replayed: v.optional(v.literal(true)),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['results[].task_title'],
  examples: ['loop --max-tasks 3 --dry-run', 'loop --max-tasks 3 --confirm <token>'],
  errors: ['E_CONFLICT', 'E_CONFIG', 'E_TIMEOUT', 'E_DAMAGED', 'E_FORBIDDEN'],
  database: databaseOf,
  plan: async (values, context) => {
    parseParameters(values);
    return withReader(values, context, async (session, at) => {
      const query = { projectId: values.project_dir, limit: values.max_tasks };
      const own = await readReady(session, query, at);
      const common =
        query.projectId === undefined ? [] : await readReady(session, { ...query, projectId: null }, at);
      const changes = [...own, ...common].slice(0, values.max_tasks).map(({ id, title, version }) => ({
        action: 'work on',
        resource: 'task',
        id,
        after: { title },
        version: String(version),
      }));
      return { changes };
    });
  },
  run: async (values, context) => {
    const { timeoutMs, cooldownMs, backoffMs, argv, postHook } = parseParameters(values);
    const agent = loopAgent(values, context);
    const database = locateStore(values, context).path;
    const session = `loop-${randomHex(8)}`;
    const program: AgentProgram = {
      argv,
      projectDir: values.project_dir,
      cwd: context.system.cwd,
      env: {
        ...context.system.env,
        VYBE_AGENT: agent,
        DEED_AGENT: agent,
        VYBE_DB_PATH: database,
        [SESSION_VARIABLE]: session,
        ...(values.spawn_disable_hooks && { VYBE_DISABLE_HOOKS: '1' }),
      },
      timeoutMs,
      signal: context.signal,
      folder: context.home.folder('loop'),
      log: context.warn,
    };
    const options = {
      agent,
      claimSession: session,
      maxAttempts: values.max_attempts,
      backoffMs,
      projectId: values.project_dir,
      maxTasks: values.max_tasks,
      maxFails: values.max_fails,
      cooldownMs,
      vybe: vybeCommandLine(context.system),
    };
    const store = await openWriter(values, context);
    const watch = await startLoopWatch(context, { session, agent, database });
    const result = await runLoop(store, options, loopPorts(program, context)).finally(watch.end);
    if (context.signal.aborted) throw interrupted(result);
    if (postHook) await runPostHook({ ...program, argv: postHook }, JSON.stringify(result));
    return { ...result, results: [...result.results] };
  },
});

/** The agents of a loop act under its name; they may not use the name of the person who started it. */
function loopAgent(values: ParametersOf<typeof params>, context: CommandContext): string {
  const name = agentOf(values, context);
  return isPerson(name) ? 'loop' : name;
}

function interrupted(result: LoopResult): Fault {
  return new Fault('E_INTERRUPTED', `The loop was interrupted after ${result.total} tasks.`, {
    hint: 'Run it again to continue with the remaining tasks.',
    details: result,
  });
}

function parseParameters(values: ParametersOf<typeof params>) {
  return {
    timeoutMs: parseDuration(values.task_timeout, 'task_timeout'),
    cooldownMs: parsePause(values.cooldown, 'cooldown'),
    backoffMs: parsePause(values.backoff, 'backoff'),
    argv: splitCommand(values.command, 'command'),
    postHook: values.post_hook === undefined ? undefined : splitCommand(values.post_hook, 'post_hook'),
  };
}

function parsePause(text: string, field: string): number {
  return text === '0s' ? 0 : parseDuration(text, field);
}

function loopPorts(program: AgentProgram, context: CommandContext): LoopPorts {
  return {
    ...storePorts(context),
    runAgent: (prompt) => runLoopAgent(program, prompt),
    sleep: (ms) => sleep(ms, context.signal),
    stopped: () => context.signal.aborted,
    progress: context.progress,
    every: (ms, action) => {
      const timer = setInterval(action, ms);
      return () => clearInterval(timer);
    },
  };
}
