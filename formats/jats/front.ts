import { child, descendants, elements, type XmlElement } from '../xml';
import { lineOf } from './inline';

/** What the front matter says of an article. */
export interface Front {
  title: string;
  authors: string[];
  /** Those that an author refers to, in the order of the article. */
  affiliations: string[];
  abstracts: XmlElement[];
}

const beside = new Set(['xref', 'fn']);

/** Reads the metadata; parts that are missing are empty. */
export function frontOf(article: XmlElement): Front {
  const front = child(article, 'front') ?? child(article, 'front-stub');
  const meta = child(front, 'article-meta') ?? front;
  if (!meta) return { title: '', authors: [], affiliations: [], abstracts: [] };
  const titles = child(meta, 'title-group');
  const subtitle = lineOf(child(titles, 'subtitle'), beside);
  const title = lineOf(child(titles, 'article-title'), beside);
  const authors = elements(meta, 'contrib-group')
    .flatMap((group) => descendants(group, 'contrib'))
    .filter((contrib) => (contrib.attributes['contrib-type'] ?? 'author') === 'author');
  const referred = new Set(
    authors
      .flatMap((author) => elements(author, 'xref'))
      .filter((reference) => reference.attributes['ref-type'] === 'aff')
      .flatMap((reference) => (reference.attributes['rid'] ?? '').split(/\s+/)),
  );
  return {
    title: subtitle === '' ? title : `${title}: ${subtitle}`,
    authors: authors.map(nameOf).filter((name) => name !== ''),
    affiliations: descendants(meta, 'aff')
      .filter((affiliation) => referred.has(affiliation.attributes['id'] ?? ''))
      .map(affiliationOf)
      .filter((text, index, all) => text !== '' && all.indexOf(text) === index),
    abstracts: elements(meta, 'abstract').filter(
      ({ attributes }) => !['graphical', 'teaser'].includes(attributes['abstract-type'] ?? ''),
    ),
  };
}

function nameOf(author: XmlElement): string {
  const name = child(author, 'name') ?? child(child(author, 'name-alternatives'), 'name');
  if (!name) return lineOf(child(author, 'collab') ?? child(author, 'string-name'), beside);
  return [lineOf(child(name, 'given-names')), lineOf(child(name, 'surname')), lineOf(child(name, 'suffix'))]
    .filter((part) => part !== '')
    .join(' ');
}

const notNamed = new Set(['label', 'institution-id', 'email']);

/** Parts that stand in elements only are joined by commas; otherwise the text is as the article has it. */
function affiliationOf(affiliation: XmlElement): string {
  const isParts = affiliation.children.every((node) => typeof node !== 'string' || node.trim() === '');
  if (!isParts) return lineOf(affiliation, notNamed);
  return elements(affiliation)
    .filter(({ name }) => !notNamed.has(name))
    .map((part) => lineOf(part, notNamed))
    .filter((text) => text !== '')
    .join(', ');
}
