import { child, descendants, elements, type XmlElement } from '../xml';
import { lineOf, plainText } from './inline';

/** One entry of a list of references as a line: from its parts where they are marked up, else as it is written. */
export function citationOf(citation: XmlElement): string {
  if (citation.name !== 'element-citation') return writtenOf(citation);
  const part = (name: string) => lineOf(child(citation, name));
  const names = elements(citation, 'person-group').flatMap(peopleOf);
  const people = (names.length > 0 ? names : peopleOf(citation)).join(', ');
  const title = part('article-title') || part('chapter-title') || part('data-title');
  const [volume, first, last] = [part('volume'), part('fpage') || part('elocation-id'), part('lpage')];
  const pages = first !== '' && last !== '' ? `${first}–${last}` : first;
  const place = [part('source'), volume !== '' && pages !== '' ? `${volume}:${pages}` : volume || pages];
  const year = part('year');
  if (year !== '') place.push(`(${year})`);
  const publisher = [part('publisher-loc'), part('publisher-name')].filter((text) => text !== '').join(': ');
  const line = [people, title, publisher, place.filter((text) => text !== '').join(' ')]
    .filter((text) => text !== '')
    .map((text) => (/[.?!]$/.test(text) ? text : `${text}.`))
    .join(' ');
  const ids = identifiersOf(citation);
  return ids === '' ? line : `${line} ${ids}`;
}

function peopleOf(group: XmlElement): string[] {
  return group.children.flatMap((node) => {
    if (typeof node === 'string') return [];
    if (node.name === 'name' || node.name === 'string-name') {
      return [[lineOf(child(node, 'surname')), lineOf(child(node, 'given-names'))].filter(Boolean).join(' ')];
    }
    if (node.name === 'collab') return [lineOf(node)];
    return node.name === 'etal' ? ['et al.'] : [];
  });
}

function identifiersOf(citation: XmlElement): string {
  return descendants(citation, 'pub-id')
    .map((id) => {
      const kind = id.attributes['pub-id-type'] ?? id.attributes['assigning-authority'] ?? '';
      return `${kind === 'doi' || kind === 'pmid' || kind === 'pmcid' ? kind.toUpperCase() : kind}: ${lineOf(id)}`;
    })
    .join(', ');
}

const unwritten = new Set(['label']);

function writtenOf(citation: XmlElement): string {
  return plainText(citation, unwritten).replace(/\s+/g, ' ').trim();
}
