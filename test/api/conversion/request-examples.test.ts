import { conversionRoutes } from '../../../api/conversion';
import { createConversionDocument } from '../../../api/conversion/http/openapi';
import { buildPipelineDocument } from '../../../api/http/openapi';
import { routes } from '../../../api/routes';
import { checkValue } from '../../../model/conversion/request/check-value';

const requests = conversionRoutes.flatMap(({ path, bodies, isHidden }) =>
  isHidden ? [] : Object.entries(bodies ?? {}).map(([type, schema]) => ({ path, type, schema })),
);
const document = createConversionDocument(conversionRoutes, '1') as unknown as {
  paths: Record<
    string,
    Record<string, { tags: string[]; requestBody?: { content: Record<string, { example?: object }> } }>
  >;
  tags: { name: string; description: string }[];
};

function unknownFields(schema: object, example: object): string[] {
  const { properties = {} } = schema as { properties?: object };
  return Object.keys(example).filter((name) => !(name in properties));
}

test.each(requests)('the body of $path ($type) has an example that matches its schema', ({ path, type, schema }) => {
  const example = document.paths[path]?.['post']?.requestBody?.content[type]?.example ?? {};
  expect(Object.keys(example).length).toBeGreaterThan(0);
  const isJson = type === 'application/json';
  expect(
    isJson ? checkValue(schema, structuredClone(example), ['body']).problems : unknownFields(schema, example),
  ).toEqual([]);
});

test('every group of both references has a description', () => {
  const used = new Set(
    Object.values(document.paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags)),
  );
  expect(document.tags.map(({ name }) => name).toSorted()).toEqual([...used].toSorted());
  const pipeline = buildPipelineDocument(routes, '1')['tags'] as typeof document.tags;
  for (const { name, description } of [...document.tags, ...pipeline])
    expect({ name, description }).toEqual({ name, description: expect.stringMatching(/^[A-Z].*\.$/) });
});
