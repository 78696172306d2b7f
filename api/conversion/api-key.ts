import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Returns the matching key. Takes the same time for wrong keys as for right ones, however similar they are. */
export type KeyCheck = (input: readonly (string | undefined)[]) => string | undefined;

/** Creates a check for these keys. */
export function createKeyCheck(keys: readonly string[]): KeyCheck {
  const digests = keys.map((key) => ({ key, digest: getDigest(key) }));
  return (input) => {
    let matchingKey: string | undefined;
    for (const text of input) {
      if (text === undefined) continue;
      const keyDigest = getDigest(text.trim());
      for (const { key, digest: other } of digests) if (timingSafeEqual(keyDigest, other)) matchingKey = key;
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

function getDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
