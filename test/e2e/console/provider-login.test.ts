import { freePort } from '../../support/servers/free-port';
import { browse, clientSecret, startProvider, type TestProvider } from '../../support/servers/oidc-fixture';
import { type Console, getFindings } from '../../support/system/console';
import { setUpConsole } from '../../support/system/console-screens';

/** Logins with a provider of OpenID Connect, whose pages are another site than the console. */
let console: Console;
let address: string;
let provider: TestProvider;
setUpConsole(
  async () => {
    const port = await freePort();
    address = `http://localhost:${port}`;
    const redirectUri = `${address}/auth/oauth2/callback`;
    provider = await startProvider([redirectUri]);
    return {
      DOCLOOM_PORT: String(port),
      OAUTH2_ENABLED: 'true',
      OAUTH2_CLIENT_ID: 'docloom',
      OAUTH2_CLIENT_SECRET: clientSecret,
      OAUTH2_REDIRECT_URI: redirectUri,
      OAUTH2_DISCOVERY_URL: `${provider.url}/.well-known/openid-configuration`,
    };
  },
  (started) => void (console = started),
);
beforeEach(() => {
  provider.account = { preferred_username: 'nora', name: 'Nora North', groups: ['finance'] };
  provider.refuses = false;
});
afterAll(() => provider.close());

type Page = Awaited<ReturnType<Console['open']>>['page'];
const button = (page: Page) => page.getByRole('link', { name: 'Log in with Single sign-on' });

/** A login without a browser, up to the address to which the provider sends one. */
async function begin() {
  const login = `/auth/oauth2/authorize?provider=generic&redirect_after=${encodeURIComponent('/console/login')}`;
  const { headers } = await fetch(address + login, { redirect: 'manual' });
  const cookie = headers.get('Set-Cookie')?.split(';')[0] ?? '';
  return { cookie, callback: await browse(headers.get('Location') ?? '', `${address}/auth/oauth2/callback`) };
}

test('a person logs in with the provider, is back where they wanted to go, and logs out', async () => {
  const { page, problems } = await console.open(`${address}/console/search?q=walrus&mode=words`);
  await button(page).waitFor();
  expect(await console.look(page, 'login-provider')).toEqual([]);
  await button(page).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  expect(provider.asked).toContain('/auth');
  expect(page.url()).toBe(`${address}/console/search?q=walrus&mode=words`);
  await page.getByText('Logged in as nora').first().waitFor();
  // The session survives a reload, and scripts cannot read it.
  await page.reload();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  const [session] = (await page.context().cookies()).filter(({ name }) => name === 'docloom_session');
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  await page.getByRole('button', { name: 'Log out' }).click();
  await button(page).waitFor();
  await page.reload();
  await button(page).waitFor();
  expect(problems).toEqual([]);
});

test('a person who refuses at the provider, or whose state is wrong, sees that in the console and can try again', async () => {
  provider.refuses = true;
  const { page, problems } = await console.open(`${address}/console/runs`);
  await button(page).click();
  await page
    .getByRole('alert')
    .getByText(/^The provider or this server refused the login/)
    .waitFor();
  expect(await console.look(page, 'login-refused')).toEqual([]);
  for (const query of ['state=made-up&code=x', 'state=made-up&error=access_denied&error_description=<b>evil</b>']) {
    await page.goto(`${address}/auth/oauth2/callback?${query}`);
    await page
      .getByRole('alert')
      .getByText(/was started in another browser/)
      .waitFor();
    expect(await page.locator('body').innerText()).not.toContain('evil');
  }
  expect(await getFindings(page)).toEqual([]);
  provider.refuses = false;
  await page.goto(`${address}/console/runs`);
  await button(page).click();
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  expect(problems).toEqual([]);
});

test('nobody is logged in by opening an address of the login of somebody else', async () => {
  const { page } = await console.open((await begin()).callback.href);
  await page
    .getByRole('alert')
    .getByText(/was started in another browser/)
    .waitFor();
  // Nor by the address after it, which has a code.
  const { cookie, callback } = await begin();
  const { headers } = await fetch(callback, { redirect: 'manual', headers: { cookie } });
  await page.goto(headers.get('Location') ?? '');
  await page.getByRole('alert').waitFor();
  expect(page.url()).not.toContain('code=');
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
});

test('a provider that stops answering in the middle of a login is named as the reason', async () => {
  const { cookie, callback } = await begin();
  const { page } = await console.open(`${address}/console/`);
  const [name = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name, value, domain: 'localhost', path: '/auth/oauth2' }]);
  await provider.close();
  try {
    await page.goto(callback.href);
    await page.getByText(/^The provider cannot be reached/).waitFor();
    expect(await getFindings(page)).toEqual([]);
  } finally {
    await provider.open();
  }
});
