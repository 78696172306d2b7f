import { isSecretName } from '../../model/flow/secrets';
import { operators } from '../../operators';

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  secret?: boolean;
}

/** Every member of the schema, at any depth, with its path. */
function getMembers(schema: Schema, path: readonly string[] = []): { path: readonly string[]; schema: Schema }[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
      { path: [...path, name], schema: member },
      ...getMembers(member, [...path, name]),
    ]),
    ...inner.flatMap((schema) => getMembers(schema, path)),
  ];
}

const members = operators.flatMap((operator) => getMembers(operator.config as Schema, [operator.name]));

test('a setting masked by its name is declared as a secret, unless it only contains others', () => {
  const undeclared = members.filter(
    ({ path, schema }) => isSecretName(path.at(-1) ?? '') && !schema.secret && schema.type !== 'object',
  );
  expect(undeclared.map(({ path }) => path.join('.'))).toEqual([]);
});

test('a setting declared as a secret is masked by its name', () => {
  const declared = members.filter(({ schema }) => schema.secret);
  expect(declared.length).toBeGreaterThan(5);
  const shown = declared.filter(({ path }) => !isSecretName(path.at(-1) ?? '') && path.at(-1) !== 'headers');
  expect(shown.map(({ path }) => path.join('.'))).toEqual([]);
});
