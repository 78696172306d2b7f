import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { print, runCommand } from '../support/command';
import { readItemOptions } from './known-items';

const usage = `usage: node dist/bench/relevance/faqs.js FOLDER OUT [--most N]

  FOLDER   lists of frequent questions, in folders of any depth: perlfaq*.pod, and faq/*.rst.txt of the manual of Python
  OUT      the collection: documents and questions.json, for npm run relevance -- OUT
  --most   questions; default 1,000

Makes a collection that no setting was chosen with. The documents are answers, under the heading of their section; the questions are
those that people ask, as the lists have them.`;

/** An answer, and the question and section above it. */
interface Entry {
  file: string;
  section: string;
  question: string;
  answer: string;
}
const minAnswer = 200;

async function main(argv: readonly string[]): Promise<number> {
  const options = readItemOptions(argv, { name: '--most', usual: 1_000 });
  if (!options) return print(usage) || 2;
  const { folder, out, most } = options;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
  const entries = files.flatMap((file) => {
    if (/perlfaq\d+\.pod$/.test(file)) return readPod(path.basename(file, '.pod'), read(file));
    if (/faq\/\w+\.rst\.txt$/.test(file)) return readRst(path.basename(file, '.rst.txt'), read(file));
    return [];
  });
  // A manual may be installed in two places.
  const usable = [...new Map(entries.map((entry) => [entry.file, entry])).values()]
    .filter(({ question, answer }) => question.endsWith('?') && answer.length >= minAnswer)
    .slice(0, most);
  await mkdir(path.join(out, 'documents'), { recursive: true });
  for (const { file, section, answer } of usable)
    await writeFile(path.join(out, 'documents', file), `# ${section}\n\n${answer}\n`);
  const questions = usable.map(({ file, question }, at) => ({
    id: `q${at + 1}`,
    kind: file.startsWith('perl') ? 'Perl' : 'Python',
    text: question,
    relevant: { [file]: 1 },
  }));
  const collection = { name: 'frequent questions', documents: 'documents', questions };
  await writeFile(path.join(out, 'questions.json'), JSON.stringify(collection, null, 1));
  return print(`${questions.length} questions`) || 0;
}

function readPod(name: string, source: string): Entry[] {
  const plain = source
    .replaceAll(/^=(?:over|back|item|begin|end|for|encoding|pod|cut).*$/gm, '')
    .replaceAll(/[CIBFXL]<<? ?(?:[^<>|]*\|)?([^<>]*) ?>?>/g, '$1')
    .replaceAll(/E<(lt|gt)>/g, (_, sign) => (sign === 'lt' ? '<' : '>'));
  return plain.split(/^=head1 /m).flatMap((part, section) => {
    const [heading = '', ...questions] = part.split(/^=head2 /m);
    return questions.map((text, at) => ({
      file: `${name}-${section}-${at}.md`,
      section: heading.split('\n')[0] ?? '',
      ...splitFirstLine(text),
    }));
  });
}

function readRst(name: string, source: string): Entry[] {
  const plain = source
    .replaceAll(/^\.\. .*$/gm, '')
    .replaceAll(/:[\w:+-]+:`~?!?([^`<]+)(?:\s*<[^`>]*>)?`/g, '$1')
    .replaceAll(/`{1,2}([^`]+)`{1,2}_?/g, '$1');
  const headings = [...plain.matchAll(/^(\S.*)\n([=\-*^~])\2{3,}$/gm)];
  let section = name;
  return headings.flatMap((match, at) => {
    const [whole, title = '', sign] = match;
    if (sign === '=' || sign === '*') section = title;
    const answer = plain.slice(match.index + whole.length, headings[at + 1]?.index).replaceAll(/^[=*]{4,}$/gm, '');
    return [{ file: `python-${name}-${at}.md`, section, question: title.trim(), answer: answer.trim() }];
  });
}

function splitFirstLine(text: string): { question: string; answer: string } {
  const end = text.indexOf('\n');
  return { question: text.slice(0, end).trim(), answer: text.slice(end).trim() };
}

runCommand(main);
