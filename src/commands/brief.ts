import * as v from 'valibot';
import { peek } from '../continuity/focus/resume-work.ts';
import { defineRead } from '../contract/command.ts';
import { CALLER_PARAMETERS } from './continuity/define-journal-write.ts';
import { agentOf, storePorts, withReader } from './continuity/open-store.ts';
import { RESUME_PARAMETERS, resumeRequest } from './continuity/resume-parameters.ts';
import { briefSchema } from './continuity/store-schemas.ts';

export default defineRead({
  path: 'brief',
  summary: 'Show the brief that resume would return, without changing anything',
  params: { ...RESUME_PARAMETERS, ...CALLER_PARAMETERS },
  output: v.object({
    agent_name: v.string(),
    brief: briefSchema,
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['brief'],
  examples: ['brief --agent claude-app --project-dir app'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: (params, context) =>
    withReader(params, context, async (session, at) => {
      const agent = agentOf(params, context);
      const { describeFile } = storePorts(context);
      const { brief } = await peek(session, { ...resumeRequest(params, agent), describeFile }, at);
      return { agent_name: agent, brief };
    }),
});
