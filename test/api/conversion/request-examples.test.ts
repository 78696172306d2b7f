import { conversionRoutes } from '../../../api/conversion';
import { createConversionDocument } from '../../../api/conversion/http/openapi';
import { buildPipelineDocument } from '../../../api/http/openapi';
import { routes } from '../../../api/routes';
import { checkValue } from '../../../model/conversion/request/check-value';
import { type ConversionApi, getFile, startConversion } from '../../support/api/conversion-client';

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

describe('sent as they are', () => {
  let service: ConversionApi;
  beforeAll(async () => {
    service = await startConversion();
  });
  afterAll(() => service.close());

  /** The fields of a form: one for each item of a list, and files with a content. */
  const buildForm = (example: object) =>
    Object.entries(example).flatMap(([name, value]) =>
      [value].flat().map((item) => [name, name === 'files' ? getFile(String(item)) : String(item)] as const),
    );

  test.each(requests)('the example of $path ($type) is accepted', async ({ path, type }) => {
    const example = document.paths[path]?.['post']?.requestBody?.content[type]?.example ?? {};
    const init = type === 'application/json' ? { json: example } : { form: buildForm(example) };
    const { status, text } = await service.send('POST', path, init);
    expect({ status, text }).toEqual({ status: 200, text: expect.any(String) });
    expect(service.memory.requests.at(-1)?.sources).toHaveLength(1);
  });

  const others = conversionRoutes.filter(({ bodies, isHidden }) => !isHidden && !bodies);
  test.each(others)('$method $path without a body is not refused for its form', async ({ method, path }) => {
    const { status } = await service.send(method, path.replaceAll(/\{\w+\}/g, 'unknown'));
    expect([200, 303, 403, 404]).toContain(status);
  });
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
