/** The meaning of each error code and what the caller should do; a code without a description fails the generator. */
export const ERROR_DESCRIPTIONS: Readonly<Record<string, string>> = {
  E_USAGE:
    'Invalid command line: an unknown command or flag, or a flag that is not allowed here. Fix the call',
  E_VALIDATION: 'Invalid parameter value; `details.field` has its name. Fix the call',
  E_NOT_FOUND: 'The resource does not exist; `details.suggestion` may contain a similar name',
  E_AUTH: 'A credential is missing or was rejected. A person must fix it',
  E_FORBIDDEN: 'The user does not have permission',
  E_CONFIG: 'A required setting, file or program is missing or invalid; `hint` explains which',
  E_CONFIRMATION_REQUIRED:
    'A write without a token, or a dangerous write without `--dangerous`. Run the dry run first',
  E_CONFLICT:
    'The state has changed, or the token was used, has expired or is for another operation. Read the state and repeat the dry run',
  E_NETWORK: 'A server could not be reached. Wait and retry',
  E_RATE_LIMITED:
    'A server limits the request rate; `details.retry_after_ms` has the wait time if it is known',
  E_SERVER: 'A server failed. Wait and retry',
  E_TIMEOUT: 'A timeout was exceeded. Retry, with a longer timeout if there is a flag for it',
  E_INTEGRITY: 'A signature or checksum of a release does not match. Do not retry; report it to a person',
  E_DAMAGED:
    'A stored file is damaged or was changed: truncated, emptied, removed, or with another content. The hint says how to fix it; `deed doctor` checks everything',
  E_IO: 'A disk error: full, read-only or locked. Fix the environment',
  E_UNKNOWN: 'A bug in the program',
  E_INTERRUPTED: 'Interrupted by a signal; no partial changes. Safe to run again',
  E_HUMAN_REQUIRED:
    'A person must decide; `details.action` explains what, `details.resume` has the command to continue',
  E_IDENTITY_MISMATCH: 'The pid now belongs to another process. Plan again',
  E_PROTECTED: 'The process or folder is protected',
  E_GATE_FAILED: 'A triage gate failed; `details` has its name',
  E_BUDGET_EXHAUSTED: 'A triage budget is used up. Retry later or with a larger budget',
  E_SESSION_EXPIRED: 'The triage session is too old. Create a new one',
  E_SKILL_SYNC:
    'The program was updated, but its Skill was not. Run `deed update` again, or the command in `details.skill_sync_command`',
  E_DENIED: 'The work exceeded a limit of its item and was discarded; `details.denial_reason` has the limit',
  E_TESTS_FAILED: 'The work failed its tests and was discarded; `details.test_output` has their output',
  E_AGENT_FAILED: 'The agent finished without a result; `details` has the results so far',
};
