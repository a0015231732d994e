/** What a write must show: a token of a dry run, a request id, or nothing (the dialect has gates of its own). */
export type GatePolicy = 'token' | 'request-id' | 'open';
