import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runPipeline, templateOfClass } from '../graph';
import { listDocumentClasses } from '../services/operator/document-classes';
import { print, readOption, runCommand } from './support/command';

const usage = `usage: node dist/bench/graph-classes.js [--class NAME] [--file NAME] [--missing] [--nodes]

Extracts the filled forms of bench/graph-classes by rules, each with the graph template of its class, and compares with the facts that are
listed below it. The forms were written for this benchmark, with the labels that such forms usually have; they are not derived from the
templates. Those of held-back.md were written after the labels of the templates, and no label was added for them. --file reads only that
file (held-back, finance, …). --missing lists the facts that were not found, --nodes prints every node. Exits 1 if a class finds less than half of its facts.`;

const folder = path.join(__dirname, '..', '..', 'bench', 'graph-classes');
const minShare = 0.5;

interface Form {
  type: string;
  markdown: string;
  /** `Class.field = value`, or `Class x count`. */
  facts: string[];
}

/** The forms of all files, or of one. */
export function readForms(file?: string): Form[] {
  const text = readdirSync(folder)
    .filter((name) => name.endsWith('.md') && (file === undefined || name === `${file}.md`))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return text.flatMap((file) =>
    file
      .split(/^=== /m)
      .slice(1)
      .map((part) => {
        const [form = '', facts = ''] = part.split(/^--- facts$/m);
        const [type = '', ...lines] = form.split('\n');
        return {
          type: type.trim(),
          markdown: lines.join('\n'),
          facts: facts.split('\n').filter((line) => line !== ''),
        };
      }),
  );
}

type Node = Record<string, string | number | boolean | null>;

/** The nodes that the rules find in a form with the template of its class. */
async function extract({ type, markdown }: Form): Promise<Node[]> {
  const found = listDocumentClasses().find(({ document_type }) => document_type === type);
  if (!found) throw new Error(`there is no document class ${type}`);
  const options = { backend: 'rules', provenance: 'off' } as const;
  const { graph } = await runPipeline({ source: markdown, template: templateOfClass(found), options });
  // Dates and decimals as in files.
  return JSON.parse(JSON.stringify([...graph.nodes.values()])) as Node[];
}

function isFound(fact: string, nodes: readonly Node[]): boolean {
  const [, counted, count] = /^(\w+) x (\d+)$/.exec(fact) ?? [];
  if (counted) return nodes.filter(({ label }) => label === counted).length === Number(count);
  const [, label = '', field = '', value = ''] = /^(\w+)\.(\w+) = (.*)$/.exec(fact) ?? [];
  return nodes.some((node) => node['label'] === label && isSame(node[field], value));
}

function isSame(input: string | number | boolean | null | undefined, wanted: string): boolean {
  if (input === undefined || input === null) return false;
  const text = String(input);
  return (
    text.toLowerCase() === wanted.toLowerCase() ||
    (/^[\d.]+$/.test(wanted) && text !== '' && Number(text) === Number(wanted))
  );
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const only = readOption(argv, '--class');
  let [all, right, isMissed] = [0, 0, false];
  const file = readOption(argv, '--file');
  for (const form of readForms(file).toSorted((form, other) => (form.type < other.type ? -1 : 1))) {
    if (only !== undefined && form.type !== only) continue;
    const nodes = await extract(form);
    const missing = form.facts.filter((fact) => !isFound(fact, nodes));
    const found = form.facts.length - missing.length;
    [all, right] = [all + form.facts.length, right + found];
    isMissed ||= found < form.facts.length * minShare;
    print(`${form.type}: ${found} of ${form.facts.length} facts, ${nodes.length} nodes`);
    if (argv.includes('--missing')) for (const fact of missing) print(`  ${fact}`);
    if (argv.includes('--nodes')) for (const node of nodes) print(`  ${JSON.stringify(node)}`);
  }
  print(`all: ${right} of ${all} facts`);
  return isMissed ? 1 : 0;
}

runCommand(main);
