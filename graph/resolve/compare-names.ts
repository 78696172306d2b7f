import { pairThresholds, type PairReasonCode } from '../../model/graph/pairs';
import type { EntityKind } from './entity-kind';
import {
  findAcronym,
  haveLookAlikes,
  listDigitGroups,
  toCodeText,
  splitCoreWords,
  foldSpelling,
  selectSignificantWords,
  compareSpelling,
  listWords,
} from './name-words';
import { comparePersons } from './person-names';
import { listPlaceWords } from './place-names';

/**
 * How likely names mean one thing when this is what they share, or what tells them apart. `pairThresholds` says from which score the
 * rules decide alone, and below which a pair is not a candidate.
 */
const scores = {
  sameName: 0.95,
  sameNumber: 0.93,
  sameWords: 0.9,
  similarLongWords: 0.82,
  /** The same significant words in another order, with another number of insignificant ones. */
  reorderedWords: 0.8,
  abbreviation: 0.78,
  otherWordBreaks: 0.7,
  acronym: 0.65,
  oneLetterAbbreviation: 0.62,
  similarShortWords: 0.62,
  /** People decide about names with letters that imitate those of another one. */
  lookAlikeLetters: 0.6,
  otherDigitGroups: 0.6,
  /** The same digits, once with letters around them. */
  sameDigits: 0.6,
  lessSimilarWords: 0.6,
  partOfName: 0.58,
  /** The most for organisations with different legal forms, and for products where one name has a number more. */
  otherLegalForm: 0.55,
  missingNumbers: 0.5,
  fewerNumbers: 0.45,
  otherNumbersOfOrganisations: 0.15,
  otherNumbers: 0.1,
  otherName: 0.1,
  unrelated: 0,
} as const;

/** How likely two names mean one thing of this kind, from 0 to 1, and why. */
export function compareNames(kind: EntityKind, value: string, other: string): [number, PairReasonCode] {
  const [score, reason] = compareByKind(kind, value, other);
  const isImitated = score >= pairThresholds.possible && haveLookAlikes(value, other);
  return isImitated ? [scores.lookAlikeLetters, 'look_alike_letters'] : [score, reason];
}

function compareByKind(kind: EntityKind, value: string, other: string): [number, PairReasonCode] {
  if (kind === 'person') return comparePersons(value, other);
  if (kind === 'code') return compareCodes(value, other);
  const [left, right] = [listWords(value), listWords(other)];
  if (kind === 'organisation') return compareOrganisations(left, right);
  if (kind === 'product') return compareProducts(left, right);
  if (haveDifferentNumbers(left, right)) return [scores.otherNumbers, 'other_numbers'];
  return kind === 'place' ? comparePlaces(left, right) : compareWords(left, right);
}

// Frankfurt a. M., Frankfurt/Main and Frankfurt am Main are one town.
function comparePlaces(left: readonly string[], right: readonly string[]): [number, PairReasonCode] {
  const [one, other] = [listPlaceWords(left), listPlaceWords(right)];
  const comparison = compareWords(one, other);
  const haveSameStart = one[0] === other[0] && one.length === 2 && other.length === 2;
  const [short = '', long = ''] = [one[1], other[1]].toSorted((a = '', b = '') => a.length - b.length);
  if (haveSameStart && short.length === 1 && long.startsWith(short) && comparison[0] < scores.oneLetterAbbreviation)
    return [scores.oneLetterAbbreviation, 'abbreviation'];
  return comparison;
}

function compareOrganisations(left: readonly string[], right: readonly string[]): [number, PairReasonCode] {
  const [one, other] = [splitCoreWords(left), splitCoreWords(right)];
  if (haveDifferentNumbers(one.core, other.core)) return [scores.otherNumbersOfOrganisations, 'other_numbers'];
  const [score, reason] = compareWords(one.core, other.core);
  const isOtherForm = one.forms.length > 0 && other.forms.length > 0 && one.forms.join() !== other.forms.join();
  // A name without its legal form may be that of several companies.
  if (!isOtherForm) return [score - (one.forms.length === other.forms.length ? 0 : 0.08), reason];
  return [Math.min(score, scores.otherLegalForm) * (score >= scores.sameWords ? 1 : 0.6), 'other_legal_form'];
}

// RTX 3080 and RTX3080 are one model; RTX 3080 and RTX 3090 are two.
function compareProducts(left: readonly string[], right: readonly string[]): [number, PairReasonCode] {
  if (left.join('') === right.join('')) return [scores.sameName, 'same_name'];
  const [one, other] = [findNumbers(left), findNumbers(right)];
  if (one.length > 0 && other.length > 0 && one.join() !== other.join()) {
    const isSubset = one.every((number) => other.includes(number)) || other.every((number) => one.includes(number));
    return [isSubset ? scores.fewerNumbers : scores.otherNumbers, 'other_numbers'];
  }
  const [score, reason] = compareWords(left, right);
  if (one.join() === other.join()) return [score, reason];
  return [Math.min(score, scores.missingNumbers), 'other_numbers'];
}

