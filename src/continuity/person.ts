/** People write under this mark, which no agent may use. */
export const PERSON = 'user:';

/** Tells whether a person, and no agent, makes this call. */
export function isPerson(agent: string): boolean {
  return agent.startsWith(PERSON);
}
