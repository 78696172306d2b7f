/** Words of place names and addresses by their abbreviations, which rarely mean anything else in a place. */
const spelledOut: Readonly<Record<string, string>> = {
  sankt: 'saint',
  sanct: 'saint',
  mt: 'mount',
  ft: 'fort',
  pt: 'port',
  bldg: 'building',
  rd: 'road',
  ave: 'avenue',
  blvd: 'boulevard',
  sq: 'square',
  strasse: 'str',
  westf: 'westfalen',
};
/** Words between the name of a place and that of a river, mountain or town beside it. */
const besides = new Set('am an ad aan upon on sur s ob od in im bei near sous le la les der dem den'.split(' '));
/** Letters that stand for such words only in front of another abbreviation: Rothenburg o. d. T. */
const shortBesides = new Set('a o i b u d'.split(' '));

/**
 * The words of a place with its abbreviations spelled out, without the words that join it to a river or a town. `St` is a saint at
 * the beginning, and a street after another word.
 */
export function listPlaceWords(words: readonly string[]): string[] {
  const spelledWords = words.map((word, at) => {
    if (word === 'st') return at === 0 ? 'saint' : 'street';
    return spelledOut[word] ?? word.replace(/(?<=\p{L}{3})strasse$/u, 'str');
  });
  const [first = '', ...following] = spelledWords.flatMap((word) => splitInitials(word));
  const significant = following.filter(
    (word, at) => !besides.has(word) && !(shortBesides.has(word) && at < following.length - 1),
  );
  return significant.length > 0 || following.length === 0 ? [first, ...significant] : spelledWords;
}

/** `listWords` turns `o.d.T.` into `odt`, which is the same as `o d t`. */
function splitInitials(word: string): string[] {
  if (besides.has(word)) return [word];
  const [, wordInitials, last = ''] = /^([aoibu]d?)(\p{L})$/u.exec(word) ?? [];
  return wordInitials === undefined ? [word] : [...wordInitials.split(''), last];
}
