import { versionOf } from '../../contract/plan.ts';
import * as v from 'valibot';
import { int, number, record } from '../../base/schema.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AgentPlan } from '../../agent/plan-agent.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { requireDecider } from '../work/require-person.ts';
import { RUN_PARAMETERS } from './agent-parameters.ts';

export default defineWrite({
  path: 'agent run',
  summary: 'Run an LLM agent with tools and limits, and return its report',
  description:
    'Every session ends with a report. A failed session returns an error whose details contain the report with the results so far',
  params: RUN_PARAMETERS,
  positionals: ['system', 'user'],
  get output() {
    return v.object({
      session_id: v.string(),
      report: record(v.unknown()),
      report_text: v.string(),
      turns: int(),
      tool_calls: int(),
      tokens: v.object({ input: int(), output: int(), cached: int() }),
      cost_usd: number(),
      replayed: v.optional(v.literal(true)),
      _untrusted: v.optional(v.array(v.string())),
    });
  },
  untrusted: ['report', 'report_text'],
  runsUnlogged: true,
  modelAnswer: ['report', 'report_text'],
  examples: [
    'agent run "You are terse." "Say hello." --models openai/gpt-5 --dry-run',
    'agent run research.ai "Who wrote this?" --max-cost-usd 0.5 --confirm <token>',
  ],
  errors: ['E_AGENT_FAILED', 'E_HUMAN_REQUIRED', 'E_CONFIG', 'E_NOT_FOUND', 'E_FORBIDDEN'],
  plan: async (params, context) => {
    const isDecision = (params.approve ?? []).length > 0 || params.answer !== undefined;
    const requirePerson = (): unknown =>
      requireDecider(context, 'decide on tool calls of an agent', describeDecision(params, context));
    // "ai-agent" leaves the decision to its caller, but an agent is never the person that a rule asks for.
    if (isDecision && (context.gate !== 'open' || context.caller.agent !== null)) requirePerson();
    const { prepareAgentCall } = await import('../../app/agent/prepare-agent-call.ts');
    const ready = await prepareAgentCall(params, context);
    if (isDecision && ready.isForPerson) requirePerson();
    const { plan } = ready.agent;
    return {
      changes: [
        {
          action: 'run',
          resource: 'agent',
          id: plan.name,
          after: { ...preview(plan), ...ready.continued },
          // Prompt and settings may come from files: changed content requires a new confirmation.
          version: versionOf(JSON.stringify([ready.config.digest, identity(plan), ready.continued])),
        },
      ],
      ready,
    };
  },
  run: async (params, context, { ready }) => {
    const { runAgentSession } = await import('../../app/agent/run-agent-session.ts');
    return { ...(await runAgentSession(ready, params, context)) };
  },
  renderText: ({ report_text }) => `${report_text}\n`,
});

interface Decision {
  readonly resume?: string | undefined;
  readonly fork?: string | undefined;
  readonly approve?: readonly string[] | undefined;
  readonly answer?: Readonly<Record<string, unknown>> | undefined;
}

/** What the person is asked to do, and the command for it. */
function describeDecision(
  { resume, fork, approve = [], answer }: Decision,
  { gate, tool }: CommandContext,
): JsonObject {
  const session = resume === undefined ? `--fork ${fork}` : `--resume ${resume}`;
  const program = gate === 'open' ? 'ai-agent' : `${tool.name} agent run`;
  const flags = [
    ...(approve.length > 0 ? [`--approve ${approve.join(',')}`] : []),
    ...(answer === undefined ? [] : [`--answer ${quoteForShell(JSON.stringify(answer))}`]),
  ];
  return {
    action: answer === undefined ? 'approve_tool_calls' : 'answer_questions',
    resume: `${program} ${session} ${flags.join(' ')}`,
  };
}

function preview({ config, toolNames, children }: AgentPlan): JsonObject {
  return {
    models: config.targets.map(({ provider, model }) => `${provider}/${model}`),
    tools: [...toolNames],
    agents: children.map(({ name }) => name),
    format: config.output.format,
    limits: { ...config.limits },
  };
}

function identity(plan: AgentPlan): JsonObject {
  return {
    ...preview(plan),
    skills: plan.skills.map(({ folder }) => folder),
    source: plan.source,
    user: plan.config.userPrompt,
    files: (plan.config.attachments ?? []).map(({ data }) => versionOf(data)),
    children: plan.children.map(identity),
  };
}
