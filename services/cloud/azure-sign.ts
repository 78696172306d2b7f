import { createHmac } from 'node:crypto';

/** A request to be signed. `headers` are in lower case. */
interface SignedRequest {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Length of the body in bytes. */
  length: number;
  account: string;
  /** The account key in Base64. */
  key: string;
}

/** The protocol version sent with requests. */
export const azureVersion = '2021-12-02';

/** Headers whose values are part of the signature by position, in this order. */
const positionalHeaders = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-type',
  'date',
  'if-modified-since',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'range',
];

/**
 * Returns the `Authorization` header of a request: Shared Key of Azure Storage
 * (learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key).
 */
export function signSharedKey({ method, url, headers, length, account, key }: SignedRequest): string {
  const sentHeaders: Record<string, string> = {
    ...headers,
    ...(length > 0 ? { 'content-length': String(length) } : {}),
  };
  const ownHeaders = Object.keys(sentHeaders)
    .filter((name) => name.startsWith('x-ms-'))
    .toSorted()
    .map((name) => `${name}:${sentHeaders[name]?.trim()}\n`)
    .join('');
  const names = [...new Set(url.searchParams.keys())].toSorted();
  const query = names
    .map((name) => `\n${name.toLowerCase()}:${url.searchParams.getAll(name).toSorted().join(',')}`)
    .join('');
  const lines = [method, ...positionalHeaders.map((name) => sentHeaders[name] ?? '')].join('\n');
  const text = `${lines}\n${ownHeaders}/${account}${url.pathname}${query}`;
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
  return `SharedKey ${account}:${signature}`;
}