const findNumbers = (words: readonly string[]) =>
  (words.join(' ').match(/\d+/g) ?? []).map(Number).sort((a, b) => a - b);

function haveDifferentNumbers(left: readonly string[], right: readonly string[]): boolean {
  return findNumbers(left).join() !== findNumbers(right).join();
}

function compareCodes(value: string, other: string): [number, PairReasonCode] {
  const [left, right] = [toCodeText(value), toCodeText(other)];
  const [groups, otherGroups] = [listDigitGroups(value), listDigitGroups(other)];
  // A-1-11 and A-11-1 are two numbers; A111 may be either.
  const isOtherwiseGrouped = groups.length > 1 && otherGroups.length > 1 && groups.join() !== otherGroups.join();
  if (left === right) return [isOtherwiseGrouped ? scores.otherDigitGroups : scores.sameNumber, 'same_number'];
  const getDigits = (text: string) => text.replace(/\D+/g, '');
  const isOneBare = /^\d+$/.test(left) !== /^\d+$/.test(right);
  if (getDigits(left) === getDigits(right) && getDigits(left).length >= 5 && isOneBare)
    return [scores.sameDigits, 'same_number'];
  return [scores.unrelated, 'other_numbers'];
}

/** The best of: the same words, an acronym, abbreviated words, a part of the name, a similar spelling. */
function compareWords(left: readonly string[], right: readonly string[]): [number, PairReasonCode] {
  const [one, other] = [selectSignificantWords(left), selectSignificantWords(right)];
  if (one.length === 0 || other.length === 0) return [scores.unrelated, 'other_name'];
  if (foldSpelling(left) === foldSpelling(right)) return [scores.sameName, 'same_name'];
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (foldSpelling(short) === foldSpelling(long)) return [scores.sameWords, 'same_words'];
  // Bank of China is not China Bank: the words that were left out matter in another order.
  if (foldSpelling(short.toSorted()) === foldSpelling(long.toSorted()))
    return [left.length === right.length ? scores.sameWords : scores.reorderedWords, 'same_words'];
  if (short.join('') === long.join('')) return [scores.sameWords, 'same_words'];
  const findings: [number, PairReasonCode][] = [[scores.otherName, 'other_name']];
  if (isAcronym(short, long)) findings.push([scores.acronym, 'acronym']);
  if (short.length === long.length && areAbbreviations(short, long)) {
    const hasOneLetter = [...short, ...long].some(({ length }) => length === 1);
    findings.push([hasOneLetter ? scores.oneLetterAbbreviation : scores.abbreviation, 'abbreviation']);
  }
  if (isPart(short, long)) findings.push([scores.partOfName, 'part_of_name']);
  const spelling = computeSimilarSpelling(short, long);
  if (spelling > 0) findings.push([spelling, 'similar_spelling']);
  return findings.reduce((best, next) => (next[0] > best[0] ? next : best));
}

function isAcronym(short: readonly string[], long: readonly string[]): boolean {
  const [word = ''] = short;
  return short.length === 1 && word.length >= 2 && word.length <= 6 && findAcronym(long) === word;
}

// Intl for International, Mfg for Manufacturing, St for Saint: the letters of the short word are in the long one, in order.
function areAbbreviations(short: readonly string[], long: readonly string[]): boolean {
  let abbreviated = 0;
  const isMatched = short.every((word, index) => {
    const other = long[index] ?? '';
    if (word === other) return true;
    const [brief, full] = word.length < other.length ? [word, other] : [other, word];
    const isAbbreviation = brief.length <= 5 && brief[0] === full[0] && isWithin(brief, full);
    if (isAbbreviation) abbreviated += 1;
    return isAbbreviation;
  });
  return isMatched && abbreviated < Math.max(short.length, 2);
}

function isWithin(brief: string, full: string): boolean {
  let matched = 0;
  for (const letter of full) if (letter === brief[matched]) matched += 1;
  return matched === brief.length && full.length >= brief.length + 2;
}

function isPart(short: readonly string[], long: readonly string[]): boolean {
  const longWords = new Set(long);
  return (
    short.length < long.length && short.every((word) => longWords.has(word)) && short.some((word) => word.length >= 4)
  );
}

/** Letters from which one misspelled letter hardly makes another name. */
const minLongName = 8;

/** Every word must be spelled alike: two names that share long words and differ in one short word are two names. */
function computeSimilarSpelling(short: readonly string[], long: readonly string[]): number {
  const joined = compareSpelling(short.join(' '), long.join(' '));
  const isLong = short.join('').length >= minLongName;
  if (short.length !== long.length) return joined >= 0.9 && isLong ? scores.otherWordBreaks : 0;
  const worst = Math.min(...short.map((word, index) => compareSpelling(word, long[index] ?? '')));
  if (worst < 0.7) return 0;
  if (joined >= 0.9) return isLong ? scores.similarLongWords : scores.similarShortWords;
  return joined >= 0.8 ? scores.lessSimilarWords : 0;
}
