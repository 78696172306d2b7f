import type { Claim, ExportClaims } from './claims';

/** A bucket that a flow reads: the `source` of its documents, and the region for one on Amazon without a named server. */
export interface ReadBucket {
  source: string;
  region?: string;
}

/** Recognizes the files that flows exported into a bucket. Folders for exports are closed to sources anyway. */
export interface ExportedFiles {
  /** The job that exported an object, by key, for those of the keys that are exported files. */
  find(bucket: ReadBucket, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** About how many names are looked up at a time: a key has up to a thousand ways to be divided. */
const filesPerQuery = 5_000;
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];
const googleHost = 'storage.googleapis.com';

/**
 * Compares server, bucket and key with those of the export. Only files that were written count: a user who may not write into a bucket
 * cannot hide its documents by exporting under their names.
 */
export function createExportedFiles(claims: Pick<ExportClaims, 'listWritten'>): ExportedFiles {
  return {
    async find(bucket, keys) {
      const places = listPlaces(bucket);
      const jobs = new Map<string, string>();
      const keysByFile = new Map<string, string>();
      let files: Pick<Claim, 'place' | 'name'>[] = [];
      const lookUp = async () => {
        for (const claim of await claims.listWritten(files)) {
          const key = keysByFile.get(formatFile(claim));
          if (key !== undefined) jobs.set(key, claim.job_id);
        }
        files = [];
        keysByFile.clear();
      };
      for (const key of keys) {
        for (const place of places)
          for (const [prefix, name] of splitKey(key)) {
            files.push({ place: place + prefix, name });
            keysByFile.set(formatFile({ place: place + prefix, name }), key);
          }
        if (files.length >= filesPerQuery) await lookUp();
      }
      if (files.length > 0) await lookUp();
      return jobs;
    },
  };
}

/** The keys that exports give the bucket, without a prefix; empty for a source that is no bucket. */
function listPlaces({ source, region = '' }: ReadBucket): string[] {
  const [, kind, host, port = '', bucket] = /^(s3|azure|gcs):([^/]*?)(:\d+)?\/(.+)$/.exec(source) ?? [];
  if (kind === undefined || host === undefined || bucket === undefined) return [];
  const kinds = host === googleHost ? ['s3', 'gcs'] : [kind];
  return kinds.flatMap((name) => listNames(host, region).map((server) => `${name}:${server}${port}/${bucket}/`));
}

/** The names of a server; a source without one is on Amazon. */
function listNames(host: string, region: string): string[] {
  if (loopbackHosts.includes(host)) return loopbackHosts;
  return host === '' ? [`s3.${region}.amazonaws.com`, 's3.amazonaws.com'] : [host];
}

/** Every way to divide a key into the prefix of an export and the name of its file. */
function splitKey(key: string): [prefix: string, name: string][] {
  const slashes = [...key.matchAll(/\//g)].map(({ index }) => index + 1);
  return [0, ...slashes].map((at) => [key.slice(0, at), key.slice(at)]);
}

function formatFile({ place, name }: Pick<Claim, 'place' | 'name'>): string {
  return `${place}\0${name}`;
}
