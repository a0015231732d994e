import { ownMember } from '../../base/own-member.ts';
import type { Fault } from '../../base/fault.ts';

/** Exit codes of the contract: 3 tools or startup, 4 arguments and configuration, 5 schemas, 1 any other failure. */
const BY_KIND: Readonly<Record<string, number>> = { tools: 3, config: 4, schema: 5 };
const BY_CODE: Readonly<Record<string, number>> = {
  E_NOT_FOUND: 3,
  E_USAGE: 4,
  E_VALIDATION: 4,
  E_CONFIG: 4,
  E_FORBIDDEN: 4,
  E_AUTH: 4,
};

/** Returns the exit code of a failed call. */
export function exitCodeOf(fault: Fault): number {
  const { kind, setting } = fault.details;
  if (setting === 'output.schema') return 5;
  return (
    (typeof kind === 'string' ? ownMember(BY_KIND, kind) : undefined) ?? ownMember(BY_CODE, fault.code) ?? 1
  );
}
