/** Maximum bytes of source files per part, so that a few large files do not share a batch. */
const maxBytes = 32 * 1024 * 1024;
const defaultDocuments = 32;
/**
 * Small files fill larger parts, because a part costs the workflow engine and the database as much as converting several small
 * files. Not at the start of a listing, where few documents must spread over the batches that run at the same time.
 */
const smallFiles = { fromPart: 8, documents: 64, bytes: 1024 * 1024 };

/** What the current part holds, and how many parts of the listing were written before it. */
export interface PartState {
  parts: number;
  documents: number;
  bytes: number;
}

/**
 * True if a file of this size (undefined when the source does not tell) belongs to the next part. `chosen` is the size of batches
 * in the flow.
 */
export function isPartFull({ parts, documents, bytes }: PartState, size: number | undefined, chosen?: number): boolean {
  if (documents === 0) return false;
  const total = bytes + (size ?? 0);
  if (documents < (chosen ?? defaultDocuments)) return total > maxBytes;
  if (chosen !== undefined || parts < smallFiles.fromPart || size === undefined) return true;
  return documents >= smallFiles.documents || total > smallFiles.bytes;
}
