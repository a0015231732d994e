/** Removes the advice of the runtime from a message of `fetch`: it is for the authors of programs. */
export function withoutAdvice(message: string): string {
  return message.replace(
    / ?For more information, pass `verbose: true` in the second argument to fetch\(\)/u,
    '',
  );
}
