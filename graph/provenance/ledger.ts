import { parseJsonText } from '../core/json-text';
import { type Attributes, isRecord } from '../core/value';

/** Parses the ledger from a `provenance.json`; undefined if it is invalid, because a graph can be loaded without one. */
export function ledgerFrom(content: Uint8Array | string): Attributes | undefined {
  try {
    const text =
      typeof content === 'string'
        ? content
        : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    const value = parseJsonText(text);
    return isRecord(value) && isLedger(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// Every member is optional, but present members must have the right type.
function isLedger(value: Attributes): boolean {
  const { version = 2, document = null, chunks = {}, nodes = {} } = value;
  if (typeof version !== 'number' || !isRecord(chunks) || !isRecord(nodes)) return false;
  return document === null || (isRecord(document) && typeof document['document_id'] === 'string');
}

/** The id of the ledger's document; empty when it has none. */
export function ledgerDocumentId(ledger: Attributes | undefined): string {
  const document = ledger?.['document'];
  const id = isRecord(document) ? document['document_id'] : undefined;
  return typeof id === 'string' ? id : '';
}
