/** What each code means and what a caller does about it; a code without words fails the generator. */
export const ERROR_WORDS: Readonly<Record<string, string>> = {
  E_USAGE: 'The line cannot be read: an unknown command or flag, a flag that does not fit. Fix the call',
  E_VALIDATION: 'A value is not what the parameter takes; `details.field` names it. Fix the call',
  E_NOT_FOUND: 'What was named is not there; `details.suggestion` may know what was meant',
  E_AUTH: 'A credential is missing or was refused. A person has to see to it',
  E_FORBIDDEN: 'This account may not do that',
  E_CONFIG: 'A setting, a file or a program that is needed is missing or wrong; `hint` says which',
  E_CONFIRMATION_REQUIRED:
    'A write without a token, or a dangerous one without `--dangerous`. Run the dry run',
  E_CONFLICT:
    'The state is another than expected, or the token was spent, expired or is for something else. Read the state, then the dry run again',
  E_NETWORK: 'Somebody could not be reached. Wait and retry',
  E_RATE_LIMITED: 'Somebody asks for patience; `details.retry_after_ms` says how long where it is known',
  E_SERVER: 'Somebody else failed. Wait and retry',
  E_TIMEOUT: 'It took longer than it may. Retry, with more time where there is a flag for it',
  E_INTEGRITY: 'Something that was signed or sealed is not what it was. Do not retry; tell a person',
  E_IO: 'The disk refused: full, read-only, locked. The environment needs a fix',
  E_UNKNOWN: 'A defect of the program',
  E_INTERRUPTED: 'Ended by a signal; nothing is half done. Safe to run again',
  E_HUMAN_REQUIRED:
    'A person must decide; `details.action` says what, `details.resume` how it goes on afterwards',
  E_IDENTITY_MISMATCH: 'The pid belongs to another process now. Plan again',
  E_PROTECTED: 'The process or folder is one that nothing here may touch',
  E_GATE_FAILED: 'A gate of triage refused; `details` names it',
  E_BUDGET_EXHAUSTED: 'A budget of triage is used up for now. Later, or with a larger budget',
  E_SESSION_EXPIRED: 'The triage session is too old. Begin a new one',
  E_DENIED: 'The work broke a limit of its item and was dropped; `details.denial_reason` says which',
  E_TESTS_FAILED: 'The work did not pass its tests and was dropped; `details.test_output` has what they said',
  E_AGENT_FAILED: 'The agent did not come to a result; what it gathered is in `details`',
};
