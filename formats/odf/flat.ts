import { readXmlHead } from '../xml/xml-head';

/** Returns a detector of flat OpenDocument files: one XML document whose root names the media type. */
export function createFlatOdfDetector(
  kind: 'text' | 'spreadsheet' | 'presentation' | 'graphics',
): (head: Uint8Array) => boolean {
  const type = new RegExp(`:mimetype=["']application/vnd\\.oasis\\.opendocument\\.${kind}(?:-template)?["']`);
  return (head) => {
    const { root, tag } = readXmlHead(head);
    return /^(?:\w+:)?document$/.test(root) && type.test(tag);
  };
}
