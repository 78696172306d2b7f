import { type Attributes, isRecord } from './core/value';
import type { Extracted } from './extract-source';
import { findIdentityKey, type LedgerOptions } from './provenance/provenance';
import type { GraphTemplate } from './template/model';
import { getClass } from './template/template';

/** The chunks in which a model found each node, by ledger key, if its questions record them. */
export function findObservations(
  template: GraphTemplate,
  { extracts, contract, dense }: Extracted,
): Pick<LedgerOptions, 'observed' | 'isRootOfDocument'> {
  if (contract === 'dense' && dense) return { observed: dense.observed, isRootOfDocument: true };
  if (extracts.length < 2 && contract !== 'pictures') return {};
  const observed = new Map<string, number[]>();
  for (const { chunk, instance } of extracts)
    if (instance) recordChunk({ template, observed, chunk: chunk.id }, template.root, '', instance);
  return { observed };
}

interface Recording {
  template: GraphTemplate;
  observed: Map<string, number[]>;
  chunk: number;
}

function recordChunk(recording: Recording, name: string, path: string, instance: Attributes): void {
  const templateClass = getClass(recording.template, name);
  const key = templateClass.isEntity ? findIdentityKey(path, templateClass, instance) : undefined;
  if (key !== undefined) {
    const chunks = recording.observed.get(key);
    if (!chunks) recording.observed.set(key, [recording.chunk]);
    else if (!chunks.includes(recording.chunk)) chunks.push(recording.chunk);
  }
  for (const field of templateClass.fields) {
    const value = field.model ? (instance[field.name] ?? null) : null;
    const fieldPath = `${path}${path === '' ? '' : '.'}${field.name}`;
    if (Array.isArray(value)) {
      for (const item of value) if (isRecord(item)) recordChunk(recording, field.model ?? '', `${fieldPath}[]`, item);
    } else if (isRecord(value)) recordChunk(recording, field.model ?? '', fieldPath, value);
  }
}
