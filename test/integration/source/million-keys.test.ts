import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { type Answer, useLyingServer } from '../../support/sources/lying-server';

/** Buckets of a million objects, on servers that compute their listings. */
const count = 1_000_000;
const pageSize = 1_000;
const getKey = (number: number) => `2026/${String(number).padStart(7, '0')}.txt`;
const getNumber = (key: string) => Number(/(\d{7})\.txt$/.exec(key)?.[1] ?? -1);
const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
const lying = useLyingServer();

interface Kind {
  config: () => Record<string, unknown>;
  /** The first number of the page that the request asks for; undefined for other requests. */
  getFirst: (url: URL) => number | undefined;
  write: (numbers: readonly number[], next: string) => { type: string; body: string };
}
const modified = '2026-01-01T00:00:00.000Z';
const kinds: Record<'s3' | 'gcs', Kind> = {
  s3: {
    config: () => ({
      connection_params: { bucket: 'box', endpoint_url: lying.origin },
      credentials: { access_key: 'a', secret_key: 'b' },
    }),
    getFirst: ({ searchParams }) => {
      if (!searchParams.has('list-type')) return undefined;
      const token = searchParams.get('continuation-token');
      const after = searchParams.get('start-after');
      return token === null ? getNumber(after ?? '') + 1 : Number(token);
    },
    write: (numbers, next) => ({
      type: 'application/xml',
      body: `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next === '' ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}${numbers
        .map(
          (number) =>
            `<Contents><Key>${getKey(number)}</Key><Size>4</Size><ETag>e${number}</ETag><LastModified>${modified}</LastModified></Contents>`,
        )
        .join('')}</ListBucketResult>`,
    }),
  },
  gcs: {
    config: () => ({ connection_params: { bucket: 'box', endpoint_url: lying.origin } }),
    getFirst: ({ pathname, searchParams }) => {
      if (!pathname.endsWith('/o')) return undefined;
      const token = searchParams.get('pageToken') ?? '';
      // The start is part of a listing of Google.
      return token === '' ? Math.max(0, getNumber(searchParams.get('startOffset') ?? '')) : Number(token);
    },
    write: (numbers, next) => ({
      type: 'application/json',
      body: JSON.stringify({
        items: numbers.map((number) => ({
          name: getKey(number),
          size: '4',
          generation: `${number}`,
          updated: modified,
        })),
        ...(next === '' ? {} : { nextPageToken: next }),
      }),
    }),
  },
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** In bytes, without what the collector has merely not freed yet. */
function measureHeldMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Answers listings of the bucket, and counts them. */
function serve({ getFirst, write }: Kind, listings: number[]): Answer {
  return (request, response) => {
    const first = getFirst(new URL(request.url ?? '', lying.origin));
    if (first === undefined) return void response.writeHead(404).end();
    listings.push(first);
    const last = Math.min(count, first + pageSize);
    const numbers = Array.from({ length: last - first }, (_, index) => first + index);
    const { type, body } = write(numbers, last === count ? '' : String(last));
    response.writeHead(200, { 'content-type': type }).end(body);
  };
}

test.each([
  ['s3', 990_000],
  ['gcs', 900_000],
] as const)(
  '%s: a listing that ended after %i of a million keys continues there, with the requests of the rest and little memory',
  async (name, start) => {
    const kind = kinds[name];
    const listings: number[] = [];
    lying.answer = serve(kind, listings);
    const left = (count - start) / pageSize;
    const last = String(start - 1).padStart(7, '0');
    let middle = '';
    for await (const { cursor } of sources.list(name, kind.config(), signal)) {
      middle = (cursor ?? '').replace('0000000', last);
      break;
    }
    expect(middle).toContain(last);
    listings.length = 0;
    let expected: number = start;
    let misplaced = 0;
    let largest = 0;
    const before = measureHeldMemory();
    for await (const entry of sources.list(name, kind.config(), signal, { after: middle })) {
      if (getNumber(entry.relativePath) !== expected) misplaced += 1;
      expected += 1;
      if (expected % 50_000 === 0) largest = Math.max(largest, measureHeldMemory() - before);
    }
    expect(misplaced).toBe(0);
    expect(expected).toBe(count);
    expect(listings.length).toBeLessThanOrEqual(left + 1);
    expect(Math.min(...listings)).toBeGreaterThanOrEqual(start - 1);
    expect(largest).toBeLessThan(50 * 1024 * 1024);
    process.stdout.write(
      `${name}: ${listings.length} requests, at most ${Math.round(largest / 2 ** 20)} MB more heap\n`,
    );
  },
);
