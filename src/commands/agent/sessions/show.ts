import * as v from 'valibot';
import { described, int, number, record } from '../../../base/schema.ts';
import { defineRead } from '../../../contract/command.ts';
import { agentSessionId } from '../session-ids.ts';

export default defineRead({
  path: 'agent sessions show',
  summary: 'Show one stored session: what it has spent, its report and its conversation',
  description:
    'calls lists the tool calls of an interrupted turn; one with the outcome "unknown" had started when the process was killed. approvals lists the calls that wait for a person',
  params: {
    id: agentSessionId(described(v.string(), 'The id of a session')),
    detail: described(
      v.optional(v.boolean(), false),
      'Also list each request and tool call with its tokens, cost, time and reason for failure',
    ),
  },
  positionals: ['id'],
  get output() {
    return v.object({
      id: v.string(),
      status: v.string(),
      agent: v.string(),
      cwd: v.string(),
      forked_from: v.nullable(v.string()),
      created_at: v.string(),
      updated_at: v.string(),
      elapsed_ms: number(),
      turns: int(),
      tool_calls: int(),
      tokens: v.object({ input: int(), output: int(), cached: int() }),
      cost_usd: number(),
      limits: described(
        record(v.object({ used: number(), limit: number() })),
        'The limits of its last process; for the time, up to its last record',
      ),
      error: v.nullable(v.string()),
      calls: v.array(
        v.object({
          tool: v.string(),
          arguments: v.string(),
          outcome: v.picklist(['unknown', 'ok', 'failed']),
        }),
      ),
      approvals: v.array(
        v.object({
          call: v.string(),
          tool: v.string(),
          arguments: v.string(),
          question: v.optional(v.object({ message: v.string(), schema: record(v.unknown()) })),
        }),
      ),
      report: v.nullable(record(v.unknown())),
      conversation: v.array(record(v.unknown())),
      steps: v.optional(
        v.array(
          v.object({
            at: v.string(),
            turn: int(),
            kind: v.picklist(['request', 'tool', 'compaction']),
            name: v.string(),
            agents: v.nullable(v.string()),
            status: v.picklist(['ok', 'failed', 'rejected', 'running', 'unknown']),
            latency_ms: v.nullable(number()),
            tokens: v.nullable(v.object({ input: int(), output: int(), cached: int() })),
            cost_usd: v.nullable(number()),
            context_tokens: v.nullable(int()),
            context_limit: v.nullable(int()),
            dropped_tokens: v.nullable(int()),
            reason: v.nullable(v.string()),
          }),
        ),
      ),
      _untrusted: v.optional(v.array(v.string())),
    });
  },
  untrusted: [
    'error',
    'calls[].arguments',
    'approvals[].arguments',
    'approvals[].question',
    'report',
    'conversation',
    'steps',
  ],
  examples: [
    'agent sessions show 0123456789abcdef0123456789abcdef',
    'agent sessions show 0123456789abcdef0123456789abcdef --fields status,turns,cost_usd',
    'agent sessions show 0123456789abcdef0123456789abcdef --detail --fields steps',
  ],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: async ({ id, detail }, context) => {
    const { describeSessionSteps, showStoredSession } = await import('../../../app/agent/stored-sessions.ts');
    const shown = showStoredSession(id, context);
    return detail ? { ...shown, steps: describeSessionSteps(id, context) } : shown;
  },
});
