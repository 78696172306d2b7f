import { findChild, listDescendants, listElements, type XmlElement } from '../xml/xml';
import { readLine } from './inline';

/** The front matter of an article. */
export interface Front {
  title: string;
  authors: string[];
  /** Affiliations that an author refers to, in the order of the article. */
  affiliations: string[];
  abstracts: XmlElement[];
}

/** Marks and notes that are not part of a title. */
const notInTitle = new Set(['xref', 'fn']);

/** Reads the metadata; missing parts are empty. */
export function readFront(article: XmlElement): Front {
  const front = findChild(article, 'front') ?? findChild(article, 'front-stub');
  const meta = findChild(front, 'article-meta') ?? front;
  if (!meta) return { title: '', authors: [], affiliations: [], abstracts: [] };
  const titles = findChild(meta, 'title-group');
  const subtitle = readLine(findChild(titles, 'subtitle'), notInTitle);
  const title = readLine(findChild(titles, 'article-title'), notInTitle);
  const authors = listElements(meta, 'contrib-group')
    .flatMap((group) => listDescendants(group, 'contrib'))
    .filter((contrib) => (contrib.attributes['contrib-type'] ?? 'author') === 'author');
  const referencedIds = new Set(
    authors
      .flatMap((author) => listElements(author, 'xref'))
      .filter((reference) => reference.attributes['ref-type'] === 'aff')
      .flatMap((reference) => (reference.attributes['rid'] ?? '').split(/\s+/)),
  );
  return {
    title: [title, subtitle].filter((text) => text !== '').join(' '),
    authors: authors.map(readName).filter((name) => name !== ''),
    affiliations: listAffiliations(meta)
      .filter(({ id }) => referencedIds.has(id))
      .map(({ element }) => readAffiliation(element))
      .filter((text, index, texts) => text !== '' && texts.indexOf(text) === index),
    abstracts: listElements(meta).filter(({ name }) => name === 'abstract' || name === 'trans-abstract'),
  };
}

/** Returns the affiliations with their ids. Of one in several languages or forms, the first has the id of the group. */
function listAffiliations(meta: XmlElement): { id: string; element: XmlElement }[] {
  const alternatives = listDescendants(meta, 'aff-alternatives').map((group) => ({
    id: group.attributes['id'] ?? '',
    forms: listElements(group, 'aff'),
  }));
  const groupIds = new Map(alternatives.flatMap(({ id, forms: [first] }) => (first ? [[first, id] as const] : [])));
  return listDescendants(meta, 'aff').map((element) => ({
    id: groupIds.get(element) ?? element.attributes['id'] ?? '',
    element,
  }));
}

const nameParts = ['prefix', 'given-names', 'surname', 'suffix'];
const notInName = new Set([...notInTitle, 'contrib-group', 'aff', 'address']);

function readName(author: XmlElement): string {
  if (findChild(author, 'anonymous')) return 'Anonymous';
  const name = findChild(author, 'name') ?? findChild(findChild(author, 'name-alternatives'), 'name');
  if (!name) return readLine(findChild(author, 'collab') ?? findChild(author, 'string-name'), notInName);
  return nameParts
    .map((part) => readLine(findChild(name, part)))
    .filter((part) => part !== '')
    .join(' ');
}

const notInAffiliation = new Set(['label', 'institution-id', 'email']);

/** Joins parts with commas if the affiliation consists of elements only. Otherwise the text is used as written. */
function readAffiliation(affiliation: XmlElement): string {
  const consistsOfElements = affiliation.children.every((node) => typeof node !== 'string' || node.trim() === '');
  if (!consistsOfElements) return readLine(affiliation, notInAffiliation);
  return listElements(affiliation)
    .flatMap((part) => (part.name === 'institution-wrap' ? listElements(part) : part))
    .filter(({ name }) => !notInAffiliation.has(name))
    .map((part) => readLine(part, notInAffiliation))
    .filter((text) => text !== '')
    .join(', ');
}
