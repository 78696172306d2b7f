import type { Json } from './openapi-schema';

const text = { type: 'string' };

/** The headers of replies that clients act on. */
const headers = {
  'X-Transaction-ID': { description: 'Identifies the request in logs and errors.', schema: text },
  Location: { description: 'The address of the created resource, or of the next step.', schema: text },
  ETag: { description: 'The version of the resource, for If-Match and If-None-Match.', schema: text },
  'Retry-After': { description: 'Seconds to wait before the request is sent again.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: text },
  'Content-Disposition': { description: 'The file name to save the body under.', schema: text },
  Warning: {
    description: 'The parts of the request that were ignored or replaced: `299 - "…"`, separated by commas.',
    schema: text,
  },
  'X-Task-Id': { description: 'The task that does the work.', schema: text },
} as const;
export type HeaderName = keyof typeof headers;

const byStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  201: ['Location'],
  302: ['Location'],
  307: ['Location'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** References to the headers of a reply: those of its status, and its own. */
export function getHeaders(status: number, names: readonly HeaderName[]): Json {
  return Object.fromEntries(listNames(status, names).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers of these replies, as components. */
export function describeHeaders(responses: readonly { status: number; headers?: readonly HeaderName[] }[]): Json {
  const used = new Set(responses.flatMap(({ status, headers: names = [] }) => listNames(status, names)));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => used.has(name as HeaderName)));
}

function listNames(status: number, names: readonly HeaderName[]): HeaderName[] {
  return [...new Set<HeaderName>(['X-Transaction-ID', ...(byStatus[status] ?? []), ...names])];
}
