import { contextLimit } from '../context/context-guard.ts';
import type { SessionScope } from './session-scope.ts';
import { ToolStartError } from './start-tools.ts';

/** How many tools the message lists. */
const LISTED = 8;

/**
 * Reports tools whose schemas alone exceed the context of every target: no turn could use them. The session then runs only its final turn,
 * or is refused if the caller asks for it.
 */
export function checkToolSizes({ tools, estimate, config, ports, log }: SessionScope): void {
  const sizes = [...tools.values()]
    .map(({ definition }) => ({ name: definition.name, tokens: estimate.tools([definition]) }))
    .toSorted((a, b) => b.tokens - a.tokens);
  const total = sizes.reduce((sum, { tokens }) => sum + tokens, 0);
  const limit = Math.max(...config.targets.map(contextLimit));
  if (total <= limit) return;
  const listed = sizes.slice(0, LISTED).map(({ name, tokens }) => `${name} ${tokens}`);
  const more = sizes.length > LISTED ? `, and ${sizes.length - LISTED} more` : '';
  const problem = `The definitions of ${sizes.length} tools take ${total} tokens, but a request may have at most ${limit}: ${listed.join(', ')}${more}.`;
  const remedy = 'Select fewer tools, as server__tool, or set toolsAllowed.';
  if (ports.oversizedTools === 'refuse') throw new ToolStartError('config', `${problem} ${remedy}`);
  log('WRN', `${problem} No tool can be used. ${remedy}`, { total, limit, sizes: sizes.slice(0, LISTED) });
}
