import {
  passesLuhn,
  findIbanLength,
  isBelgianNumber,
  isCodiceFiscale,
  isCpf,
  isDutchBsn,
  isFrenchNir,
  isGermanTaxId,
  isHetu,
  isIban,
  isNhsNumber,
  isPersonnummer,
  isPesel,
  isSpanishDni,
  isSsn,
  isSwissAhv,
} from './checks';
import { type PiiKind, piiKinds } from './kinds';
import { findPhoneNumber } from './phone';

/** A passage, in UTF-16 code units from the start of the text. */
export interface PiiMatch {
  kind: PiiKind;
  start: number;
  end: number;
}

/** How to search. */
export interface PiiSearch {
  kinds: readonly PiiKind[];
  /** The country, as two letters, whose national phone numbers count without a label. */
  phoneRegion?: string;
}

type Find = (text: string, search: PiiSearch) => Iterable<[number, number]>;

const finders: Readonly<Record<PiiKind, Find>> = {
  email: findEmails,
  iban: findIbans,
  credit_card: findCards,
  national_id: findNationalIds,
  phone: findPhones,
  ip_address: findIpAddresses,
  date_of_birth: findBirthDates,
};

/** The matches in order, none of which overlap. Linear time. */
export function findPii(text: string, search: PiiSearch): PiiMatch[] {
  const piiMatches: PiiMatch[] = [];
  for (const kind of Object.keys(piiKinds) as PiiKind[]) {
    if (!search.kinds.includes(kind)) continue;
    for (const [start, end] of finders[kind](text, search)) piiMatches.push({ kind, start, end });
  }
  const order = Object.keys(piiKinds);
  const sorted = piiMatches.toSorted((a, b) => a.start - b.start || order.indexOf(a.kind) - order.indexOf(b.kind));
  const accepted: PiiMatch[] = [];
  for (const match of sorted) {
    const last = accepted.at(-1);
    if (!last || match.start >= last.end) accepted.push(match);
    else if (order.indexOf(match.kind) < order.indexOf(last.kind)) accepted[accepted.length - 1] = match;
  }
  return accepted;
}

/** The matches of a pattern, which must have the flag g. */
function* findMatches(text: string, pattern: RegExp): Generator<{ match: string; start: number; end: number }> {
  for (const match of text.matchAll(pattern))
    yield { match: match[0], start: match.index, end: match.index + match[0].length };
}

const getDigits = (text: string) => text.replace(/\D/g, '');
/** True when the place is inside a longer number or word. */
function isInsideWord(text: string, start: number, end: number): boolean {
  return /[\p{L}\p{N}_]/u.test(text[start - 1] ?? ' ') || /[\p{L}\p{N}_]/u.test(text[end] ?? ' ');
}
/** True when the place belongs to a longer number with points, hyphens or slashes. */
function isInsideNumber(text: string, start: number, end: number): boolean {
  return /[\d][.\-/,]$/.test(text.slice(Math.max(0, start - 2), start)) || /^[.\-/,]\d/.test(text.slice(end, end + 2));
}

/** The longest part before @ and the longest address (RFC 5321). */
const [maxLocalPart, maxAddressLength] = [64, 254];

/** File names such as logo@2x.png do not count. */
function* findEmails(text: string): Generator<[number, number]> {
  const fileExtension = /\.(png|jpe?g|gif|svg|webp|css|js|json|xml|html?)$/i;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const before = /[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u.exec(
      text.slice(Math.max(0, at - maxLocalPart - 1), at),
    )?.[0];
    const after =
      /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24})(?![\p{L}\p{N}])/u.exec(
        text.slice(at + 1, at + 1 + maxAddressLength),
      )?.[0];
    if (before === undefined || after === undefined || before.length > maxLocalPart || fileExtension.test(after))
      continue;
    const local = before.replace(/^['`{|=/*]+/, '');
    if (local === '') continue;
    yield [at - local.length, at + 1 + after.length];
  }
}

function* findIbans(text: string): Generator<[number, number]> {
  for (const { start } of findMatches(text, /\b[A-Z]{2}\d{2}(?=[ \u00a0-]?[A-Z0-9])/g)) {
    const length = findIbanLength(text.slice(start, start + 2));
    if (length === undefined) continue;
    let end = start;
    let characters = '';
    for (; end < text.length && characters.length < length; end += 1) {
      const value = text[end] ?? '';
      if (/[A-Z0-9]/.test(value)) characters += value;
      else if (!/[ \u00a0-]/.test(value) || !/[A-Z0-9]/.test(text[end + 1] ?? '')) break;
    }
    if (isIban(characters) && !isInsideWord(text, start, end)) yield [start, end];
  }
}

/** Card numbers by prefix and length: Visa, Mastercard, American Express, Discover, Diners, JCB, UnionPay, Maestro. */
const issuedNumber =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[689]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15})$/;

