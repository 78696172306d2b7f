import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Returns the matching key. Takes the same time for wrong keys as for right ones, however similar they are. */
export type KeyCheck = (input: readonly (string | undefined)[]) => string | undefined;

/** Creates a check for these keys. */
export function createKeyCheck(keys: readonly string[]): KeyCheck {
  const digests = keys.map((key) => ({ key, digest: computeDigest(key) }));
  return (input) => {
    let matchingKey: string | undefined;
    for (const text of input) {
      if (text === undefined) continue;
      const given = computeDigest(text.trim());
      for (const { key, digest } of digests) if (timingSafeEqual(given, digest)) matchingKey = key;
    }
    return matchingKey;
  };
}

/** The keys in the headers of a request: `X-Api-Key`, and a bearer token. */
export function findKeys(headers: IncomingHttpHeaders): (string | undefined)[] {
  const apiKey = headers['x-api-key'];
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  return [Array.isArray(apiKey) ? apiKey[0] : apiKey, bearer];
}

function computeDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
