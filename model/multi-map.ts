/** Appends a value to the list of a key. A missing list is created. */
export function addToList<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Adds values to the set of a key. A missing set is created. */
export function addToSet<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, ...values: readonly Value[]): void {
  const set = sets.get(key) ?? new Set<Value>();
  for (const value of values) set.add(value);
  sets.set(key, set);
}
