/** Why deed cancelled a tool or a request. */
export class CancellationError extends Error {}
