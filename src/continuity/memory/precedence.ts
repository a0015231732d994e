/** What decides between memories that contradict each other, or that match a search equally well. */
interface Ranked {
  readonly kind: string;
  readonly scope: string;
  readonly confirmed_at: string;
}

const KIND_ORDER: readonly string[] = ['directive', 'decision'];
const SCOPE_ORDER: readonly string[] = ['task', 'project', 'agent', 'global'];

/** A directive of a person comes before a decision, a decision before other notes; then the narrower scope, then the newer confirmation. */
export function byPrecedence(left: Ranked, right: Ranked): number {
  return (
    position(KIND_ORDER, left.kind) - position(KIND_ORDER, right.kind) ||
    position(SCOPE_ORDER, left.scope) - position(SCOPE_ORDER, right.scope) ||
    (left.confirmed_at < right.confirmed_at ? 1 : left.confirmed_at > right.confirmed_at ? -1 : 0)
  );
}

function position(order: readonly string[], name: string): number {
  return order.includes(name) ? order.indexOf(name) : order.length;
}
