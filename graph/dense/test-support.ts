import type { LanguageModel, ModelAnswer, ModelRequest } from '../ask/language-model';
import type { Attributes } from '../core/value';
import { runPipeline } from '../pipeline';
import type { PipelineOptions } from '../pipeline-options';
import { templateFrom } from '../template/template';

type Answer = object | string | ModelAnswer;
/** The answers by name of the question: in turn, or computed. */
export type Script = Partial<Record<string, Answer[] | ((request: ModelRequest, count: number) => Answer)>>;

/** A model that answers by the name of the question, in turn; `{}` after the end of the script. */
export function createScriptedModel(script: Script, facts: Partial<LanguageModel> = {}) {
  const requests: ModelRequest[] = [];
  const counts = new Map<string, number>();
  const model: LanguageModel = {
    hasStructuredOutput: true,
    ...facts,
    ask: async (request) => {
      requests.push(request);
      const count = counts.get(request.name) ?? 0;
      counts.set(request.name, count + 1);
      const response = script[request.name];
      const answer = typeof response === 'function' ? response(request, count) : (response?.[count] ?? {});
      if (typeof answer === 'string') return { text: answer };
      return 'text' in answer ? answer : { text: JSON.stringify(answer) };
    },
  };
  return { model, asked: requests, names: () => requests.map(({ name }) => name) };
}

/** An order with parties, terms, parcels and items. */
export const template = templateFrom({
  root: 'Order',
  classes: {
    Order: {
      graph_id_fields: ['order_no'],
      fields: {
        order_no: { type: 'str', description: 'Order number' },
        placed: { type: 'date' },
        buyer: { model: 'Party', edge_label: 'BOUGHT_BY' },
        terms: { model: 'Terms' },
        parcels: { model: 'Parcel', is_list: true, edge_label: 'SENT_AS' },
      },
    },
    Terms: { is_entity: false, fields: { days: { type: 'int' }, bank: { model: 'Party', edge_label: 'PAID_AT' } } },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, city: { type: 'str' } } },
    Parcel: {
      graph_id_fields: ['code'],
      fields: {
        code: { type: 'str' },
        weight: { type: 'float' },
        items: { model: 'Item', is_list: true, edge_label: 'HOLDS' },
        carrier: { model: 'Party', graph_reference: true, edge_label: 'CARRIED_BY' },
      },
    },
    Item: {
      graph_id_fields: ['name'],
      fields: { name: { type: 'str' }, pieces: { type: 'int' }, parts: { model: 'Item', is_list: true } },
    },
  },
});
/** A document of the template. */
export const source = [
  'Order A-17 was placed by Acme Ltd of London.',
  'Parcel P-1 holds three bolts and goes with Swift.',
  'Parcel P-2 holds a nut.',
].join('\n\n');
/** The answer of the first phase for `source`. */
export const skeleton = {
  nodes: [
    { i: 1, path: '', ids: { order_no: 'A-17' } },
    { i: 2, path: 'buyer', ids: { name: 'Acme Ltd', invented: 'x' }, p: 1, c: 1 },
    { i: 3, path: 'parcels', ids: { code: 'P-1' }, p: 1, c: 2 },
    { i: 4, path: 'parcels[]', ids: { code: 'P-2' }, p: 1, c: 3 },
    { i: 5, path: 'parcels[].items[]', ids: { name: 'bolts' }, p: 3, c: 2 },
    { i: 6, path: 'parcels.items', ids: { name: 'nut' }, p: 4, c: 3 },
    { i: 7, path: 'nonsense', ids: { name: 'no' } },
    { i: 8, path: 'parcels[]', ids: {} },
  ],
};
const fills: Record<string, Attributes[]> = {
  buyer: [{ name: 'Acme Ltd', city: 'London' }],
  'parcels[]': [{ weight: 2.5, carrier: { name: 'Swift' } }, { code: 'P-2' }],
  '': [{ order_no: 'wrong', placed: '2024-01-31', terms: { days: 30 } }],
};
/** Fills by the path that the question names. */
export const fill = ({ user }: ModelRequest) => {
  const path = JSON.parse(/\(("[^"]*"), \w+\):/.exec(user)?.[1] ?? '""') as string;
  return { items: fills[path] ?? [{ pieces: user.includes('1. {"name": "nut"}') ? 1 : 3 }] };
};
/** The script for both phases of `source`. */
export const whole = { dense_skeleton: [skeleton], dense_fill: fill };
/** Options for small chunks and the contract dense. */
export const small = { extraction_contract: 'dense', chunk_max_tokens: 16, gleaning_enabled: false } as const;
/** Runs the pipeline with a scripted model. */
export const run = (script: Script, options: Partial<PipelineOptions> = {}, text = source) => {
  const asking = createScriptedModel(script);
  return {
    ...asking,
    made: runPipeline({ source: text, template, model: asking.model, options: { ...small, ...options } }),
  };
};
