/**
 * Returns whether a server over HTTP rejected a request because it has ended the session, for example after a restart. The protocol has
 * HTTP 404 for this; the SDK reports it with an error of its own, which an error in an answer of the server cannot imitate.
 */
export async function hasEndedSession(error: unknown): Promise<boolean> {
  const { SdkHttpError } = await import('@modelcontextprotocol/client');
  return error instanceof SdkHttpError && error.status === 404;
}
