const actions = new Set<() => void>();

/** Has something done when this process exits; returns how to call that off. One listener serves all, however many come and go. */
export function onOwnExit(action: () => void): () => void {
  if (actions.size === 0) process.once('exit', runAll);
  actions.add(action);
  return () => {
    actions.delete(action);
    if (actions.size === 0) process.off('exit', runAll);
  };
}

function runAll(): void {
  for (const action of actions) action();
}
