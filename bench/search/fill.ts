import { readConfig } from '../../model/config';
import type { IndexRecord, IndexSpec } from '../../services/search/ports';
import { createSearch } from '../../services/search/search';
import { print } from '../support/command';
import { title, writeBlocks } from '../support/prose';
import { createRandom, type Random } from '../support/random';

export const indexName = 'bench-search';
const users = 1_000;
const readersOfEach = 20;
/** Names in the access lists that have many. */
const crowd = 5_000;
const dimension = 384;
const centres = 1_000;
/** Two million records take hours. */
const writeLimitMs = 12 * 3_600_000;

/**
 * Who can read what: with 20 of 1,000 users per list, each user reads 2 %; the other users read the given share of the index.
 */
export const readers = {
  usual: (random: Random) => `user-${random.integer(0, users - 1)}`,
  /** 1 %, by lists of 5,000 names. */
  crowded: (random: Random) => `crowd-${random.integer(0, crowd - 1)}`,
  /** 1 %, by lists of one name. */
  single: () => 'single',
  half: () => 'half',
  onePercent: () => 'one-percent',
};

/** Writes seeded records with texts in English and vectors around 1,000 centres, unless the index has as many already. */
export async function fillIndex(env: Record<string, string | undefined>, engine: string, count: number): Promise<void> {
  if ((await countRecords(engine)) === count) return void print(`${indexName} holds ${count} records already`);
  await fetch(`${engine}/${indexName}`, { method: 'DELETE' });
  const search = createSearch(readConfig(env));
  const random = createRandom(200);
  const vectors = createVectors(1);
  const signal = AbortSignal.timeout(writeLimitMs);
  const started = performance.now();
  try {
    const embedding: NonNullable<IndexSpec['embedding']> = { type: 'builtin' };
    const spec = { name: indexName, engine: 'lucene', spaceType: 'l2', m: 16, efConstruction: 100 } as const;
    await search.ensureIndex({ ...spec, vectorDimension: dimension, embedding }, undefined, signal);
    for (let from = 0; from < count; from += 2_000) {
      const records = Array.from({ length: Math.min(2_000, count - from) }, (_, index) =>
        buildRecord(from + index, random, vectors.next()),
      );
      const refused = await search.bulkIndex(indexName, records, undefined, signal);
      if (refused[0]) throw new Error(`The search server refused ${refused.length} records: ${refused[0].reason}`);
      if (from % 20_000 === 0) process.stderr.write(`${from} records\n`);
    }
    await search.refresh(indexName);
    print(`${count} records written in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  } finally {
    await search.close();
  }
}

/** Zero if there is no index. */
async function countRecords(engine: string): Promise<number> {
  const answer = await fetch(`${engine}/${indexName}/_count`);
  return answer.ok ? ((await answer.json()) as { count: number }).count : 0;
}

function buildRecord(position: number, random: Random, embedding: number[]): IndexRecord {
  const id = `bench-${position}`;
  return {
    id,
    document_id: `document-${Math.floor(position / 10)}`,
    job_id: indexName,
    run_id: indexName,
    content: getText(writeBlocks(random, 400)),
    title: title(random),
    metadata: { department: `department ${position % 40}`, language: 'en', chunk_index: position % 10 },
    allowed_users: chooseReaders(position, random),
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    embedding,
  };
}

function chooseReaders(position: number, random: Random): string[] {
  if (position % 100 === 0) return Array.from({ length: crowd }, (_, index) => `crowd-${index}`);
  if (position % 100 === 1) return [readers.single()];
  const usual = Array.from({ length: readersOfEach }, () => readers.usual(random));
  return [
    ...usual,
    ...(position % 2 === 0 ? [readers.half()] : []),
    ...(position % 100 === 2 ? [readers.onePercent()] : []),
  ];
}

export function getText(blocks: ReturnType<typeof writeBlocks>): string {
  return blocks.map((block) => ('text' in block ? block.text : '')).join('\n');
}

/** Vectors of length 1 around centres that do not depend on the seed, so vectors of another seed are near records. */
export function createVectors(seed: number): { next(): number[] } {
  const around = createRandom(99);
  const places = Array.from({ length: centres }, () => Array.from({ length: dimension }, () => drawNormal(around)));
  const random = createRandom(seed);
  return {
    next: () => {
      const centre = places[random.integer(0, centres - 1)] ?? [];
      const vector = centre.map((value) => value + 0.8 * drawNormal(random));
      const length = Math.hypot(...vector);
      return vector.map((value) => Math.fround(value / length));
    },
  };
}

/** The sum of four uniform distributions is close enough to a normal one. */
function drawNormal(random: Random): number {
  return (random.next() + random.next() + random.next() + random.next() - 2) * Math.sqrt(3);
}
