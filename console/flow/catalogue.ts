import type { Client } from '../../client';

/** The operators by wire name. */
export type OperatorCatalogue = Awaited<ReturnType<Client['operators']>>;
export type OperatorMetadata = OperatorCatalogue[string];

/** Wire names by category, in the order of categories in a flow. */
export function groupByCategory(catalogue: OperatorCatalogue): [category: string, types: string[]][] {
  const producers = new Map<string, string[]>();
  for (const [type, { category }] of Object.entries(catalogue))
    producers.set(category, [...(producers.get(category) ?? []), type]);
  return [...producers];
}
