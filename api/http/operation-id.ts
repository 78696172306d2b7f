import type { RouteFacts } from './api';

const verbs = { GET: 'get', POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' } as const;

/** Last path segments that name the action of a POST. */
const actions = new Set([
  ...['cancel', 'pause', 'resume', 'restore', 'complete', 'retry', 'ignore', 'leave_out'],
  ...['search', 'search_as', 'ask', 'login', 'logout', 'decode', 'encode'],
]);
/** First path segments that name the action of a POST below them. */
const conversions = new Set(['convert', 'chunk']);
/** Words that end in -s but are not plurals. */
const singularWords = new Set(['access', 'metrics', 'docs', 'status']);
/** The start of a path, which is not part of operation names. */
const basePath = /^\/(?:api\/v1|v1|auth)(?=\/)/;

/**
 * The name of an operation, a verb and what it acts on: `listFlows`, `cancelJobRun`. Derived from method and path; a route whose
 * derived name would mislead declares its own.
 */
export function getOperationId({ method, path, operationId: explicitId }: RouteFacts): string {
  if (explicitId !== undefined) return explicitId;
  const parts = path.replace(basePath, '').split('/').filter(Boolean);
  const [first = ''] = parts;
  const last = parts.at(-1) ?? 'root';
  if (conversions.has(first)) return first + toWords(parts.slice(1).join('_'));
  if (method === 'POST' && actions.has(last)) {
    const [verb = '', ...objects] = last.split('_');
    return verb + joinParts(parts.slice(0, -1)) + objects.map(capitalize).join('');
  }
  if (last.startsWith('{')) return verbs[method] + joinParts(parts);
  if (method === 'GET' && isPlural(last)) return `list${joinParts(parts.slice(0, -1))}${toWords(last)}`;
  const what = joinParts(parts.slice(0, -1)) + toWords(method === 'POST' ? singularize(last) : last);
  return verbs[method] + (what || 'Root');
}

/** Collections followed by an id are named in the singular: `/job_runs/{job_run_id}/documents` is `JobRunDocuments`. */
function joinParts(parts: readonly string[]): string {
  return parts
    .map((part, index) => {
      if (part.startsWith('{')) return '';
      return toWords(parts[index + 1]?.startsWith('{') ? singularize(part) : part);
    })
    .join('');
}

function toWords(segment: string): string {
  return segment
    .split(/[^A-Za-z0-9]+/)
    .map(capitalize)
    .join('');
}

function singularize(plural: string): string {
  if (!isPlural(plural)) return plural;
  return plural
    .replace(/ies$/, 'y')
    .replace(/(x|ch|sh)es$/, '$1')
    .replace(/s$/, '');
}

function isPlural(word: string): boolean {
  return word.endsWith('s') && !singularWords.has(word);
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
