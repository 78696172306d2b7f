import { longWord, paragraph, sentence, title } from '../support/prose';
import type { Random } from '../support/random';
import { type MadePage, Page } from './html-pages';

/** Pages that are printed with tags, which are right or wrong. */
export const taggedKinds: Record<string, (random: Random) => MadePage> = {
  'tagged headings': createTaggedHeadings,
  'false tags': createFalseTags,
};

/** Only the tags distinguish some headings from text, and a bold line from a heading. */
function createTaggedHeadings(random: Random): MadePage {
  const page = new Page().heading(1, title(random));
  for (let section = 0; section < 3; section += 1) {
    page.heading(2, title(random)).text(paragraph(random, 3));
    page.text(`${longWord(random)} ${longWord(random)}`, 'style="font-weight:bold"').text(paragraph(random, 2));
  }
  const look = ['font-style:italic;font-weight:normal', 'font-weight:normal;text-decoration:underline'];
  const css = `h2{font-size:1em;${look[random.integer(0, 1)]}}p{margin:6px 0}`;
  return { ...page.build('tagged headings', random, css), isTagged: true };
}

/** Paragraphs are tagged as headings, and the headings as paragraphs. */
function createFalseTags(random: Random): MadePage {
  const page = new Page();
  for (let section = 0; section < 3; section += 1) {
    const [name, text, more] = [title(random), paragraph(random, 3), sentence(random)];
    page.add(`<p class="name">${name}</p>`, { kind: 'heading', text: name });
    for (const value of [text, more]) page.add(`<h2>${value}</h2>`, { kind: 'text', text: value });
  }
  const css = 'h2{font-size:1em;font-weight:normal;margin:6px 0}.name{font-size:1.4em;font-weight:bold}';
  return { ...page.build('false tags', random, css), isTagged: true };
}
