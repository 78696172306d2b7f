import type { Client } from '../../client';

/** The operators by wire name. */
export type OperatorCatalogue = Awaited<ReturnType<Client['operators']>>;
export type OperatorMetadata = OperatorCatalogue[string];

/** Wire names by category, in the order of categories in a flow. */
export function byCategory(catalogue: OperatorCatalogue): [category: string, types: string[]][] {
  const found = new Map<string, string[]>();
  for (const [type, { category }] of Object.entries(catalogue))
    found.set(category, [...(found.get(category) ?? []), type]);
  return [...found];
}
