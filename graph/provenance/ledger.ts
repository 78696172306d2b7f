import { parseJsonText } from '../core/json-text';
import { type Attributes, isRecord } from '../core/value';

/** The ledger of the bytes of a `provenance.json`; undefined when they hold none, for a graph loads without. */
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

// Every member may be absent; what is there has its shape.
function isLedger(value: Attributes): boolean {
  const { version = 2, document = null, chunks = {}, nodes = {} } = value;
  if (typeof version !== 'number' || !isRecord(chunks) || !isRecord(nodes)) return false;
  return document === null || (isRecord(document) && typeof document['document_id'] === 'string');
}

/** The id of the document that a ledger is about; empty when it names none. */
export function ledgerDocumentId(ledger: Attributes | undefined): string {
  const document = ledger?.['document'];
  const id = isRecord(document) ? document['document_id'] : undefined;
  return typeof id === 'string' ? id : '';
}