function* findCards(text: string): Generator<[number, number]> {
  for (const { match, start, end } of findMatches(text, /\b\d(?:[ \u00a0.-]?\d){12,18}\b/g)) {
    const digits = getDigits(match);
    const isGrouped =
      !/[ \u00a0.-]/.test(match) ||
      /^\d{4}([ \u00a0.-])\d{4}\1\d{4}\1(?:\d{4}\1\d{1,3}|\d{1,7})$|^\d{4}([ \u00a0-])\d{6}\2\d{4,5}$/.test(match);
    if (!isGrouped || !issuedNumber.test(digits) || !passesLuhn(digits)) continue;
    if (!isInsideWord(text, start, end) && !isInsideNumber(text, start, end)) yield [start, end];
  }
}

/** The pattern of a number, its check, and the label it needs if the pattern alone is not specific enough. */
interface NationalId {
  pattern: RegExp;
  isValid: (plain: string) => boolean;
  label?: RegExp;
}

const nationalIds: readonly NationalId[] = [
  { pattern: /\b\d{3}-\d{2}-\d{4}\b/g, isValid: isSsn },
  { pattern: /\b\d{3} \d{2} \d{4}\b/g, isValid: isSsn, label: /\bSSN|social security/i },
  {
    pattern: /\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b/g,
    isValid: (id) => !/^(BG|GB|KN|NK|NT|TN|ZZ)/.test(id),
  },
  { pattern: /\b\d{3} ?\d{3} ?\d{4}\b/g, isValid: isNhsNumber, label: /NHS/i },
  { pattern: /\b[1-9]\d ?\d{3} ?\d{3} ?\d{3}\b/g, isValid: isGermanTaxId },
  { pattern: /\b[1-478] ?\d{2} ?\d{2} ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d{2}\b/g, isValid: isFrenchNir },
  { pattern: /\b(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]\b/g, isValid: isSpanishDni },
  { pattern: /\b[A-Z]{6}[0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]\b/g, isValid: isCodiceFiscale },
  { pattern: /\b\d{4}\.?\d{2}\.?\d{3}\b/g, isValid: isDutchBsn, label: /BSN|burgerservice|sofi/i },
  { pattern: /\b\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}\b/g, isValid: isBelgianNumber },
  { pattern: /\b\d{11}\b/g, isValid: isPesel, label: /PESEL/i },
  { pattern: /\b\d{3}\.\d{3}\.\d{3}-\d{2}\b/g, isValid: isCpf },
  { pattern: /\b756\.?\d{4}\.?\d{4}\.?\d{2}\b/g, isValid: isSwissAhv },
  { pattern: /\b\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]\b/g, isValid: isHetu },
  { pattern: /\b\d{6}[-+]\d{4}\b/g, isValid: isPersonnummer },
];
/** Characters before a number in which its label is looked for. */
const labelReach = 40;
/** Characters after a label in which a date of birth ends. */
const dateReach = 40;

function* findNationalIds(text: string): Generator<[number, number]> {
  for (const { pattern, isValid, label } of nationalIds)
    for (const { match, start, end } of findMatches(text, pattern)) {
      // Spaces and points group digits; the separator of a Finnish code encodes the century.
      const plain = pattern.source.includes('[-+A-F') ? match : match.replace(/[ .\-+]/g, '');
      if (!isValid(plain) || isInsideWord(text, start, end) || isInsideNumber(text, start, end)) continue;
      if (label && !label.test(text.slice(Math.max(0, start - labelReach), start))) continue;
      yield [start, end];
    }
}

const phoneLabel =
  /(?:\b(?:tel(?:ephone|efon|éfono|efono|\.)?|phone|mobile?|cell(?=\s?(?:phone|:|no|is))|fax|call(?=\s(?:us|me|at|on|now on))|handy|mobil|ruf(?:nummer|en)?|tél(?:éphone)?\.?|portable|móvil|cellulare|telefoon|gsm|whatsapp)\b\.?\s?(?:number|no|nr|num(?:mer|éro)?|n°|at|us|me|is)?[\s:.)–-]{0,4})$/iu;
/** Labels with words between them and the number, as in “telephone of the patient: ” and “reach me in the evening on ”. */
const looseLabels = [
  /(?:\btel(?:ephone|efon|\.)|phone\b|\bfax\b|\bhandy|\bmobil(?:e|nummer|telefon)?\b|\bruf(?:nummer|\snummer)|\bdurchwahl|\btél(?:éphone)?\b|\btel\.?-?nr)[^\d!?\n]{0,30}$/iu,
  /\b(?:erreich(?:en|bar)|ruf(?:en|t)?|anruf(?:en)?|anzurufen|meld(?:en|et)?)\b[^\d.!?\n]{0,40}\b(?:unter|zurück)[\s:]{1,3}$/iu,
  /\b(?:appel|joign|joindre|contact|rappel)[^\d.!?\n]{0,40}\bau[\s:]{1,3}$/iu,
  /\b(?:[Cc]all|[Rr]each|[Rr]ing|[Tt]ext|[Cc]ontact)\s(?:me|us|him|her|them|the\s\p{L}+|\p{Lu}\p{L}+)\b[^\d.!?\n]{0,40}\b(?:on|at)[\s:]{1,3}$/u,
  /\ba ring on[\s:]{1,3}$/iu,
  /\bcall\s(?=$)/iu,
];
/** Words after which the number is another one, in spite of a label before them. */
const otherNumber =
  /model|seri|imei|\bpin\b|\bpuk\b|code|order|bestell|artikel|article|art\.|ref|rechnung|invoice|facture|commande|preis|price|prix|version|ticket|case|fall|konto|account|compte|\bid\b/iu;
