/** Resolves a relative path within a container against the part that contains it. A leading slash means the root. */
export function resolvePartName(from: string, path: string): string {
  const segments = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

/** Decodes a percent-encoded path; names of parts are not encoded. Invalid escapes are kept as written. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
