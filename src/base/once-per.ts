/** Returns a function that creates a value once for each object, and forgets it with that object. */
export function oncePer<K extends WeakKey, V extends object>(create: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = create(key)));
    return value;
  };
}
