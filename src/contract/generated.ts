// Generated from contract/contract.json and contract/contract-ext.json by scripts/gen-contract.ts. Do not edit.

export const CONTRACT_VERSION = "1.0";
export const SCHEMA_VERSION = "1.0";
export const UNTRUSTED_KEY = "_untrusted";
export const CONFIRM_TOKEN_PREFIX = "ct_";
export const CONFIRM_TOKEN_TTL_MS = 900000;

export const ERROR_CODES = {
  "E_USAGE": {
    "exit": 2,
    "retryable": false
  },
  "E_VALIDATION": {
    "exit": 2,
    "retryable": false
  },
  "E_NOT_FOUND": {
    "exit": 3,
    "retryable": false
  },
  "E_AUTH": {
    "exit": 4,
    "retryable": false
  },
  "E_FORBIDDEN": {
    "exit": 4,
    "retryable": false
  },
  "E_CONFIG": {
    "exit": 4,
    "retryable": false
  },
  "E_CONFIRMATION_REQUIRED": {
    "exit": 5,
    "retryable": false
  },
  "E_CONFLICT": {
    "exit": 6,
    "retryable": false
  },
  "E_NETWORK": {
    "exit": 7,
    "retryable": true
  },
  "E_RATE_LIMITED": {
    "exit": 7,
    "retryable": true
  },
  "E_SERVER": {
    "exit": 7,
    "retryable": true
  },
  "E_TIMEOUT": {
    "exit": 8,
    "retryable": true
  },
  "E_INTEGRITY": {
    "exit": 1,
    "retryable": false
  },
  "E_IO": {
    "exit": 1,
    "retryable": false
  },
  "E_UNKNOWN": {
    "exit": 1,
    "retryable": false
  },
  "E_INTERRUPTED": {
    "exit": 130,
    "retryable": true
  },
  "E_HUMAN_REQUIRED": {
    "exit": 9,
    "retryable": false
  },
  "E_IDENTITY_MISMATCH": {
    "exit": 6,
    "retryable": false
  },
  "E_PROTECTED": {
    "exit": 4,
    "retryable": false
  },
  "E_GATE_FAILED": {
    "exit": 6,
    "retryable": false
  },
  "E_BUDGET_EXHAUSTED": {
    "exit": 7,
    "retryable": true
  },
  "E_SESSION_EXPIRED": {
    "exit": 3,
    "retryable": false
  },
  "E_SKILL_SYNC": {
    "exit": 7,
    "retryable": true
  },
  "E_DAMAGED": {
    "exit": 1,
    "retryable": false
  },
  "E_DENIED": {
    "exit": 6,
    "retryable": false
  },
  "E_TESTS_FAILED": {
    "exit": 1,
    "retryable": false
  },
  "E_AGENT_FAILED": {
    "exit": 1,
    "retryable": false
  }
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export const EXIT_CODES = {
  "0": "success",
  "1": "generic error: read the error envelope",
  "2": "argument or usage error: fix the call",
  "3": "resource not found",
  "4": "permission, authentication or configuration failure",
  "5": "confirmation required: run with --dry-run for a token",
  "6": "precondition conflict or invalid token: read the state again",
  "7": "transient failure: back off and retry",
  "8": "timeout: back off and retry",
  "9": "a person must act: relay, then run the resume command",
  "130": "interrupted: nothing is half done, safe to retry"
} as const;
