import { readRobotsRules } from './robots';

const allows = (text: string, path: string, agent = 'docloom') => readRobotsRules(text, agent).allows(path);

test.each<[string, string, boolean]>([
  ['', '/a', true],
  ['<html>Not found</html>', '/a', true],
  ['Disallow: /a', '/a', true],
  ['User-agent: *\nDisallow: /a', '/a', false],
  ['User-agent: *\nDisallow: /a', '/abc?x=1', false],
  ['User-agent: *\nDisallow: /a', '/b/a', true],
  ['User-agent: *\nDisallow:', '/a', true],
  ['User-agent: *\nDisallow: /', '/robots.txt', true],
  ['\uFEFFuser-agent : *\r\n DISALLOW : /a # why', '/a', false],
  ['User-agent: *\nDisallow: /\nAllow: /public', '/public/x', true],
  ['User-agent: *\nAllow: /public\nDisallow: /', '/private', false],
  ['User-agent: *\nDisallow: /page\nAllow: /page', '/page', true],
  ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf', false],
  ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf?x', true],
  ['User-agent: *\nDisallow: /a*b*c', '/a--b--c--', false],
  ['User-agent: *\nDisallow: /a*b*c', '/a--c--b--', true],
  ['User-agent: *\nDisallow: /ab*b$', '/ab', true],
  ['User-agent: *\nDisallow: /exact$', '/exact', false],
  ['User-agent: *\nDisallow: /exact$', '/exact/not', true],
  ['User-agent: *\nDisallow: /ünï', '/%c3%BCn%C3%AF/x', false],
  ['User-agent: *\nDisallow: /%7ejoe/a%2Fb', '/~joe/a%2fb', false],
  ['User-agent: *\nDisallow: /%7ejoe/a%2Fb', '/~joe/a/b', true],
  ['User-agent: *\nDisallow: /\ud800 x', '/y', true],
])('%j of %j: %s', (text, path, expected) => {
  expect(allows(text, path)).toBe(expected);
});

test('all groups for the agent apply together and replace those for everybody, regardless of case', () => {
  const text = [
    ...['User-agent: other', 'User-agent: DocLoom/2.0', 'Disallow: /one'],
    ...['User-agent: *', 'Disallow: /'],
    ...['Sitemap: https://example.org/s.xml', 'User-agent: docloom', 'Disallow: /two'],
  ].join('\n');
  expect(['/one', '/two', '/three'].map((path) => allows(text, path))).toEqual([false, false, true]);
  expect(allows(text, '/two', 'other')).toBe(true);
  expect(allows(text, '/three', 'nobody')).toBe(false);
});

test('a pattern with many stars and a large file take little time', () => {
  const started = process.cpuUsage();
  const stars = `User-agent: *\nDisallow: /${'*a'.repeat(900)}b$`;
  expect(allows(stars, `/${'a'.repeat(50_000)}`)).toBe(true);
  const large = `User-agent: *\n${'Disallow: /x*y\n'.repeat(40_000)}`;
  expect(allows(large, '/x')).toBe(true);
  const { user } = process.cpuUsage(started);
  expect(user / 1e6).toBeLessThan(1);
});
