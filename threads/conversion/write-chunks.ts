import { chunkHierarchically, chunkRecord, type ChunkRecord } from '../../document/chunk/hierarchical';
import { chunkHybrid } from '../../document/chunk/hybrid';
import type { DoclingDocument } from '../../document/model';
import type { ChunkingOptions } from '../../model/conversion/request/chunking';
import type { ExportTask } from '../../services/conversion/export';
import { createTokenizers, type Tokenizers } from '../../services/embedding/tokenizers';

/** Writes the chunks of documents that follow each other, one JSON object per line. Documents are taken one at a time. */
export async function writeChunks(
  { name, modelsFolder, options }: Pick<ExportTask, 'name' | 'modelsFolder' | 'options'>,
  documents: Iterable<DoclingDocument>,
  chunking: ChunkingOptions,
): Promise<Iterable<Uint8Array>> {
  const shared = {
    markdownTables: chunking.use_markdown_tables,
    numberedColumns: options.profile === 'reference',
    ...(chunking.use_markdown_images ? { imagePlaceholder: chunking.image_placeholder } : {}),
  };
  const buildFacts = (index: number) => ({ filename: name, index, includeRawText: chunking.include_raw_text });
  if (chunking.chunker === 'hierarchical') {
    return iterateLines(documents, function* records(document, first) {
      let index = first;
      for (const chunk of chunkHierarchically(document, shared))
        yield chunkRecord(document, chunk, buildFacts(index++));
    });
  }
  const tokenizer = await openTokenizers(modelsFolder).load(chunking.tokenizer);
  const hybrid = {
    ...shared,
    tokenizer,
    mergePeers: chunking.merge_peers,
    ...(chunking.max_tokens === null ? {} : { maxTokens: chunking.max_tokens }),
  };
  // Clients must not mistake the counts of another tokenizer for those of the requested one.
  const instead = tokenizer.name === chunking.tokenizer ? {} : { tokenizer: tokenizer.name };
  return iterateLines(documents, function* records(document, first) {
    let index = first;
    for (const chunk of chunkHybrid(document, hybrid)) {
      const record = chunkRecord(document, chunk, { ...buildFacts(index++), tokens: chunk.tokens });
      yield { ...record, metadata: { ...record.metadata, ...instead } };
    }
  });
}

function* iterateLines(
  documents: Iterable<DoclingDocument>,
  buildRecords: (document: DoclingDocument, first: number) => Iterable<ChunkRecord>,
): Generator<Uint8Array> {
  let index = 0;
  for (const document of documents)
    for (const record of buildRecords(document, index)) {
      index += 1;
      yield Buffer.from(`${writeLine(record)}\n`);
    }
}

/** Each thread loads a tokenizer once; some take a second to load. */
const tokenizers = new Map<string | undefined, Tokenizers>();

function openTokenizers(modelsFolder: string | undefined): Tokenizers {
  const tokenizerStore = tokenizers.get(modelsFolder) ?? createTokenizers({ modelsFolder });
  tokenizers.set(modelsFolder, tokenizerStore);
  return tokenizerStore;
}

/** JSON.stringify does not support bigint, so the digits of the hash are inserted afterwards. */
function writeLine(record: ChunkRecord): string {
  const { origin } = record.metadata;
  if (!origin) return JSON.stringify(record);
  const mark = 'docloom:binary_hash';
  const text = JSON.stringify({
    ...record,
    metadata: { ...record.metadata, origin: { ...origin, binary_hash: mark } },
  });
  return text.replace(`"${mark}"`, String(origin.binary_hash));
}
