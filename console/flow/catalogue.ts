import type { Client } from '../../client';

/** The operators by wire name. */
export type OperatorCatalogue = Awaited<ReturnType<Client['operators']>>;
export type OperatorMetadata = OperatorCatalogue[string];

/** Wire names by category, in the order of the catalogue. */
export function groupByCategory(catalogue: OperatorCatalogue): [category: string, types: string[]][] {
  const categories = new Map<string, string[]>();
  for (const [type, { category }] of Object.entries(catalogue))
    categories.set(category, [...(categories.get(category) ?? []), type]);
  return [...categories];
}
