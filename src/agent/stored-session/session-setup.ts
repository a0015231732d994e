import * as v from 'valibot';
import { Fault } from '../../base/fault.ts';
import { strictObject } from '../../base/schema.ts';
import { DEFAULTS_FIELDS } from '../config/config-schema.ts';
import type { AgentCall } from '../plan-agent.ts';
import { FRONTMATTER_SCHEMA } from '../prompt-file/frontmatter-schema.ts';
import type { StoredSession } from './restore-session.ts';

/** What a stored session needs to be opened again; keys and tool servers are read from the configuration again. */
export interface SessionSetup {
  readonly call: AgentCall;
  /** The folder it works in, which also selects the configuration. */
  readonly cwd: string;
  /** The configuration file with the highest priority. */
  readonly config?: string;
  /** The folder of the system prompt, which may contain a configuration layer. */
  readonly folder?: string;
  /** `person` if the program that started it lets only a person decide on its tool calls. */
  readonly decider?: 'person';
}

const HEAD = v.looseObject({
  cwd: v.string(),
  config: v.optional(v.string()),
  folder: v.optional(v.string()),
  decider: v.optional(v.literal('person')),
  call: v.looseObject({
    agentId: v.string(),
    systemPrompt: v.string(),
    userPrompt: v.string(),
    settings: strictObject(DEFAULTS_FIELDS),
    agents: v.optional(v.array(v.string())),
    promptFile: v.optional(
      v.looseObject({
        path: v.string(),
        folder: v.string(),
        body: v.string(),
        frontmatter: FRONTMATTER_SCHEMA,
      }),
    ),
  }),
});

/** Returns the setup of a stored session, which its first record has as `head`. Throws a Fault when this version cannot open it. */
export function setupOf({ id, head }: Pick<StoredSession, 'id' | 'head'>): SessionSetup {
  const result = v.safeParse(HEAD, head);
  if (result.success) return head as SessionSetup;
  throw new Fault(
    'E_DAMAGED',
    `Session ${id} cannot be resumed: ${v.getDotPath(result.issues[0]) ?? 'its setup'} is invalid.`,
    {
      hint: 'Another version of the program stored it. Start a new session with the same prompts.',
      details: { field: 'resume', id },
      cause: result.issues[0],
    },
  );
}
