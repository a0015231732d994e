/**
 * Writes src/contract/generated.ts from contract/contract.json and contract/contract-ext.json.
 * With --check it writes nothing and fails when the file on disk is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assertContract, type Contract, type ContractExtension } from './contract-rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = `${root}src/contract/generated.ts`;

const contract = JSON.parse(readFileSync(`${root}contract/contract.json`, 'utf8')) as Contract;
const extension = JSON.parse(readFileSync(`${root}contract/contract-ext.json`, 'utf8')) as ContractExtension;
const pinned = readFileSync(`${root}.agent/SPEC_VERSION`, 'utf8').trim();
assertContract(contract, extension, pinned);

const text = render(contract, extension);
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('src/contract/generated.ts is not current. Run: npm run generate');
    process.exitCode = 1;
  }
} else {
  writeFileSync(target, text);
}

function render(source: Contract, added: ContractExtension): string {
  const codes = { ...source.error_codes.core, ...added.error_codes };
  const literal = (value: unknown): string => JSON.stringify(value, null, 2);
  return `// Generated from contract/contract.json and contract/contract-ext.json by scripts/gen-contract.ts. Do not edit.

export const CONTRACT_VERSION = ${literal(source.contract_version)};
export const SCHEMA_VERSION = ${literal(source.schema_version)};
export const UNTRUSTED_KEY = ${literal(source.untrusted_key)};
export const CONFIRM_TOKEN_PREFIX = ${literal(source.confirm_token.prefix)};
export const CONFIRM_TOKEN_TTL_MS = ${source.confirm_token.ttl_minutes * 60_000};

export const ERROR_CODES = ${literal(codes)} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export const EXIT_CODES = ${literal(source.exit_codes)} as const;
`;
}
