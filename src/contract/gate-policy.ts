/** What a write requires: the token of a dry run, a request id, or nothing (the dialect has its own gates). */
export type GatePolicy = 'token' | 'request-id' | 'open';