const beginsWithDate = /^(?:\d{1,2}([./-])\d{1,2}\1(?:19|20)\d\d|(?:19|20)\d\d([./-])\d{1,2}\2\d{1,2})(?!\d)/;
/** Characters before a number in which its loose label is looked for. */
const looseReach = 80;

function isPhoneLabelled(text: string, start: number, candidate: string): boolean {
  if (phoneLabel.test(text.slice(Math.max(0, start - labelReach), start))) return true;
  // Counted things and parts of other numbers are shorter, or do not begin like a number to dial.
  const isDialled = candidate.replace(/\D/g, '').length >= 8 && /^(?:0|\(\d|\d{3}[-.]\d{3}[-.]\d{4})/.test(candidate);
  const before = text.slice(Math.max(0, start - looseReach), start);
  if (!isDialled || beginsWithDate.test(candidate)) return false;
  return looseLabels.some((label) => {
    const found = label.exec(before)?.[0];
    return found !== undefined && !otherNumber.test(found);
  });
}

function* findPhones(text: string, { phoneRegion }: PiiSearch): Generator<[number, number]> {
  for (const { match, start } of findMatches(text, /(?<![\p{L}\p{N}_.+-])(?:\+|\(|00)?\d[\d \u00a0().\-/]{5,22}\d/gu)) {
    const isLabelled = isPhoneLabelled(text, start, match);
    const length = findPhoneNumber(match, { region: phoneRegion, isLabelled });
    if (length === undefined || isInsideWord(text, start, start + length)) continue;
    yield [start, start + length];
  }
}

function* findIpAddresses(text: string): Generator<[number, number]> {
  for (const { match, start, end } of findMatches(text, /\b(?:\d{1,3}\.){3}\d{1,3}\b/g)) {
    const parts = match.split('.');
    const isValid = parts.every((part) => Number(part) <= 255 && String(Number(part)) === part);
    const isReserved = /^(0|127)\.|^255\.255\.255\./.test(match);
    // Versions and sections look the same.
    const before = text.slice(Math.max(0, start - 12), start);
    const isVersion =
      /(?:\bv|version|release|build|section|chapter|figure|fig|table|rule|clause|kapitel|abschnitt|abbildung|abb|tabelle|§)[\s:.]*$/i.test(
        before,
      );
    if (isValid && !isReserved && !isVersion && !isInsideWord(text, start, end) && !isInsideNumber(text, start, end))
      yield [start, end];
  }
  for (const { match, start, end } of findMatches(text, /(?<![\p{L}\p{N}:.])[0-9a-f:]{6,45}(?![\p{L}\p{N}:])/giu))
    if (isIpv6(match) && match !== '::1') yield [start, end];
}

/** RFC 4291 without embedded IPv4 addresses. A group of three digits or more distinguishes addresses from ratios and times. */
function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2 || !/\d/.test(text) || !/[0-9a-f]{3}/i.test(text)) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? groups.length >= 2 && groups.length < 8 : groups.length === 8;
}

const birthLabel =
  /(?:\bdate of birth|\bbirth ?date|\bd\.?o\.?b\b\.?|\bborn(?: on)?|\bgeb(?:\.(?:-datum)?|oren(?: am)?)|\bgeburts(?:datum|tag)|\bbirthday|\bnaissance|\(\s?\*|\b(?:born in|geboren (?:in|zu)|née? (?:à|en))\s\p{Lu}[\p{L}' -]{1,30}?\s(?=(?:on|am|le)\s)|\bnée?\(?e?\)?(?: le)?|\bdate de naissance|\bfecha de nacimiento|\bnacid[oa] el|\bdata di nascita|\bnat[oa] il|\bgeboorte ?datum|\bdata de nascimento|\bnascid[oa] em)(?:\s?\([dmyjta./ -]{6,12}\))?[\s:,(=–-]{0,4}(?:(?:on|am|le|el|il|op|em|the)\s)?/giu;
const months =
  'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|maart|mei|fev|out';
const date = new RegExp(
  `^(?:\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}\\s?[./-]\\s?\\d{1,2}\\s?[./-]\\s?(?:\\d{4}|\\d{2})|\\d{1,2}(?:st|nd|rd|th|er|º)?\\.?\\s(?:de\\s)?(?:${months})\\p{L}*\\.?,?\\s(?:de\\s)?\\d{4}|(?:${months})\\p{L}*\\.?\\s\\d{1,2}(?:st|nd|rd|th)?,?\\s\\d{4})(?![\\p{L}\\p{N}])`,
  'iu',
);

function* findBirthDates(text: string): Generator<[number, number]> {
  for (const { end } of findMatches(text, birthLabel)) {
    const match = date.exec(text.slice(end, end + dateReach))?.[0];
    if (match !== undefined) yield [end, end + match.length];
  }
}
