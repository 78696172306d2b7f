import type { TSchema } from '@sinclair/typebox';
import { routes } from '../../../api/routes';
import { alice, sampleFlow, startApi } from '../../support/api/server';

type Schema = Record<string, unknown>;

/** Places of lists and maps without a limit. */
function unlimited(schema: Schema, at: string): string[] {
  const { type, properties = {}, patternProperties = {}, items, anyOf, maxItems, maxProperties } = schema;
  const maps = Object.values(patternProperties as Record<string, Schema>);
  const inner = [
    ...Object.entries(properties as Record<string, Schema>).map(([name, part]) => [part, `${at}.${name}`] as const),
    ...maps.map((part) => [part, `${at}.*`] as const),
    ...((anyOf as Schema[] | undefined) ?? []).map((part) => [part, at] as const),
    ...(items ? [[items as Schema, `${at}[]`] as const] : []),
  ];
  return [
    ...(type === 'array' && maxItems === undefined ? [`${at}[]`] : []),
    ...(maps.length > 0 && maxProperties === undefined ? [`${at}.*`] : []),
    ...inner.flatMap(([part, place]) => unlimited(part, place)),
  ];
}

test('every list and map of a request has a limit, which its schema declares', () => {
  const input = routes.flatMap((route) =>
    [route.body, route.query]
      .filter((schema): schema is TSchema => schema !== undefined)
      .flatMap((schema) => unlimited(schema, `${route.method} ${route.path}`)),
  );
  expect(routes.filter(({ body }) => body).length).toBeGreaterThan(20);
  expect(input).toEqual([]);
});

test('a body with too many members is rejected before it is parsed; texts that quote JSON do not count', async () => {
  const api = await startApi();
  const send = (body: unknown) => api.call('POST', '/api/v1/flows', { user: alice, body });
  const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`name${index}`, 1]));
  expect(await send({ ...sampleFlow('many'), global_config: many })).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'VALIDATION_ERROR', message: 'The body has more than 50000 named members.' }] },
  });
  const quoted = { ...sampleFlow('quoted'), tags: [JSON.stringify(many)] };
  expect(await send(quoted)).toMatchObject({ status: 400, body: { errors: [{ code: 'FLOW_INVALID_DATA' }] } });
  await api.close();
});

test('a body whose lists have too many values together is rejected, at any depth', async () => {
  const api = await startApi();
  const names = Array.from({ length: 600 }, (_, index) => `o${index}`);
  const flow = names.map((name) => ({ type: 'noop', name, depends_on: names }));
  expect(await api.call('POST', '/api/v1/flows', { user: alice, body: { flow_name: 'many', flow } })).toMatchObject({
    status: 400,
    body: {
      errors: [{ code: 'VALIDATION_ERROR', message: 'The lists of the body have more than 100000 values together.' }],
    },
  });
  const fewer = flow.map((operator) => ({ ...operator, depends_on: names.slice(0, 100) }));
  expect(
    await api.call('POST', '/api/v1/flows', { user: alice, body: { flow_name: 'many', flow: fewer } }),
  ).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'FLOW_INVALID_DATA', message: expect.stringContaining('60000 connections') }] },
  });
  await api.close();
});
