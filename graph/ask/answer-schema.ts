import { type Attributes, isRecord } from '../core/value';

/**
 * The schema of a template as the form of an answer: without the title and the examples of the root, which say nothing of the
 * form, and with a root that is only a reference spelled out, as servers want an object there.
 */
export function answerSchema(schema: Attributes): Attributes {
  const { title: _title, examples: _examples, ...rest } = schema;
  const { $ref, ...others } = rest;
  const name = typeof $ref === 'string' ? /^#\/\$defs\/(.+)$/.exec($ref)?.[1] : undefined;
  const { $defs } = others;
  const root = name !== undefined && isRecord($defs) ? ($defs[name] ?? null) : null;
  if (!isRecord(root)) return rest;
  const { title: _own, examples: _shown, ...body } = root;
  return { ...others, ...body };
}
