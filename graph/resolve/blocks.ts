import type { Attributes } from '../core/value';
import type { TemplateClass } from '../template/model';
import { findNames, listScalars } from './compare';
import { findEntityKind, isStrongKey } from './entity-kind';
import { findAcronym, toCodeText, splitCoreWords, selectSignificantWords, toSkeleton, listWords } from './name-words';

const maxBlocks = 16;

/**
 * Keys under which a node meets the nodes that it is compared with: only nodes of one class that share a key are. They are parts
 * of its names and its key values. Empty for classes whose identity means nothing outside of a document.
 */
export function splitBlocks(templateClass: TemplateClass, attributes: Attributes): string[] {
  if (templateClass.isDocumentScoped) return [];
  const kind = findEntityKind(templateClass);
  const blocks = new Set<string>();
  for (const [property, value] of Object.entries(attributes))
    if (isStrongKey(property))
      for (const text of listScalars(value)) blocks.add(`k ${property} ${listWords(text).join(' ')}`.slice(0, 120));
  for (const name of findNames(templateClass, attributes)) {
    const words = listWords(name);
    if (kind === 'code') {
      const digits = toCodeText(name).replace(/\D+/g, '');
      if (digits.length >= 2) blocks.add(`d ${digits.slice(0, 60)}`);
      continue;
    }
    const { core } = kind === 'organisation' ? splitCoreWords(words) : { core: words };
    const significant = selectSignificantWords(core);
    blocks.add(`s ${toSkeleton(significant).slice(0, 60)}`);
    for (const word of significant) if (word.length >= 3) blocks.add(`w ${computeSound(word)}`);
    const acronym = findAcronym(core);
    if (acronym !== undefined && acronym.length <= 6) blocks.add(`a ${acronym}`);
    const [only = ''] = significant;
    if (significant.length === 1 && only.length <= 6) blocks.add(`a ${only}`);
    // Products often have distinctive numbers in their names.
    for (const number of core.join(' ').match(/\d{3,}/g) ?? []) blocks.add(`n ${number.slice(0, 40)}`);
  }
  return [...blocks].slice(0, maxBlocks).map((block) => `${templateClass.name} ${block}`);
}

/** The first consonants of a word, after its vowel if it begins with one. */
function computeSound(word: string): string {
  return `${/^[aeiou]/.test(word) ? word[0] : ''}${toSkeleton([word]).slice(0, 4)}`;
}
