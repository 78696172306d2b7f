import { AppError } from '../../model/errors';
import { openAzureContainer } from '../cloud/azure-container';
import type { CloudStore } from '../cloud/cloud-store';
import { openGoogleBucket } from '../cloud/google-bucket';
import { readGoogleKey } from '../cloud/google-key';
import type { GoogleTokens } from '../cloud/google-token';
import type { AddressGuard } from '../net/address-guard';
import { limitBytes } from '../source/limit-bytes';
import { collectBytes } from '../storage/collect-bytes';
import type { ExportPlace, ExportTarget } from './place';

/** Dependencies for opening places in a cloud. */
export interface CloudPlaceDeps {
  guard: AddressGuard;
  tokens: GoogleTokens;
}

type CloudTarget = Extract<ExportTarget, { kind: 'azure' | 'gcs' }>;

/** Opens a container of Azure or a bucket of Google. Both write a name only if it is free in one step. */
export function openCloudPlace(target: CloudTarget, deps: CloudPlaceDeps): ExportPlace {
  const store = openStore(target, deps);
  const ended = new AbortController();
  const { signal } = ended;
  const { prefix } = target;
  const write = (name: string, bytes: Uint8Array, mediaType: string, onlyNew: boolean) =>
    store.put(prefix + name, bytes, { mediaType, onlyNew }, signal).catch(refuse);
  return {
    key: `${target.kind}:${store.place}/${prefix}`,
    put: async (name, bytes, mediaType) => void (await write(name, bytes, mediaType, false)),
    create: (name, bytes, mediaType) => write(name, bytes, mediaType, true),
    async read(name, maxBytes = Infinity) {
      const body = await store.get(prefix + name, signal).catch(refuse);
      return body && (await collectBytes(limitBytes(body.parts, { name, maxBytes })));
    },
    remove: (name) => store.remove(prefix + name, signal).catch(refuse),
    close() {
      ended.abort(new AppError('CONNECTION_ERROR', 'The export was closed.'));
      store.close();
    },
  };
}

function openStore(target: CloudTarget, { guard, tokens }: CloudPlaceDeps): CloudStore {
  if (target.kind === 'azure') return openAzureContainer(target.container, guard);
  const { bucket, endpoint, keyText } = target;
  const location = { bucket, key: readGoogleKey(keyText), ...(endpoint === undefined ? {} : { endpoint }) };
  return openGoogleBucket(location, 'read_write', { guard, tokens });
}

const refusals = new Set(['SOURCE_NOT_FOUND', 'SOURCE_SIGN_IN_FAILED', 'SOURCE_NOT_ALLOWED']);

/** Credentials without write access end the run. */
function refuse(error: unknown): never {
  if (error instanceof AppError && refusals.has(error.code))
    throw new AppError('EXPORT_NOT_ALLOWED', error.message, {}, error);
  throw error;
}
