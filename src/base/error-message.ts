/** Returns the message of a thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Removes the advice of the runtime from a message of `fetch`: it is for the authors of programs. */
export function withoutAdvice(message: string): string {
  return message.replace(
    / ?For more information, pass `verbose: true` in the second argument to fetch\(\)/u,
    '',
  );
}
