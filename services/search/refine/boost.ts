import { cutExcerpt, createFieldError, findSearchField } from '../fields';
import type { SearchRequest } from '../ports';
import { buildFieldQuery } from '../text-query';

const maxFields = 20;
const longestDays = 36_500;

/** The query with the boosts of this request: words in some fields, and recent records. */
export function boostQuery(query: Record<string, unknown>, request: SearchRequest): Record<string, unknown> {
  const { boost, query: question = '', mode } = request;
  if (!boost) return query;
  if (mode === 'vector')
    throw createFieldError(
      'boost',
      'The mode vector orders by similarity; boost belongs to the modes text and hybrid.',
    );
  const fields = Object.entries(boost.fields ?? {});
  if (fields.length > maxFields)
    throw createFieldError('boost', `boost has ${fields.length} fields; at most ${maxFields} are allowed.`);
  const lifts = fields.map(([name, factor]) => {
    const path = name === 'content' ? name : findSearchField('boost', name).path;
    return buildFieldQuery(path, question, findNumber(`fields.${name}`, factor, 1, 20));
  });
  const lifted = lifts.length === 0 ? query : { bool: { must: [query], should: lifts } };
  if (!boost.recency) return lifted;
  const { field = 'created_at', half_life_days: days, weight = 1 } = boost.recency;
  const scale = `${Math.ceil(findNumber('recency.half_life_days', days, 1, longestDays))}d`;
  return {
    function_score: {
      query: lifted,
      // In whole days, so that all pages of a search have the same order.
      functions: [
        { weight: 1 },
        {
          exp: { [field]: { origin: 'now/d', scale, decay: 0.5 } },
          weight: findNumber('recency.weight', weight, 0, 10),
        },
      ],
      score_mode: 'sum',
      boost_mode: 'multiply',
    },
  };
}

function findNumber(name: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw createFieldError(
    'boost',
    `${name} of boost is ${cutExcerpt(value)}; it must be a number from ${min} to ${max}.`,
    name,
  );
}
