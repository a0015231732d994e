const actions = new Set<() => void>();

/** Runs an action when this process exits; returns a function that cancels it. All actions share one listener. */
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
