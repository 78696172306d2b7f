import { trimSlashes } from '../trim-slashes';
/** The location of a document, as columns of a row or members of a stored record. */
interface Place {
  path?: unknown;
  source?: unknown;
  metadata?: unknown;
}

/** Prefix of filesystem sources; a folder on the server follows. */
const fileSource = 'file:';

/**
 * Path and source as shown to readers. For a file, the path is relative to the source and the source says only that it is a file,
 * because the folders of the server are not public. All other values are unchanged. Absent members stay absent.
 */
export function toShownPlace({ path, source, metadata }: Place): { path?: unknown; source?: unknown } {
  const isFile = typeof source === 'string' && source.startsWith(fileSource);
  const isLocal = typeof path === 'string' && (isFile || (source === undefined && isAbsolute(path)));
  return {
    ...(path === undefined ? {} : { path: isLocal ? toRelative(path, source, metadata) : path }),
    ...(source === undefined ? {} : { source: isFile ? 'file' : source }),
  };
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(path);
}

function toRelative(path: string, source: unknown, metadata: unknown): string {
  if (!isAbsolute(path)) return path;
  const { relative_path: relativePath } = (metadata ?? {}) as Record<string, unknown>;
  if (typeof relativePath === 'string' && !isAbsolute(relativePath)) return relativePath;
  const plain = path.replaceAll('\\', '/');
  const folder = typeof source === 'string' ? `${trimSlashes(source.slice(fileSource.length))}/` : undefined;
  return folder !== undefined && plain.startsWith(folder) ? plain.slice(folder.length) : plain.replace(/^.*\//, '');
}
