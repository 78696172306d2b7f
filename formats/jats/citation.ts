import { findChild, listDescendants, listElements, type XmlElement } from '../xml/xml';
import { readLine, joinPlainText } from './inline';

/** Writes an entry of a reference list on one line: from its parts if they are marked up, else as written. */
export function writeCitation(citation: XmlElement): string {
  if (!isMarkedUp(citation)) return readAsWritten(citation);
  const readPart = (name: string) => readLine(findChild(citation, name));
  const names = listElements(citation, 'person-group').flatMap(listPeople);
  const people = (names.length > 0 ? names : listPeople(citation)).join(', ');
  const title = titleElements.map(readPart).find((text) => text !== '') ?? '';
  const [volume, first, last] = [readPart('volume'), readPart('elocation-id') || readPart('fpage'), readPart('lpage')];
  const pages = first !== '' && last !== '' && readPart('elocation-id') === '' ? `${first}–${last}` : first;
  const publisher = [readPart('publisher-loc'), readPart('publisher-name')].filter((text) => text !== '').join(': ');
  const meeting = [readPart('conf-name'), readPart('conf-loc')].filter((text) => text !== '').join(', ');
  const sentences = [people, title, readPart('source'), meeting, publisher].filter((text) => text !== '');
  const line = sentences.map((text) => (/[.?!]$/.test(text) ? text : `${text}.`)).join(' ');
  // Volume, pages and year belong to the sentence before them.
  const place = volume !== '' && pages !== '' ? `${volume}:${pages}` : volume || pages;
  const year = readPart('year') === '' ? '' : `(${readPart('year')})`;
  const tail = [place, year].filter((text) => text !== '').join(' ');
  const whole = tail === '' ? line : `${line.replace(/[. ]+$/, '')} ${tail}.`.trim();
  const ids = readIdentifiers(citation);
  return ids === '' ? whole : `${whole} ${ids}`;
}

/** True for a citation that consists of elements only. `nlm-citation` and `citation` are older names of both types. */
function isMarkedUp({ name, children }: XmlElement): boolean {
  if (name === 'mixed-citation') return false;
  return name === 'element-citation' || children.every((node) => typeof node !== 'string' || node.trim() === '');
}

/** Elements with the title of the cited work; the first that is present counts. */
const titleElements = ['article-title', 'chapter-title', 'data-title', 'issue-title', 'part-title', 'trans-title'];

function listPeople(group: XmlElement): string[] {
  return group.children.flatMap((node) => {
    if (typeof node === 'string') return [];
    if (node.name === 'name' || node.name === 'string-name') {
      const parts = [findChild(node, 'surname'), findChild(node, 'given-names')].map((part) => readLine(part));
      return [parts.filter(Boolean).join(' ')];
    }
    if (node.name === 'collab') return [readLine(node)];
    return node.name === 'etal' ? ['et al.'] : [];
  });
}

function readIdentifiers(citation: XmlElement): string {
  return listDescendants(citation, 'pub-id')
    .map((id) => {
      const kind = id.attributes['assigning-authority'] || id.attributes['pub-id-type'] || '';
      return `${kind.toUpperCase()}: ${readLine(id)}`;
    })
    .join(', ');
}

function readAsWritten(citation: XmlElement): string {
  return joinPlainText(citation, new Set(['label']))
    .replace(/\s+/g, ' ')
    .trim();
}
