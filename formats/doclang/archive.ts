import { AppError } from '../../model/errors';
import type { ReadDocument } from '../format';
import { createImages } from '../ooxml/image';
import { readXmlHead } from '../xml/xml-head';
import { openZip } from '../zip/zip';
import { readDoclang } from './read';

/** Reads the outermost DocLang document of an archive, with its pictures in the archive. */
export const read: ReadDocument = (bytes, options) => {
  const zip = openZip(bytes, options.limits);
  const isCandidate = (name: string) => /\.(?:dclg|xml)$/i.test(name);
  const candidates = zip.names.filter(isCandidate).toSorted((name, other) => getDepth(name) - getDepth(other));
  for (const name of candidates) {
    const content = zip.read(name);
    if (!content || !/(?:^|:)doclang$/.test(readXmlHead(content.subarray(0, 4_096)).root)) continue;
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    const images = createImages({ zip });
    return readDoclang(content, options, (uri) => images(folder + uri) ?? images(uri));
  }
  throw new AppError(
    'DOCUMENT_CORRUPT',
    `'${options.name}' contains no DocLang document, which a DocLang archive must have.`,
  );
};

function getDepth(name: string): number {
  return name.split('/').length;
}
