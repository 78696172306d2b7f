import { strToU8, zipSync } from 'fflate';

const uri = 'urn:oasis:names:tc:opendocument:xmlns:';
const namespaces = [
  ...['office', 'style', 'text', 'table', 'presentation', 'chart', 'meta', 'manifest'].map((name) => [
    name,
    `${uri}${name}:1.0`,
  ]),
  ['draw', `${uri}drawing:1.0`],
  ['fo', `${uri}xsl-fo-compatible:1.0`],
  ['svg', `${uri}svg-compatible:1.0`],
  ['loext', 'urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0'],
  ['dc', 'http://purl.org/dc/elements/1.1/'],
  ['xlink', 'http://www.w3.org/1999/xlink'],
]
  .map(([prefix, name]) => `xmlns:${prefix}="${name}"`)
  .join(' ');

/** Creates a root element with the OpenDocument namespaces. */
export function odfXml(name: string, inner: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${name} ${namespaces}>${inner}</${name}>`;
}

/** Creates an OpenDocument file from the content of its body, its automatic styles, and more parts. */
export function odfFile(
  kind: 'text' | 'spreadsheet' | 'presentation' | 'drawing',
  body: string,
  options: { styles?: string; parts?: Record<string, string | Uint8Array> } = {},
): Uint8Array {
  const content = odfXml(
    'office:document-content',
    `<office:automatic-styles>${options.styles ?? ''}</office:automatic-styles>` +
      `<office:body><office:${kind}>${body}</office:${kind}></office:body>`,
  );
  const parts = Object.entries({ 'content.xml': content, ...options.parts });
  return zipSync({
    mimetype: [strToU8(`application/vnd.oasis.opendocument.${kind === 'drawing' ? 'graphics' : kind}`), { level: 0 }],
    ...Object.fromEntries(parts.map(([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part])),
  });
}

/** Creates a flat OpenDocument file: one XML document. */
export function flatOdf(kind: 'text' | 'spreadsheet' | 'presentation' | 'drawing', body: string): Uint8Array {
  const type = `application/vnd.oasis.opendocument.${kind === 'drawing' ? 'graphics' : kind}`;
  const content = odfXml('office:document', `<office:body><office:${kind}>${body}</office:${kind}></office:body>`);
  return strToU8(content.replace('<office:document ', `<office:document office:mimetype="${type}" `));
}
