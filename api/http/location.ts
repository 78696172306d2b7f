import type { Route } from './route';

/**
 * The path of a created resource: the path of the nearest route that reads one such resource, with the id from the reply.
 * Undefined if no route reads it.
 */
export function findLocation(
  path: string,
  body: unknown,
  routes: readonly Pick<Route, 'method' | 'path'>[],
): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const reply = body as Record<string, unknown>;
  let longest: string | undefined;
  for (const route of routes) {
    const [, collection = '', name = ''] = /^(.*)\/\{(\w+)\}$/.exec(route.path) ?? [];
    const id = reply[name] ?? reply['id'];
    if (route.method !== 'GET' || name === '' || typeof id !== 'string') continue;
    const start = findStart(path, collection);
    const location = start === undefined ? undefined : `${start}/${encodeURIComponent(id)}`;
    if (location !== undefined && location.split('/').length > (longest?.split('/').length ?? 0)) longest = location;
  }
  return longest;
}

/** The beginning of the path that fits the template; undefined where it does not fit. */
function findStart(path: string, template: string): string | undefined {
  const wantedParts = template.split('/');
  const parts = path.split('/');
  const fits = wantedParts.every(
    (part, index) => part === parts[index] || (part.startsWith('{') && Boolean(parts[index])),
  );
  return fits ? parts.slice(0, wantedParts.length).join('/') : undefined;
}
