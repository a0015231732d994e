import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';

/** The fault for an agent that writes a directive. `resume` shows what the person stored, so that the agent can continue with it. */
export function directiveFault(
  message: string,
  hint: string,
  { key, scope, scope_id: id }: { key: string; scope?: string | undefined; scope_id?: string | undefined },
  details: JsonObject,
): Fault {
  const place = scope && scope !== 'global' ? ` --scope ${scope} --scope-id ${quoteForShell(id ?? '')}` : '';
  return new Fault('E_HUMAN_REQUIRED', message, {
    hint,
    details: {
      action: 'write_directive',
      resume: `deed memory get --key ${quoteForShell(key)}${place}`,
      ...details,
    },
  });
}
