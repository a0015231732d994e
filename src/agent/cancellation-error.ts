/** Why a tool or a request was ended from our side. */
export class CancellationError extends Error {}
