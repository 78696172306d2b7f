import { print } from '../support/command';
import { quantile } from '../support/http-load';
import type { Target } from '../support/targets';
import { createReader, buildVectorBody } from './calls';
import { createVectors, indexName, readers } from './fill';

const questions = 100;
const modes = ['vector', 'hybrid'] as const;

interface Found {
  took: number;
  hits: { hits: { fields: { id: string[] } }[] };
}

/** How many of the ten nearest the graph of vectors finds under the access rule, compared with every readable vector. */
export async function measureNearest(engine: string): Promise<Target[]> {
  const targets: Target[] = [];
  for (const [share, name] of [
    ['50 %', readers.half()],
    ['1 %', readers.onePercent()],
  ] as const) {
    const vectors = createVectors(2);
    const shares = { vector: [] as number[], hybrid: [] as number[] };
    const times = { vector: [] as number[], hybrid: [] as number[], exact: [] as number[] };
    for (let turn = 0; turn < questions; turn += 1) {
      const vector = vectors.next();
      const exact = await ask(engine, buildExactBody(name, vector));
      const right = new Set(exact.hits.hits.map(({ fields }) => fields.id[0]));
      times.exact.push(exact.took);
      for (const mode of modes) {
        const near = await ask(engine, await buildVectorBody(createReader(name), vector, mode));
        const matchingHits = near.hits.hits.slice(0, right.size).filter(({ fields }) => right.has(fields.id[0]));
        shares[mode].push(matchingHits.length / Math.max(1, right.size));
        times[mode].push(near.took);
      }
    }
    const p50 = (some: number[]) => `${quantile(some, 0.5)} ms`;
    print(
      `nearest of ${share}, p50 in the engine: ${p50(times.vector)} for the mode vector, ${p50(times.hybrid)} for hybrid, ${p50(times.exact)} by comparing every vector`,
    );
    for (const mode of modes) {
      const value = shares[mode].reduce((sum, value) => sum + value, 0) / questions;
      targets.push({ name: `recall@10, mode ${mode}, rights on ${share}`, value, unit: '', atLeast: 0.95 });
    }
  }
  return targets;
}

function buildExactBody(username: string, vector: readonly number[]): Record<string, unknown> {
  const params = { field: 'embedding', query_value: vector, space_type: 'l2' };
  const query = { bool: { filter: [{ term: { allowed_users: username } }] } };
  return {
    size: 10,
    stored_fields: '_none_',
    docvalue_fields: ['id'],
    query: { script_score: { query, script: { source: 'knn_score', lang: 'knn', params } } },
  };
}

async function ask(engine: string, body: Record<string, unknown>): Promise<Found> {
  const answer = await fetch(`${engine}/${indexName}/_search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The search server answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Found;
}
