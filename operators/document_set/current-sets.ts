import type { DocumentSetsStore } from '../../services/document-set/document-sets-store';
import { findSetKey } from './schema';

/**
 * The ids of the sets named in these configurations, under keys such as `document_set:reports`; undefined for a set that does not
 * exist. The colon distinguishes the keys from index names, which the ledger stores too. A set that is deleted and created again
 * has a new id.
 */
export async function readCurrentSets(
  configs: readonly Record<string, unknown>[],
  owner: string,
  documentSets: Pick<DocumentSetsStore, 'find'>,
): Promise<Record<string, string | undefined>> {
  const currentSets: Record<string, string | undefined> = {};
  for (const key of configs.map(findSetKey)) {
    if (!key) continue;
    currentSets[`document_set:${'id' in key ? key.id : key.name}`] = (await documentSets.find(owner, key))?.id;
  }
  return currentSets;
}
