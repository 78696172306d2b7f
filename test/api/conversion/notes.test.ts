import { type ConversionApi, getFile, inline, startConversion } from '../../support/api/conversion-client';

let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion();
});
afterAll(() => service.close());
const send: ConversionApi['send'] = (...input) => service.send(...input);

test('ineffective input is reported: unknown options, misplaced options, formats without a place', async () => {
  const getNote = async (path: string, input: Parameters<typeof send>[2]) =>
    (await send('POST', path, input)).headers.get('Warning');
  const sources = [inline('a.md')];
  expect(
    await getNote('/v1/convert/source', {
      json: { sources, to_formats: ['html'], options: { do_orc: true, to_formats: ['md', 'chunks', 'dclx'] } },
    }),
  ).toBe(
    [
      '299 - "The option do_orc is unknown and was ignored."',
      '299 - "The option to_formats had no effect: options are in options."',
      '299 - "The output format chunks cannot be returned in the body; request the target zip."',
      '299 - "The output format dclx cannot be returned in the body; request the target zip."',
    ].join(', '),
  );
  const file = ['files', getFile('a.md')] as const;
  expect(await getNote('/v1/convert/file', { form: [file, ['options', '{"to_formats":["html"]}']] })).toContain(
    'The field options is unknown',
  );
  expect(
    await getNote('/v1/chunk/hybrid/file', { form: [file, ['convert_do_ocr', 'false'], ['max_tokens', '5']] }),
  ).toContain('The field max_tokens is unknown');
  const all = [
    ['to_formats', 'md'],
    ['target_type', 'zip'],
    ['callbacks', 'http://example.org/'],
    ['do_ocr', ''],
  ] as const;
  expect(await getNote('/v1/convert/file', { form: [file, ...all] })).toBeNull();
});

test('a list in a form may be one JSON text', async () => {
  await send('POST', '/v1/convert/file', {
    form: [
      ['files', getFile('a.md')],
      ['to_formats', '["md", "html"]'],
      ['page_range', ' [2, 3]'],
    ],
  });
  expect(service.memory.requests.at(-1)?.options).toMatchObject({ to_formats: ['md', 'html'], page_range: [2, 3] });
});
