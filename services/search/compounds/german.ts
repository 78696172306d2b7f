import { germanParts } from './german-parts';

/** The shortest word that is split. */
const minWord = 7;
/** The longest word that is split; longer ones are no words. */
export const maxWord = 45;
/** Letters of a short part, which counts only beside a longer one, and the least letters of a longer one. */
const [minShort, minLong] = [3, 4];
/** The least letters of a noun, and of several, before which a part may stand that is not in the list. */
const [minHead, minHeads] = [5, 8];
/** The least letters of a noun made of a verb. */
const minVerbalNoun = 8;
/** Letters between two parts: Arbeit|s|amt, Sonne|n|schein. */
const links = ['', 's', 'es', 'n', 'en', 'er', 'e'];
/** Endings of the last part, by case and number, and of women. */
const inflections = ['', 's', 'es', 'n', 'en', 'er', 'ern', 'e', 'in', 'innen', 'se', 'ses', 'sen'];
/** Nouns of these endings have an s behind them only inside of a compound. */
const linkedNoun = /^(.{3,}(?:ung|heit|keit|schaft|ion|tat|ling|tum)s)(.+)$/;
/** A noun made of a verb with a prefix. The list lacks most of them. */
const verbalNoun =
  /^(?:ab|an|auf|aus|be|bei|durch|ein|ent|er|her|hervor|hin|mit|nach|neu|um|unter|uber|ver|vor|weiter|wieder|zer|zu|zuruck|zusammen)[a-zß]{3,}ung(?:en)?$/;
/** Nouns that other words end with: statistisch, spezifisch, angegebene, Parameter. */
const commonEndings = new Set(
  'achse acker aktion alter anden besen blick blind ebene eisen engel enkel ernte essen fabel fisch flach fasse gabel gramm heide hutte igel innen kabel laser laune lehne leber licht liege linde linge lunge maler meter mission motiv nation natur niere orden osten rache raster rasen rasse rauch reifen reisen reiter rente ruder rucken same schied stand stark stell stern tante tanz teller these tiger tisch treue wachs weise wesen wiese zeuge zunge'.split(
    ' ',
  ),
);
/** What stands before a noun without making a compound of it. */
const prefixes =
  /^(?:ab|an|auf|aus|be|bei|da|dar|durch|ein|ent|er|fort|ge|gegen|her|hin|hinter|in|miss|mit|nach|nieder|ober|uber|um|un|unter|ur|ver|voll|vor|wider|wieder|zer|zu|zuruck|zusammen)+$/;
/** Prefixes of nouns that the list has without them: Zeilen|umbruch, Finger|abdruck. */
const nounPrefix = /^(?:ab|an|auf|aus|ein|nach|ruck|uber|um|unter|ver|vor|zu|zwischen)/;
const vowel = /[aeiouy]/;

/** Small letters without umlauts, so that Häuser begins with Haus; as many as before. */
function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[äöü]/g, (letter) => ({ ä: 'a', ö: 'o', ü: 'u' })[letter] ?? letter);
}

const spell = (words: readonly string[]): string[] =>
  words.map(fold).flatMap((word) => (word.includes('ß') ? [word, word.replaceAll('ß', 'ss')] : [word]));

const nouns = new Set(spell(germanParts.nouns));
const short = new Set(spell(germanParts.short));
const endings = new Set(spell(germanParts.endings));
/** Without a link: also nouns that lose their e, as Schule does in Schulbuch. */
const beginnings = new Set([
  ...spell(germanParts.beginnings),
  ...[...nouns].filter((word) => word.length >= minHead && /[^i]e$/.test(word)).map((word) => word.slice(0, -1)),
]);
const longest = Math.max(...[...nouns, ...beginnings, ...endings].map((word) => word.length)) + minShort;

/** A way to read a word, or its end. */
interface Reading {
  /** Where its parts end; the last one is the end of the word. */
  ends: readonly number[];
  /** The number of parts of three letters. */
  short: number;
}

/** The parts of a German compound, each with the letters that link it to the next one; the word alone if it is no compound. */
export function splitCompound(word: string): string[] {
  if (word.length < minWord || word.length > maxWord || !/^[a-zäöüß]+$/i.test(word)) return [word];
  const ends = findEnds(fold(word), /^[A-ZÄÖÜ]/.test(word));
  return ends.map((end, at) => word.slice(ends[at - 1] ?? 0, end));
}

