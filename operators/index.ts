import { branching } from './branching/schema';
import { chunker } from './chunker/schema';
import { docIdHash } from './doc_id_hash/schema';
import { docQuality } from './doc_quality/schema';
import { documentClassifier } from './document_classifier/schema';
import { documentSet } from './document_set/schema';
import { ededup } from './ededup/schema';
import { embeddings } from './embeddings/schema';
import { entityCuration } from './entity_curation/schema';
import { extractOperator } from './extract_operator/schema';
import { fdedup } from './fdedup/schema';
import { graph } from './graph/schema';
import { ingestSource } from './ingest_source/schema';
import { langDetect } from './lang_detect/schema';
import { merge } from './merge/schema';
import { noop } from './noop/schema';
import { operator, type RegisteredOperator } from './operator';
import { pii } from './pii/schema';
import { profanity } from './profanity/schema';
import { readability } from './readability/schema';
import { redaction } from './redaction/schema';
import { sqlFilter } from './sql_filter/schema';
import { storage } from './storage/schema';
import { summary } from './summary/schema';
import { tableRows } from './table_rows/schema';
import { translation } from './translation/schema';
import { vectordb } from './vectordb/schema';

/** All operators of the product. A new operator is one line here; everything else follows from the list. */
const builtIn: readonly RegisteredOperator[] = [
  operator(ingestSource, () => import('./ingest_source/run')),
  operator(documentClassifier, () => import('./document_classifier/run')),
  operator(extractOperator, () => import('./extract_operator/run')),
  operator(sqlFilter, () => import('./sql_filter/run')),
  operator(docIdHash, () => import('./doc_id_hash/run')),
  operator(langDetect, () => import('./lang_detect/run')),
  operator(docQuality, () => import('./doc_quality/run')),
  operator(redaction, () => import('./redaction/run')),
  operator(profanity, () => import('./profanity/run')),
  operator(pii, () => import('./pii/run')),
  operator(readability, () => import('./readability/run')),
  operator(fdedup, () => import('./fdedup/run')),
  operator(ededup, () => import('./ededup/run')),
  operator(branching, () => import('./branching/run')),
  operator(merge, () => import('./merge/run')),
  operator(noop, () => import('./noop/run')),
  operator(summary, () => import('./summary/run')),
  operator(translation, () => import('./translation/run')),
  operator(tableRows, () => import('./table_rows/run')),
  operator(entityCuration, () => import('./entity_curation/run')),
  operator(graph, () => import('./graph/run')),
  operator(chunker, () => import('./chunker/run')),
  operator(embeddings, () => import('./embeddings/run')),
  operator(vectordb, () => import('./vectordb/run')),
  operator(storage, () => import('./storage/run')),
  operator(documentSet, () => import('./document_set/run')),
];

const registered = [...builtIn];

/** The operators available to flows: those of the product, then those of the installation. */
export const operators: readonly RegisteredOperator[] = registered;

/**
 * Adds the operators of the installation. Entry files call this once, before they build anything from the list. An operator whose
 * name is taken is ignored.
 */
export function addOperators(custom: readonly RegisteredOperator[]): void {
  registered.push(...custom.filter(({ name }) => findOperator(name) === undefined));
}

/** The operator of that wire name; undefined if there is none. */
export function findOperator(type: string): RegisteredOperator | undefined {
  return operators.find((candidate) => candidate.name === type);
}
