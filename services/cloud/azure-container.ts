import { AppError } from '../../model/errors';
import type { AzureContainer } from '../../model/source/azure-container';
import { isPlainKey } from '../../model/source/plain-key';
import { encodePath, decodePart } from '../../model/url-path';
import type { AddressGuard } from '../net/address-guard';
import { findChild, readXml, type XmlElement } from '../source/remote/read-xml';
import { contentTimeoutMs, createRequests, readText, type Requests } from '../source/remote/requests';
import { azureVersion, signSharedKey } from './azure-sign';
import { addQuery, type CloudObject, type CloudStore, listPages, toBody, toCloudError, toFacts } from './cloud-store';

interface Container {
  requests: Requests;
  location: AzureContainer;
  /** Without a trailing slash. */
  base: string;
  account: string;
  /** The container as named in messages. */
  place: string;
}

interface Call {
  method?: string;
  url: URL;
  headers?: Record<string, string>;
  body?: Uint8Array;
  timeoutMs?: number;
}

const maxPageBytes = 64 * 1024 * 1024;

/**
 * Opens a container of Azure Blob Storage. Uses the REST protocol directly: the vendor's client adds Apache Arrow and its own
 * connections, and these four requests need neither. Every connection passes the guard. A shared access signature is only added
 * to requests, so that it never appears in a message or path. `pageKeys` is the number of blobs per page (default: the
 * server's).
 */
export function openAzureContainer(location: AzureContainer, guard: AddressGuard, pageKeys?: number): CloudStore {
  const container = { ...locateContainer(location), location, requests: createRequests(guard) };
  const { place } = container;
  const refuse = async (response: Response, action: string): Promise<AppError> => {
    const { status } = response;
    const code = response.headers.get('x-ms-error-code') ?? '';
    await response.body?.cancel();
    return toCloudError({ place, action, status, code, isSignIn: isSignIn(location, status, code) });
  };
  return {
    place: container.base.replace(/^https?:\/\//, ''),
    list({ prefix, recursive }, signal) {
      return listPages(place, async (marker) => {
        const url = new URL(container.base);
        const delimiter = recursive ? '' : '/';
        addQuery(url, { restype: 'container', comp: 'list', prefix, marker, delimiter, maxresults: pageKeys ?? '' });
        const response = await send(container, { url }, signal);
        if (!response.ok) throw await refuse(response, 'be listed');
        return readPage(readXml(await readText(response, maxPageBytes)), place);
      });
    },
    async get(key, signal) {
      const response = await send(container, { url: getUrl(container, key), timeoutMs: contentTimeoutMs }, signal);
      if (response.ok) return toBody(response);
      if (response.status !== 404) throw await refuse(response, 'be read');
      await response.body?.cancel();
      return undefined;
    },
    async put(key, bytes, { mediaType, onlyNew = false }, signal) {
      const headers = {
        'content-type': mediaType,
        'x-ms-blob-type': 'BlockBlob',
        ...(onlyNew ? { 'if-none-match': '*' } : {}),
      };
      const response = await send(
        container,
        { method: 'PUT', url: getUrl(container, key), headers, body: bytes, timeoutMs: contentTimeoutMs },
        signal,
      );
      // 409: the blob already exists, perhaps only since the check; 412: the condition in the header failed.
      const code = response.headers.get('x-ms-error-code') ?? '';
      const isTaken = response.status === 412 || (response.status === 409 && code === 'BlobAlreadyExists');
      if (!response.ok && !(onlyNew && isTaken)) throw await refuse(response, 'be written');
      await response.body?.cancel();
      return response.ok;
    },
    async remove(key, signal) {
      const headers = { 'x-ms-delete-snapshots': 'include' };
      const response = await send(container, { method: 'DELETE', url: getUrl(container, key), headers }, signal);
      if (!response.ok && response.status !== 404) throw await refuse(response, 'be changed');
      await response.body?.cancel();
    },
    close: () => container.requests.close(),
  };
}

function locateContainer({ containerUrl, accountName }: AzureContainer): Pick<Container, 'base' | 'account' | 'place'> {
  const url = URL.canParse(containerUrl) ? new URL(containerUrl) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.search === '' && url.username === '' && url.password === '';
  const names = url?.pathname.split('/').filter(Boolean) ?? [];
  if (!isPlain || names.length === 0)
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      'container_url is not the address of a container: expected https://ACCOUNT.blob.core.windows.net/CONTAINER, without a query or credentials.',
    );
  // If the account has its own host, the path starts with the container; otherwise with the account.
  const hasOwnHost = url.hostname.includes('.blob.');
  const account = accountName ?? (hasOwnHost ? url.hostname.split('.')[0] : names[0]) ?? '';
  const base = `${url.origin}/${names.join('/')}`;
  return { base, account, place: `The container ${base}` };
}

async function send({ requests, location, account }: Container, call: Call, signal: AbortSignal): Promise<Response> {
  const { method = 'GET', url, body, timeoutMs } = call;
  const { accountKey, sasToken } = location;
  const headers: Record<string, string> = {
    ...call.headers,
    'x-ms-version': azureVersion,
    'x-ms-date': new Date().toUTCString(),
  };
  if (accountKey !== undefined)
    headers['authorization'] = signSharedKey({
      method,
      url,
      headers,
      length: body?.length ?? 0,
      account,
      key: accountKey,
    });
  const signed = new URL(url);
  for (const [name, value] of new URLSearchParams(sasToken)) signed.searchParams.set(name, value);
  return await requests.send(
    {
      url: signed,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
    signal,
  );
}

function getUrl({ base, place }: Container, key: string): URL {
  if (isPlainKey(key)) return new URL(`${base}/${encodePath(key)}`);
  throw new AppError('SOURCE_UNREADABLE', `${place} cannot have a blob with this name.`);
}

function readPage(answer: XmlElement, place: string): { objects: CloudObject[]; next: string } {
  const blobs = findChild(answer, 'Blobs');
  if (answer.name !== 'EnumerationResults' || !blobs)
    throw new AppError('INVALID_RESPONSE', `${place} is not a container: the answer is <${answer.name}>.`);
  return {
    objects: blobs.children.filter(({ name }) => name === 'Blob').map(toObject),
    next: findChild(answer, 'NextMarker')?.text ?? '',
  };
}

function toObject(blob: XmlElement): CloudObject {
  const facts = findChild(blob, 'Properties');
  const findText = (name: string) => findChild(facts, name)?.text.trim() || undefined;
  const version = findText('Etag');
  return {
    key: readName(findChild(blob, 'Name')),
    ...toFacts({
      size: findText('Content-Length'),
      modified: findText('Last-Modified'),
      mimetype: findText('Content-Type'),
    }),
    ...(version === undefined ? {} : { version }),
  };
}

/** Names with characters that XML does not allow are percent-encoded. */
function readName(element: XmlElement | undefined): string {
  const text = element?.text ?? '';
  if (element?.attributes?.['Encoded'] !== 'true') return text;
  return decodePart(text) ?? text;
}

/** Codes for a rejected key or signature, as opposed to missing permissions. */
const signInCodes = new Set([
  'AuthenticationFailed',
  'InvalidAuthenticationInfo',
  'NoAuthenticationInformation',
  'KeyBasedAuthenticationNotPermitted',
]);

/** The account key has all permissions, so a refusal means that the key itself is rejected. */
function isSignIn({ accountKey }: AzureContainer, status: number, code: string): boolean {
  return status === 401 || signInCodes.has(code) || (accountKey !== undefined && code === 'AuthorizationFailure');
}
