import { buildGraph, templateFrom } from '../graph';
import { buildContribution } from '../graph/corpus/contribution';
import { createMemoryView } from '../graph/corpus/memory-view';
import { comparePairs } from '../graph/resolve/candidates';
import { decideByRules } from '../graph/resolve/compare';
import { mergePairs } from '../graph/resolve/resolved-view';
import type { Contribution } from '../model/graph/facts';
import type { EntityPair } from '../model/graph/pairs';
import { labelled } from './resolution/labelled';
import { print, readOption, runCommand } from './support/command';

const usage = `usage: node dist/bench/graph-resolution.js [--half dev|held] [--errors]

Compares names of organisations, persons, products, places and numbers that are labelled by the thing they mean. Prints for each kind
how many pairs of names of one thing the rules merge (recall) and how many merged pairs are right (precision), and the same for pairs that
are merged or wait for a person. Every second block is the half that the rules were developed with (dev); the other was held back.`;

const idFields: Readonly<Record<string, string>> = { Invoice: 'number' };
const fieldsOf: Readonly<Record<string, string[]>> = {
  Organisation: ['city', 'vat', 'email', 'phone', 'iban', 'registration_number'],
  Person: ['birth_date', 'email', 'phone'],
  Product: ['ean', 'sku'],
  Place: ['country'],
  LaterPlace: ['country'],
};

function buildTemplate(kind: string) {
  const id = idFields[kind] ?? 'name';
  const fields = fieldsOf[kind] ?? [];
  return templateFrom({
    root: kind,
    classes: {
      [kind]: {
        graph_id_fields: [id],
        fields: Object.fromEntries([id, ...fields].map((name) => [name, { type: 'str' }])),
      },
    },
  });
}

interface Mention {
  thing: number;
  values: Record<string, string>;
}

function findMentions(kind: string, text: string, half: string | undefined): Mention[] {
  const blocks = text.trim().split(/\n\s*\n/);
  return blocks.flatMap((block, thing) => {
    // Neighbours that are alike stay in the same half.
    const side = Math.floor(thing / 2) % 2 === 0 ? 'dev' : 'held';
    if (half !== undefined && side !== half) return [];
    return block.split('\n').map((line) => {
      const [name = '', ...more] = line.split('|').map((part) => part.trim());
      const values = Object.fromEntries(more.map((value) => value.split('=') as [string, string]));
      return { thing, values: { [idFields[kind] ?? 'name']: name, ...values } };
    });
  });
}

interface Result {
  names: number;
  compared: number;
  all: number;
  merged: { right: number; wrong: number; found: number };
  shown: { right: number; wrong: number };
}

async function measure(kind: string, mentions: readonly Mention[], wantsErrors: boolean): Promise<Result> {
  const template = buildTemplate(kind);
  const facts: Contribution = { nodes: [], edges: [] };
  const things = new Map<string, Set<number>>();
  const names = new Map<string, string>();
  for (const [index, { thing, values }] of mentions.entries()) {
    const graph = buildGraph(template, [values]);
    const { nodes } = buildContribution(graph, { template, documentId: `d${index}` });
    facts.nodes.push(...nodes);
    for (const { node } of nodes) {
      things.set(node, (things.get(node) ?? new Set<number>()).add(thing));
      names.set(node, Object.values(values).join(' | '));
    }
  }
  const compared = await comparePairs(createMemoryView(facts), template, facts.nodes);
  const pairs = compared.flatMap(({ one, other, label, comparison }): EntityPair[] => {
    const state = decideByRules(comparison);
    return state ? [{ one, other, label, state, by: 'rules', score: comparison.score, decidedAt: '' }] : [];
  });
  const ids = [...things.keys()];
  const merged = mergePairs(new Set(ids), pairs);
  const result: Result = { names: ids.length, compared: compared.length, all: 0, merged: { right: 0, wrong: 0, found: 0 }, shown: { right: 0, wrong: 0 } }; // prettier-ignore
  const proposed = new Set(pairs.map(({ one, other }) => `${one} ${other}`));
  const scores = new Map(compared.map(({ one, other, comparison }) => [`${one} ${other}`, comparison]));
  for (const [at, left] of ids.entries())
    for (const right of ids.slice(at + 1)) {
      const key = left < right ? `${left} ${right}` : `${right} ${left}`;
      const isSame = [...(things.get(left) ?? [])].some((thing) => things.get(right)?.has(thing));
      const isMerged = merged.get(left) === merged.get(right);
      const isShown = isMerged || proposed.has(key);
      if (isSame) result.all += 1;
      if (isMerged) result.merged[isSame ? 'right' : 'wrong'] += 1;
      if (isShown) result.shown[isSame ? 'right' : 'wrong'] += 1;
      const error = (isMerged && !isSame && 'WRONG') || (isSame && !isShown && 'MISSED') || (isShown && !isSame && 'asked in vain'); // prettier-ignore
      const why = scores.get(key);
      if (wantsErrors && error)
        print(`  ${error}: ${names.get(left)} <> ${names.get(right)} ${why ? JSON.stringify(why) : 'not compared'}`);
    }
  return result;
}

const formatShare = (part: number, all: number) => (all === 0 ? '–' : (part / all).toFixed(2));

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const half = readOption(argv, '--half');
  for (const [kind, text] of Object.entries(labelled)) {
    const mentions = findMentions(kind, text, half);
    const { names, compared, all, merged, shown } = await measure(kind, mentions, argv.includes('--errors'));
    const found = merged.right + merged.wrong;
    print(
      `${kind}: ${names} names, ${all} pairs of one thing, ${compared} of ${(names * (names - 1)) / 2} compared; merged: precision ${formatShare(merged.right, found)}, recall ${formatShare(merged.right, all)}; merged or doubtful: precision ${formatShare(shown.right, shown.right + shown.wrong)}, recall ${formatShare(shown.right, all)}`,
    );
  }
  return 0;
}

runCommand(main);
