import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Returns the matching key. Takes the same time for wrong keys as for right ones, however similar they are. */
export type KeyCheck = (input: readonly (string | undefined)[]) => string | undefined;

/** Creates a check for these keys. */
export function createKeyCheck(keys: readonly string[]): KeyCheck {
  const known = keys.map((key) => ({ key, digest: digest(key) }));
  return (input) => {
    let found: string | undefined;
    for (const text of input) {
      if (text === undefined) continue;
      const own = digest(text.trim());
      for (const { key, digest: other } of known) if (timingSafeEqual(own, other)) found = key;
    }
    return found;
  };
}

/** The keys in the headers of a request: `X-Api-Key`, and a bearer token. */
export function findKeys(headers: IncomingHttpHeaders): (string | undefined)[] {
  const own = headers['x-api-key'];
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  return [Array.isArray(own) ? own[0] : own, bearer];
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
