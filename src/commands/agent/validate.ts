import * as v from 'valibot';
import { number, record } from '../../base/schema.ts';
import type { AgentPlan } from '../../agent/plan-agent.ts';
import { defineRead } from '../../contract/command.ts';
import { AGENT_PARAMETERS } from './agent-parameters.ts';

export default defineRead({
  path: 'agent validate',
  summary: 'Check prompts and configuration without starting anything',
  params: AGENT_PARAMETERS,
  positionals: ['system', 'user'],
  get output() {
    return v.object({
      valid: v.literal(true),
      agent: v.string(),
      files: v.array(v.string()),
      models: v.array(v.string()),
      tools: v.array(v.string()),
      agents: v.array(v.string()),
      format: v.string(),
      transport: v.string(),
      limits: record(number()),
      parameters: record(v.unknown()),
      warnings: v.array(v.string()),
    });
  },
  examples: ['agent validate research.ai "Who wrote this?"'],
  errors: ['E_CONFIG', 'E_NOT_FOUND', 'E_FORBIDDEN'],
  run: async (params, context) => {
    const { prepareAgentCall } = await import('../../app/agent/prepare-agent-call.ts');
    const { agent, config } = await prepareAgentCall(params, context);
    const { plan } = agent;
    const [first] = plan.config.targets;
    return {
      valid: true as const,
      agent: plan.name,
      files: [...config.files, ...new Set(promptFiles(plan))],
      models: plan.config.targets.map(({ provider, model }) => `${provider}/${model}`),
      tools: [...plan.toolNames],
      agents: plan.children.map(({ name }) => name),
      format: plan.config.output.format,
      transport: plan.config.transport,
      limits: { ...plan.config.limits },
      parameters: { ...first?.parameters },
      warnings: [...config.warnings],
    };
  },
});

/** Returns the prompt files of an agent and its sub-agents. */
function promptFiles({ file, children }: AgentPlan): readonly string[] {
  return [...(file === undefined ? [] : [file]), ...children.flatMap(promptFiles)];
}
