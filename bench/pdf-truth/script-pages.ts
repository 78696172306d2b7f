import { longWord, paragraph, title } from '../support/prose';
import type { Random } from '../support/random';
import { type MadePage, Page } from './html-pages';
import type { TruthCell } from './truth';

/** Pages with right-to-left or letter-spaced text. */
export const scriptKinds: Record<string, (random: Random) => MadePage> = {
  arabic: (random) => createRightToLeftPage(random, 'arabic'),
  hebrew: (random) => createRightToLeftPage(random, 'hebrew'),
  'letter spaced': createLetterSpaced,
};

const letters = {
  arabic: Array.from('ابتثجحخدذرزسشصضطظعغفقكلمنهوي'),
  hebrew: Array.from('אבגדהוזחטיכלמנסעפצקרשת'),
};

/** Right-to-left headings, text with numbers and Latin words, a list and a table. */
function createRightToLeftPage(random: Random, script: keyof typeof letters): MadePage {
  const signs = letters[script];
  const word = () =>
    Array.from({ length: random.integer(2, 7) }, () => signs[random.integer(0, signs.length - 1)]).join('');
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
  const inserted = () =>
    random.chance(0.5) ? String(random.integer(2, 99_999)) : `${longWord(random)} ${longWord(random)}`;
  const text = () =>
    Array.from({ length: random.integer(2, 4) }, () => {
      const middle = random.chance(0.4) ? ` ${inserted()} ` : ' ';
      return `${words(random.integer(4, 9))}${middle}${words(random.integer(2, 8))}.`;
    }).join(' ');
  const cell = (value: string): TruthCell => ({ text: value });
  const page = new Page();
  for (let section = 0; section < 2; section += 1) {
    page.heading(section + 1, words(random.integer(2, 4))).text(text());
    page.text(text());
    page.add('<ul>');
    for (let index = random.integer(2, 4); index > 0; index -= 1) {
      const item = words(random.integer(3, 8));
      page.add(`<li>${item}</li>`, { kind: 'item', text: item, depth: 0 });
    }
    page.add('</ul>');
  }
  const columns = random.integer(3, 4);
  const rows = Array.from({ length: random.integer(3, 6) }, () => [
    cell(words(2)),
    ...Array.from({ length: columns - 1 }, () => cell(String(random.integer(10, 99_999)))),
  ]);
  page.table([Array.from({ length: columns }, () => cell(words(1))), ...rows]);
  const family = random.chance(0.5) || script === 'arabic' ? 'DejaVu Sans' : 'DejaVu Sans Condensed';
  const css = `body{direction:rtl;font-family:'${family}'}table{border-collapse:collapse}td,th{border:1px solid;padding:3px 8px}`;
  return page.build(script, random, css);
}

/** Every line is letter-spaced; in one half of the pages the text is justified, too. */
function createLetterSpaced(random: Random): MadePage {
  const page = new Page();
  for (let section = 0; section < 3; section += 1)
    page.heading(2, title(random)).text(paragraph(random, 3)).text(paragraph(random, 2));
  const align = random.chance(0.5) ? 'text-align:justify;' : '';
  const css = `h2{letter-spacing:.${random.integer(20, 30)}em}p{${align}letter-spacing:.${random.integer(10, 18)}em;word-spacing:.1em}`;
  return page.build('letter spaced', random, css);
}
