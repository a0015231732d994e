import type { Fault } from '../../base/fault.ts';

/** What the contract means by its codes: 3 tools or start, 4 arguments and configuration, 5 schemas, 1 everything else. */
const BY_KIND: Readonly<Record<string, number>> = { tools: 3, config: 4, schema: 5 };
const BY_CODE: Readonly<Record<string, number>> = {
  E_NOT_FOUND: 3,
  E_USAGE: 4,
  E_VALIDATION: 4,
  E_CONFIG: 4,
  E_FORBIDDEN: 4,
  E_AUTH: 4,
};

/** The exit code of a call that failed. */
export function exitCodeOf(fault: Fault): number {
  const { kind, setting } = fault.details;
  if (setting === 'output.schema') return 5;
  return (typeof kind === 'string' ? BY_KIND[kind] : undefined) ?? BY_CODE[fault.code] ?? 1;
}
