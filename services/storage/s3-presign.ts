import { hash, createHmac } from 'node:crypto';

/** A bucket and the credentials to sign with. */
export interface SigningBucket {
  endpoint: URL;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
}

const algorithm = 'AWS4-HMAC-SHA256';

/**
 * A presigned URL for a GET of an object: Signature Version 4 in the query, path style. The presigner of the SDK is another
 * package, and asynchronous.
 */
export function presign(
  { endpoint, region, bucket, accessKey, secretKey }: SigningBucket,
  { key, seconds, now }: { key: string; seconds: number; now: Date },
): string {
  // 20260131T120000Z
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const path = `${endpoint.pathname.replace(/\/$/, '')}/${[bucket, ...key.split('/')].map(encode).join('/')}`;
  const query = Object.entries({
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${accessKey}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
  })
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&');
  const canonicalRequest = ['GET', path, query, `host:${endpoint.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const textToSign = [algorithm, time, scope, hash('sha256', canonicalRequest)].join('\n');
  let signingKey: string | Buffer = `AWS4${secretKey}`;
  for (const part of scope.split('/')) signingKey = createHmac('sha256', signingKey).update(part).digest();
  const signature = createHmac('sha256', signingKey).update(textToSign).digest('hex');
  return `${endpoint.origin}${path}?${query}&X-Amz-Signature=${signature}`;
}

/** Percent-encoding as in RFC 3986: letters, digits and -._~ are unchanged. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
