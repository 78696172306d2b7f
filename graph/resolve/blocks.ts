import type { TemplateClass } from '../template/model';
import type { Attributes } from '../core/value';
import { namesIn, scalarsOf } from './compare';
import { entityKindOf, isStrongKey } from './entity-kind';
import { acronymOf, codeText, coreWords, significantWords, skeletonOf, wordsOf } from './name-words';

const mostBlocks = 16;

/**
 * Keys under which a node meets the nodes that it is compared with: only nodes of one class that share a key are. They are parts
 * of its names and its key values. Empty for classes whose identity means nothing outside of a document.
 */
export function blocksOf(one: TemplateClass, attributes: Attributes): string[] {
  if (one.isDocumentScoped) return [];
  const kind = entityKindOf(one);
  const found = new Set<string>();
  for (const [property, value] of Object.entries(attributes))
    if (isStrongKey(property))
      for (const text of scalarsOf(value)) found.add(`k ${property} ${wordsOf(text).join(' ')}`.slice(0, 120));
  for (const name of namesIn(one, attributes)) {
    const words = wordsOf(name);
    if (kind === 'code') {
      const digits = codeText(name).replace(/\D+/g, '');
      if (digits.length >= 2) found.add(`d ${digits.slice(0, 60)}`);
      continue;
    }
    const { core } = kind === 'organisation' ? coreWords(words) : { core: words };
    const significant = significantWords(core);
    found.add(`s ${skeletonOf(significant).slice(0, 60)}`);
    for (const word of significant) if (word.length >= 3) found.add(`w ${soundOf(word)}`);
    const acronym = acronymOf(core);
    if (acronym !== undefined && acronym.length <= 6) found.add(`a ${acronym}`);
    const [only = ''] = significant;
    if (significant.length === 1 && only.length <= 6) found.add(`a ${only}`);
    // Shelves of products are often named by their numbers.
    for (const number of core.join(' ').match(/\d{3,}/g) ?? []) found.add(`n ${number.slice(0, 40)}`);
  }
  return [...found].slice(0, mostBlocks).map((block) => `${one.name} ${block}`);
}

/** The first consonants of a word, after its vowel if it begins with one. */
function soundOf(word: string): string {
  return `${/^[aeiou]/.test(word) ? word[0] : ''}${skeletonOf([word]).slice(0, 4)}`;
}
