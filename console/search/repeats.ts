import type { DocumentReply } from '../../client';
import { readText } from '../parts/read-text';

/** A hit, and the later ones that say the same: the file was indexed by several flows, or is there in several copies. */
export interface FoldedHit {
  document: DocumentReply;
  repeats: DocumentReply[];
}

/**
 * Folds hits with the same title, file name and content into the first of them. Of records with the same id, as the old and the new
 * index of a flow have them, one is kept: an id opens the newest.
 */
export function foldRepeats(documents: readonly DocumentReply[]): FoldedHit[] {
  const folded = new Map<string, FoldedHit>();
  for (const document of documents) {
    const key = JSON.stringify([document.title, readText(document.metadata, 'name'), document.content]);
    const first = folded.get(key);
    const kept = first ? [first.document, ...first.repeats] : [];
    if (kept.some(({ id }) => id === document.id)) continue;
    if (first) first.repeats.push(document);
    else folded.set(key, { document, repeats: [] });
  }
  return [...folded.values()];
}

/** The documents of hits, each once. */
export function listDocumentIds(hits: readonly DocumentReply[]): string[] {
  return [...new Set(hits.map(({ id, metadata }) => readText(metadata, 'document_id') || id))];
}
