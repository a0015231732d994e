/** The prefix of the names of people; agents may not use it. */
export const PERSON = 'user:';

/** Checks whether the caller is a person, not an agent. */
export function isPerson(agent: string): boolean {
  return agent.startsWith(PERSON);
}
