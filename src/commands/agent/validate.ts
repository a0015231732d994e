import * as z from '../../base/schema/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { AGENT_PARAMETERS } from './agent-parameters.ts';

export default defineRead({
  path: 'agent validate',
  summary: 'Check prompts and configuration without starting anything',
  params: AGENT_PARAMETERS,
  positionals: ['system', 'user'],
  get output() {
    return z.object({
      valid: z.literal(true),
      agent: z.string(),
      files: z.array(z.string()),
      models: z.array(z.string()),
      tools: z.array(z.string()),
      agents: z.array(z.string()),
      format: z.string(),
      transport: z.string(),
      limits: z.record(z.string(), z.number()),
      parameters: z.record(z.string(), z.unknown()),
      warnings: z.array(z.string()),
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
      files: [...config.files],
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
