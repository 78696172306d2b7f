/** Words that say little about the subject of a question, by language. Only words that a question of that language is full of. */
const functionWords: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    en: 'a an the and or of in on to for from by with at as is are was were be been being it its this that these those which what who whom whose how why when where do does did done has have had can could may might must shall should will would not no i you he she we they them their there any some such than then so if into about between through during upon also our your my me us it’s',
    de: 'der die das den dem des ein eine einen einem einer eines und oder von vom im in zu zum zur für mit auf an am als ist sind war waren wird werden wurde wurden sein seine seinen es dies diese dieser dieses diesem diesen dass was wer wie warum wann wo welche welcher welches hat haben hatte kann können muss müssen soll sollen nicht kein keine ich du er sie wir ihr man sich auch nur noch nach bei aus über unter durch wenn um bis oder aber bzw',
    fr: 'le la les l un une des du de d et ou à au aux en dans sur sous pour par avec sans est sont était étaient être été ce cet cette ces c cela ça qui que qu quoi quel quelle quels quelles comment pourquoi quand où a ont avait avoir peut peuvent doit doivent ne n pas plus je j tu il elle nous vous ils elles on se s son sa ses leur leurs y si comme lors entre aussi',
    es: 'el la los las un una unos unas y o de del en a al para por con sin es son era eran ser sido este esta estos estas esto ese esa que qué quien quién cual cuál cómo como cuándo cuando dónde donde ha han había haber puede pueden debe no se su sus lo le les yo él ella nosotros ellos si más entre sobre también',
    it: 'il lo la i gli le l un uno una e o di del dello della dei degli delle d in nel nella nei a al alla ai alle da dal dalla per con su sul sulla è sono era erano essere stato questo questa questi queste che chi quale quali come perché quando dove ha hanno può possono deve non si suo sua suoi loro se più tra anche',
  }).map(([language, words]) => [language, new Set(words.split(' '))]),
);
/** The least number of function words, and of other words, in a question whose language is recognized. */
const minWords = 2;
const word = /[\p{L}\p{M}\p{N}_]+/gu;

/**
 * The language of a question: by at least two function words, more than of any other language, beside at least two other
 * words. Undefined for a title of two words, and for words of two languages alike.
 */
export function detectQuestionLanguage(question: string): string | undefined {
  const words = question.toLowerCase().match(word) ?? [];
  const counts = Object.entries(functionWords)
    .map(([language, known]) => ({ language, count: words.filter((item) => known.has(item)).length }))
    .toSorted((a, b) => b.count - a.count);
  const [first, second] = counts;
  if (!first || first.count < minWords || first.count === second?.count) return undefined;
  return words.length - first.count < minWords ? undefined : first.language;
}

/**
 * The question without the function words of its language. In texts of other languages they are rare, so they would
 * count more than the words that matter. A question whose language is unknown stays as it is, and so do abbreviations such as
 * WHO and IT in a question that also has small letters.
 */
export function dropFunctionWords(question: string, language = detectQuestionLanguage(question)): string {
  const known = functionWords[language ?? ''];
  if (!known) return question;
  const hasSmallLetters = question !== question.toUpperCase();
  const isAbbreviation = (item: string) => hasSmallLetters && item.length > 1 && item === item.toUpperCase();
  return question.replaceAll(word, (item) => (known.has(item.toLowerCase()) && !isAbbreviation(item) ? ' ' : item));
}
