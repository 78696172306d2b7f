import type { ConversionRoute } from './route';

const note = {
  kind: 'file',
  base64_string: Buffer.from('# Note\n\nBook trains first.').toString('base64'),
  filename: 'note.md',
};
const bucket = {
  kind: 's3',
  endpoint: 's3.example.org',
  access_key: 'KEY',
  secret_key: 'SECRET',
  bucket: 'documents',
  verify_ssl: true,
  key_prefix: '',
};

/** An example of the body of a request: small enough to be sent as it is, except for the buckets of a batch. */
export function buildRequestExample(
  { path }: Pick<ConversionRoute, 'path'>,
  mediaType: string,
): Record<string, unknown> {
  if (path.endsWith('/batch'))
    return { sources: [bucket], target: { ...bucket, bucket: 'converted' }, options: { to_formats: ['md'] } };
  const isChunk = path.startsWith('/v1/chunk/');
  if (mediaType !== 'application/json')
    return { files: ['note.md'], ...(isChunk ? { convert_do_ocr: false } : { to_formats: ['md'] }) };
  if (!isChunk) return { sources: [note], options: { to_formats: ['md'] } };
  const chunker = path.includes('/hybrid/') ? 'hybrid' : 'hierarchical';
  return { sources: [note], convert_options: { do_ocr: false }, chunking_options: { chunker } };
}