function findEnds(word: string, isNoun = true): readonly number[] {
  const read = createReader(word);
  return (
    read(0)?.ends ??
    splitAfterSuffix(word) ??
    splitBeforeVerbalNoun(word) ??
    (isNoun ? splitBeforeNoun(word, read) : undefined) ?? [word.length]
  );
}

/** Reads the word from a place on: with the fewest parts, all of them in the list, at most one of them short. */
function createReader(word: string): (start: number) => Reading | undefined {
  const known = new Map<number, Reading | undefined>();
  const read = (start: number): Reading | undefined => {
    if (known.has(start)) return known.get(start);
    let best = readLast(word, start);
    const last = Math.min(word.length - minShort, start + longest);
    for (let end = start + minShort; best?.ends.length !== 1 && end <= last; end++) {
      const first = readBeginning(word.slice(start, end));
      const rest = first === undefined ? undefined : read(end);
      if (!rest || (first === 'short' && rest.short > 0)) continue;
      const reading = { ends: [end, ...rest.ends], short: rest.short + (first === 'short' ? 1 : 0) };
      if (!best || isBetter(reading, best)) best = reading;
    }
    known.set(start, best);
    return best;
  };
  return read;
}

const isBetter = (one: Reading, other: Reading) =>
  one.ends.length < other.ends.length || (one.ends.length === other.ends.length && one.short <= other.short);

/** The text without each of the ends that it has. */
function cutEnds(text: string, ends: readonly string[]): string[] {
  return ends.filter((end) => text.endsWith(end)).map((end) => text.slice(0, text.length - end.length));
}

/** A part in front of another one, with its link. */
function readBeginning(text: string): 'long' | 'short' | undefined {
  if (beginnings.has(text)) return text.length >= minLong ? 'long' : 'short';
  const nounsBefore = cutEnds(text, links);
  if (nounsBefore.some((noun) => nouns.has(noun) && noun.length >= minLong)) return 'long';
  // Zuge is no part of zugewiesen.
  return nounsBefore.some((noun) => short.has(noun) && /^e?s?$/.test(text.slice(noun.length)) && text !== `${noun}e`)
    ? 'short'
    : undefined;
}

/** The last part, in any form. */
function readLast(word: string, at: number): Reading | undefined {
  const text = word.slice(at);
  const stems = cutEnds(text, inflections);
  if (stems.some((stem) => (nouns.has(stem) && stem.length >= minLong) || (at > 0 && isAfterPart(stem))))
    return { ends: [word.length], short: 0 };
  return stems.some((stem) => short.has(stem)) ? { ends: [word.length], short: 1 } : undefined;
}

function isAfterPart(stem: string): boolean {
  if (endings.has(stem)) return true;
  const noun = stem.replace(nounPrefix, '');
  return noun.length >= minLong && noun !== stem && nouns.has(noun);
}

/** Versicherungs|nehmer: the s tells where an abstract noun ends, whatever follows. */
function splitAfterSuffix(word: string): readonly number[] | undefined {
  const [, first, rest] = linkedNoun.exec(word) ?? [];
  if (first === undefined || rest === undefined || rest.length < minLong || !vowel.test(rest)) return undefined;
  const before = findEnds(first.slice(0, -1)).slice(0, -1);
  return [...before, first.length, ...findEnds(rest).map((end) => first.length + end)];
}

/** Wasser|erwärmung: a noun of the list before one made of a verb. */
function splitBeforeVerbalNoun(word: string): readonly number[] | undefined {
  for (let end = minLong; end <= word.length - minVerbalNoun; end++) {
    const first = word.slice(0, end);
    if (!beginnings.has(first) && readBeginning(first) === 'long' && verbalNoun.test(word.slice(end)))
      return [end, word.length];
  }
  return undefined;
}

/** Pegel|messung: an unknown part before nouns of the list, the longest ones first. */
function splitBeforeNoun(word: string, read: (start: number) => Reading | undefined): readonly number[] | undefined {
  for (let end = minLong; end <= word.length - minHead; end++) {
    const first = word.slice(0, end);
    if (!vowel.test(first) || prefixes.test(first)) continue;
    const rest = read(end);
    if (!rest || short.has(word.slice(end, rest.ends[0]))) continue;
    if (rest.ends.length > 1 ? word.length - end >= minHeads : isHead(word.slice(end))) return [end, ...rest.ends];
  }
  return undefined;
}

function isHead(text: string): boolean {
  const stems = cutEnds(text, inflections);
  return (
    stems.some((stem) => stem.length >= minHead && nouns.has(stem)) && !stems.some((stem) => commonEndings.has(stem))
  );
}
