/** The rules for contract.json and its extension; used by the generator and by the tests. */
export interface CodeRow {
  readonly exit: number;
  readonly retryable: boolean;
}

export interface Contract {
  readonly contract_version: string;
  readonly schema_version: string;
  readonly untrusted_key: string;
  readonly confirm_token: { readonly prefix: string; readonly ttl_minutes: number };
  readonly error_codes: {
    readonly core: Readonly<Record<string, CodeRow>>;
    readonly human_action_exit: number;
  };
  readonly exit_codes: Readonly<Record<string, string>>;
}

export interface ContractExtension {
  readonly error_codes: Readonly<Record<string, CodeRow>>;
}

const HUMAN_ACTION_CODES = new Set(['E_HUMAN_REQUIRED', 'E_2FA_REQUIRED']);

/** Throws when the pinned version, the core or an extension code violates a rule. */
export function assertContract(contract: Contract, extension: ContractExtension, pinned: string): void {
  if (contract.contract_version !== pinned) {
    throw new Error(`.agent/SPEC_VERSION pins ${pinned}, contract.json is ${contract.contract_version}`);
  }
  for (const [code, row] of Object.entries(extension.error_codes)) {
    if (!/^E_[A-Z0-9_]+$/u.test(code)) throw new Error(`extension code ${code} is not E_*`);
    if (code in contract.error_codes.core) throw new Error(`extension code ${code} shadows a core code`);
    if (!Number.isInteger(row.exit) || typeof row.retryable !== 'boolean') {
      throw new Error(`extension code ${code} must declare exit and retryable`);
    }
    if (!(String(row.exit) in contract.exit_codes))
      throw new Error(`extension code ${code} has an unknown exit`);
    if (row.exit === contract.error_codes.human_action_exit && !HUMAN_ACTION_CODES.has(code)) {
      throw new Error(`exit 9 is reserved for codes that need a person; ${code} is not one`);
    }
  }
}
