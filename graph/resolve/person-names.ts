import type { PairReasonCode } from '../../model/graph/pairs';
import { foldSpelling, toSkeleton, compareSpelling, listWords } from './name-words';

const titles = new Set(
  'mr mrs ms miss mx dr prof professor sir dame herr frau mme mlle phd md dipl ing mag'.split(' '),
);
const generations: Readonly<Record<string, string>> = { jr: 'jr', junior: 'jr', sr: 'sr', senior: 'sr', ii: 'ii', iii: 'iii', iv: 'iv' }; // prettier-ignore

interface PersonName {
  given: string[];
  last: string;
  generation?: string;
}

// Short forms of common given names; each list is one name.
const nicknames = [
  'robert rob bob bobby',
  'william will bill billy liam',
  'james jim jimmy jamie',
  'john jack johnny',
  'richard rick dick',
  'michael mike mick',
  'elizabeth liz beth betty eliza lisa',
  'margaret maggie meg peggy greta',
  'katherine catherine kate katie kathy',
  'thomas tom tommy',
  'edward ed eddie ted',
  'alexander alex sandy',
  'alexandra alex sandra',
  'andrew andy drew',
  'anthony tony',
  'benjamin ben',
  'charles charlie chuck',
  'christopher chris',
  'christina chris tina',
  'daniel dan danny',
  'david dave',
  'deborah deb debbie',
  'francis frank',
  'frederick fred',
  'gregory greg',
  'jennifer jen jenny',
  'johannes hans johann',
  'joseph joe',
  'matthew matt',
  'nicholas nick',
  'patricia pat trish',
  'patrick pat',
  'peter pete',
  'philip phil',
  'rebecca becky',
  'samuel sam',
  'stephen steven steve',
  'susan sue susie',
  'timothy tim',
  'victoria vicky',
].map((names) => new Set(names.split(' ')));

function buildPersonName(name: string): PersonName {
  const [before = '', after] = name.split(',', 2);
  const isReversed =
    after !== undefined && listWords(after).every((word) => !(word in generations) && !titles.has(word));
  const words = listWords(spaceInitials(isReversed ? `${after} ${before}` : name)).filter((word) => !titles.has(word));
  const generation = words.length > 2 ? generations[words.at(-1) ?? ''] : undefined;
  const nameWords = generation === undefined ? words : words.slice(0, -1);
  return {
    given: nameWords.slice(0, -1),
    last: nameWords.at(-1) ?? '',
    ...(generation === undefined ? {} : { generation }),
  };
}

// Of J.R. Smith, the first letters are two names.
function spaceInitials(name: string): string {
  return name.replace(/^\s*(?:\p{Lu}\.){2,}/u, (initials) => `${initials.replaceAll('.', '. ')} `);
}

/** Names of Chinese, Japanese and Korean characters are written with a space or without. */
const eastAsian = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\s]+$/u;

/** How likely two names of persons mean one, from 0 to 1, and why. */
export function comparePersons(value: string, other: string): [number, PairReasonCode] {
  const [left, right] = [buildPersonName(value), buildPersonName(other)];
  const isSpacedOnly = eastAsian.test(value) && listWords(value).join('') === listWords(other).join('');
  if (isSpacedOnly) return [0.95, 'same_name'];
  if (left.generation !== right.generation && left.generation !== undefined && right.generation !== undefined)
    return [0.15, 'other_name'];
  const certain = left.generation === right.generation ? 0 : -0.25;
  if (foldSpelling([left.last]) !== foldSpelling([right.last])) return scoreMisspelling(left, right);
  const [score, reason] = compareGiven(left.given, right.given);
  return [Math.max(0, score + certain), reason];
}

function compareGiven(left: readonly string[], right: readonly string[]): [number, PairReasonCode] {
  if (foldSpelling(left) === foldSpelling(right)) return [0.95, 'same_name'];
  const [one, other] = [left[0], right[0]];
  if (one === undefined || other === undefined) return [0.5, 'part_of_name'];
  const middle = areCompatible(left.slice(1), right.slice(1));
  if (foldSpelling([one]) === foldSpelling([other])) return middle ? [0.87, 'part_of_name'] : [0.35, 'other_name'];
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length === 1) return long.startsWith(short) && middle ? [0.72, 'initials'] : [0.1, 'other_name'];
  if (nicknames.some((names) => names.has(one) && names.has(other))) return [middle ? 0.78 : 0.3, 'nickname'];
  const spelling = compareSpelling(one, other);
  if (spelling >= 0.75 && one[0] === other[0] && middle) return [spelling >= 0.85 ? 0.75 : 0.6, 'similar_spelling'];
  const computeSound = (name: string) => toSkeleton([name.replace('ph', 'v')]);
  if (computeSound(one) === computeSound(other) && one[0] === other[0] && middle) return [0.6, 'similar_spelling'];
  return [0.1, 'other_name'];
}

/** True if one list may be a shorter form of the other: missing names and initials are compatible. */
function areCompatible(left: readonly string[], right: readonly string[]): boolean {
  return left.every((word, at) => {
    const other = right[at];
    return other === undefined || word.startsWith(other) || other.startsWith(word);
  });
}

function scoreMisspelling(left: PersonName, right: PersonName): [number, PairReasonCode] {
  const isTurned = foldSpelling([...left.given, left.last]) === foldSpelling([right.last, ...right.given]);
  if (isTurned) return [0.85, 'same_words'];
  const spelling = compareSpelling(left.last, right.last);
  const [givenNames] = compareGiven(left.given, right.given);
  const isLikely = spelling >= 0.8 && left.last[0] === right.last[0] && left.last.length > 4;
  if (isLikely && givenNames >= 0.85) return [0.7, 'similar_spelling'];
  if (isLikely && givenNames >= 0.7) return [0.5, 'similar_spelling'];
  return [0.1, 'other_name'];
}
