import { describeConfig, readConfig } from './config';

test('a setting is read under its own name, else under another that it has', () => {
  expect(readConfig({ DOCLING_SERVE_API_KEY: 'a, b' }).CONVERT_SERVE_API_KEY).toEqual(['a', 'b']);
  expect(readConfig({ DOCLING_SERVE_API_KEY: 'a', CONVERT_SERVE_API_KEY: 'b' }).CONVERT_SERVE_API_KEY).toEqual(['b']);
  expect(readConfig({ DOCLING_SERVE_API_KEY: 'a', CONVERT_SERVE_API_KEY: ' ' }).CONVERT_SERVE_API_KEY).toEqual(['a']);
  const [described] = describeConfig({ DOCLING_SERVE_API_KEY: 'a' }).filter(
    ({ name }) => name === 'CONVERT_SERVE_API_KEY',
  );
  expect(described).toMatchObject({ value: '********', origin: 'environment' });
});

test('numbers may have a fraction, and are refused below their least value', () => {
  expect(readConfig({ CONVERT_SERVE_MAX_SYNC_WAIT: '1.5' }).CONVERT_SERVE_MAX_SYNC_WAIT).toBe(1.5);
  for (const text of ['-1', 'soon', 'Infinity'])
    expect(() => readConfig({ CONVERT_SERVE_MAX_SYNC_WAIT: text })).toThrow(
      `CONVERT_SERVE_MAX_SYNC_WAIT is '${text}'; it must be a number from 0`,
    );
});
