import { settings } from '../model/config';
import { createConfigCommand, findConfigProblems, listSettingReports } from './config';

test('every setting is reported once, in the order of the list', () => {
  expect(listSettingReports({}).map(({ name }) => name)).toEqual(Object.keys(settings));
});

test('a secret from the environment never appears', () => {
  const secret = 'a'.repeat(40);
  const env = { JWT_SECRET_KEY: secret, MONGODB_URL: `mongodb://user:${secret}@db/docloom`, SEARCH_PASSWORD: secret };
  expect(JSON.stringify(listSettingReports(env))).not.toContain(secret);
  expect(listSettingReports(env).find(({ name }) => name === 'JWT_SECRET_KEY')).toMatchObject({
    value: '********',
    origin: 'environment',
    secret: true,
  });
});

test.each([
  ['mongodb://db:27017,[fd00::5]:27018/docloom', true],
  ['mongodb://%2Frun%2Fdocloom%2Fmongo.sock/docloom', true],
  ['mongodb+srv://cluster.example/docloom', true],
  ['mongodb://user:hidden@db/docloom', false],
  ['mongodb://db/docloom?tlsCertificateKeyFilePassword=hidden', false],
  ['user:hidden', false],
])('the address %s of MongoDB is shown: %s', (address, isShown) => {
  const report = listSettingReports({ MONGODB_URL: address }).find(({ name }) => name === 'MONGODB_URL');
  expect(report?.value).toBe(isShown ? address : '********');
});

test('the origin distinguishes environment, default and unset', () => {
  const origin = (name: string) => listSettingReports({ DOCLOOM_PORT: '9000' }).find((report) => report.name === name);
  expect(origin('DOCLOOM_PORT')).toMatchObject({ value: '9000', origin: 'environment', default: '8080' });
  expect(origin('SEARCH_PORT')).toMatchObject({ value: '9200', origin: 'default' });
  expect(origin('LDAP_SERVER')).toMatchObject({ value: '', origin: 'not set', default: null });
});

test('addresses of a running stack take precedence and are labelled as such', () => {
  const running = { TEMPORAL_ADDRESS: '127.0.0.1:7234', DOCLOOM_PORT: '8081' };
  const reports = listSettingReports({ DOCLOOM_PORT: '8081' }, running);
  const report = (name: string) => reports.find((settingReport) => settingReport.name === name);
  expect(report('TEMPORAL_ADDRESS')).toMatchObject({ value: '127.0.0.1:7234', origin: 'docloom up' });
  expect(report('DOCLOOM_PORT')).toMatchObject({ value: '8081', origin: 'environment' });
});

test('all problems are reported at once', () => {
  expect(findConfigProblems({ DOCLOOM_PORT: 'x', SEARCH_USE_SSL: 'maybe' })).toHaveLength(2);
  expect(findConfigProblems({})).toEqual([]);
});

test('the command prints JSON and exits 2 when a setting is invalid', async () => {
  const written: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  const port = process.env['DOCLOOM_PORT'];
  process.env['DOCLOOM_PORT'] = '99999';
  process.stdout.write = (text) => written.push(String(text)) > 0;
  try {
    await createConfigCommand().parseAsync(['node', 'config', '--json']);
  } finally {
    process.stdout.write = write;
    if (port === undefined) delete process.env['DOCLOOM_PORT'];
    else process.env['DOCLOOM_PORT'] = port;
  }
  expect(JSON.parse(written.join(''))).toMatchObject({
    valid: false,
    problems: ["DOCLOOM_PORT is '99999'; it must be a whole number from 1 to 65535"],
  });
  expect(process.exitCode).toBe(2);
  process.exitCode = 0;
});
