import { type Attributes, isRecord } from '../core/value';

/**
 * Turns the schema of a template into the schema of an answer: without the title and examples of the root, which do not
 * affect the form, and with a reference at the root resolved, because servers require an object there.
 */
export function buildAnswerSchema(schema: Attributes): Attributes {
  const { title: _title, examples: _examples, ...described } = schema;
  const { $ref, ...others } = described;
  const name = typeof $ref === 'string' ? /^#\/\$defs\/(.+)$/.exec($ref)?.[1] : undefined;
  const { $defs } = others;
  const root = name !== undefined && isRecord($defs) ? ($defs[name] ?? null) : null;
  if (!isRecord(root)) return described;
  const { title: _own, examples: _shown, ...body } = root;
  return { ...others, ...body };
}
