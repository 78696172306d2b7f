import { AppError } from '../../../model/errors';
import { readAzureSettings } from '../../../model/source/azure-container';
import { readGoogleSettings } from '../../../model/source/google-bucket';
import { isPlainKey } from '../../../model/source/plain-key';
import type { SourceFilter } from '../../../model/source/remote-source';
import { encodePath, decodePart } from '../../../model/url-path';
import { openAzureContainer } from '../../cloud/azure-container';
import { type CloudStore } from '../../cloud/cloud-store';
import { openGoogleBucket } from '../../cloud/google-bucket';
import { readGoogleKey } from '../../cloud/google-key';
import { createGoogleTokens } from '../../cloud/google-token';
import type { AddressGuard } from '../../net/address-guard';
import { collectBytes } from '../../storage/collect-bytes';
import { createConnectedSource } from '../connected-source';
import { toDocumentError } from '../items/download';
import { type KeyStore, type StoredObject, walkKeys } from '../key-walk';
import { limitBytes } from '../limit-bytes';
import type { Source } from '../source';

/** A container or bucket named in a flow. */
interface Place {
  store: CloudStore;
  settings: SourceFilter & { prefix: string };
  /** The `source` of all documents. */
  source: string;
  buildPath: (key: string) => string;
  /** The key of a path; undefined for a path of another place. */
  parseKey: (path: string) => string | undefined;
}

const maxListBytes = 16 * 1024 * 1024;

/** `pageKeys` is the number of objects per page (default: the server's). */
interface CloudSourceDeps {
  guard: AddressGuard;
  pageKeys?: number;
}

/** Lists the blobs of an Azure Blob Storage container. */
export function createAzureSource({ guard, pageKeys }: CloudSourceDeps): Source {
  return createCloudSource((config) => {
    const settings = readAzureSettings(config);
    const store = openAzureContainer(settings.container, guard, pageKeys);
    const base = `${new URL(settings.container.containerUrl).protocol}//${store.place}`;
    const buildPath = (key: string) => `${base}/${encodePath(key)}`;
    return {
      store,
      settings,
      source: `azure:${store.place}`,
      buildPath,
      parseKey: (file) => decodeKey(base, file),
    };
  });
}

/** Lists the objects of a Google Cloud Storage bucket. Tokens are cached while they are valid. */
export function createGcsSource({ guard, pageKeys }: CloudSourceDeps): Source {
  const tokens = createGoogleTokens();
  return createCloudSource((config) => {
    const { keyText, ...settings } = readGoogleSettings(config);
    const key = keyText === undefined ? {} : { key: readGoogleKey(keyText) };
    const store = openGoogleBucket({ ...settings, ...key }, 'read_only', { guard, tokens, pageKeys });
    const start = `gs://${settings.bucket}/`;
    return {
      store,
      settings,
      source: `gcs:${store.place}`,
      buildPath: (value) => `${start}${value}`,
      parseKey: (file) => (file.startsWith(start) ? file.slice(start.length) : undefined),
    };
  });
}

function createCloudSource(open: (config: Record<string, unknown>) => Place): Source {
  return createConnectedSource<Place>({
    open,
    close: ({ store }) => store.close(),
    list: (place, signal, after) => walkKeys(toKeyStore(place, signal), place.settings, signal, after),
    read: readBytes,
  });
}

async function* readBytes(place: Place, file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { store, settings } = place;
  const body = await store.get(findKey(place, file), signal).catch((error: unknown) => {
    throw toDocumentError(error, file);
  });
  if (!body) throw new AppError('SOURCE_GONE', `'${file}' no longer exists.`);
  yield* limitBytes(body.parts, { name: file, announced: body.announced, maxBytes: settings.maxFileBytes });
}

function toKeyStore({ store, settings, source, buildPath }: Place, signal: AbortSignal): KeyStore {
  const { prefix, recursive } = settings;
  const list = async function* list(after?: string) {
    for await (const object of store.list({ prefix, recursive, ...(after === undefined ? {} : { after }) }, signal)) {
      // Objects that the flow did not request may come from anywhere.
      if (object.key.startsWith(prefix) && (after === undefined || isLater(object.key, after)))
        yield { ...object, ...findNameProblem(object.key) };
    }
  };
  return {
    source,
    prefix,
    pathOf: buildPath,
    objects: () => list(),
    objectsAfter: list,
    text: async (key) => {
      const body = isPlainKey(key) ? await store.get(key, signal) : undefined;
      if (!body) return undefined;
      const { parts, announced } = body;
      const bytes = await collectBytes(limitBytes(parts, { name: key, announced, maxBytes: maxListBytes }));
      return bytes.toString('utf8');
    },
  };
}

/** Servers order keys by bytes or by code units; a key that is later in either order has not been listed. */
function isLater(key: string, after: string): boolean {
  return key > after || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0;
}

function findNameProblem(key: string): Pick<StoredObject, 'failure'> {
  if (isPlainKey(key)) return {};
  const message = 'Its name has control characters, or a part that is `.` or `..`, and cannot be read by its address.';
  return { failure: { code: 'SOURCE_UNREADABLE', message } };
}

/** The key of a listed document. Throws SOURCE_UNREADABLE for a path that is not below the prefix of the flow. */
function findKey({ store, settings, parseKey, buildPath }: Place, file: string): string {
  const key = parseKey(file);
  if (key === undefined || !isPlainKey(key) || !key.startsWith(settings.prefix) || buildPath(key) !== file)
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is not an object below ${store.place}/${settings.prefix}.`);
  return key;
}

function decodeKey(base: string, file: string): string | undefined {
  if (!file.startsWith(`${base}/`)) return undefined;
  return decodePart(file.slice(base.length + 1));
}
