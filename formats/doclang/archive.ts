import { AppError } from '../../model/errors';
import type { ReadDocument } from '../format';
import { createImages } from '../ooxml/image';
import { readXmlHead } from '../xml/xml-head';
import { openZip } from '../zip/zip';
import { readDoclang } from './read';

/** Reads the first DocLang entry of an archive, with the pictures that it references in the archive. */
export const read: ReadDocument = (bytes, options) => {
  const zip = openZip(bytes, options.limits);
  const isNamed = (name: string) => /\.(?:dclg|xml)$/i.test(name);
  const namedNames = zip.names.filter(isNamed).toSorted((name, other) => getDepth(name) - getDepth(other));
  for (const name of namedNames) {
    const content = zip.read(name);
    if (!content || !/(?:^|:)doclang$/.test(readXmlHead(content.subarray(0, 4_096)).root)) continue;
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    const images = createImages({ zip });
    return readDoclang(content, options, (uri) => images(folder + uri) ?? images(uri));
  }
  throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' is a DocLang archive without a document in it.`);
};

function getDepth(name: string): number {
  return name.split('/').length;
}
