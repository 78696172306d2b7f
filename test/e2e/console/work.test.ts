import { type Console, getFindings } from '../../support/system/console';
import {
  isHacked,
  findRow,
  type Screens,
  prepareFlow,
  setUpConsole,
  testScreens,
  waitForEnd,
  withAdministrators,
} from '../../support/system/console-screens';
import { documentsIn, indexing, loggedIn, reading, runToEnd } from '../../support/system/over-http';
import { type System, until } from '../../support/system/system';

/** Work on flows and runs other than starting them: pause, look at rows, compare, sample, restore, share in projects. */
const hostileName = '<img src=x onerror=window.hacked=1>.md';

let console: Console;
let system: System;
let address: string;
let flowId: string;
let runId: string;
let firstRun: string;
let projectId: string;
setUpConsole(withAdministrators, async (started) => {
  console = started;
  ({ system, address } = console);
  const { client, folder, ...prepared } = await prepareFlow(console, 'work', {
    files: {
      'walrus.md': '# Walrus\n\nA walrus for everybody.',
      [hostileName]: '# Narwhal <img src=x onerror=window.hacked=1>',
      'broken.pdf': 'no pdf',
    },
    access: { allowed_users: ['alice'], files: { 'walrus.md': ['alice', 'bob'] } },
    steps: indexing(system, 'work'),
  });
  ({ flowId, runId: firstRun } = prepared);
  await client.flows.patch(flowId, { flow: [...reading(folder), ...indexing(system, 'work', { chunk_size: 300 })] });
  ({ job_run_id: runId } = await runToEnd(client, flowId, { force_ingest: true }));
  ({ project_id: projectId } = await client.projects.create({
    name: `Harbour ${system.env['DOCLOOM_TASK_QUEUE']}`,
    description: '<b>all papers</b>',
    members: ['bob', 'dave'],
    roles: [{ user: 'bob', role: 'viewer' }],
  }));
  await client.flows.patch(flowId, { project_id: projectId });
});

const screens: Screens = {
  'run-rows': { to: () => `/runs/${runId}?step=chunk&before=1`, shows: 'Rows of extract' },
  'run-rows-of-vectors': { to: () => `/runs/${runId}?step=embed&vectors=1`, shows: /numbers: / },
  'run-compared': { to: () => `/runs/${runId}?base=${firstRun}`, shows: 'Changed' },
  'flow-versions': { to: () => `/flows/${flowId}?version=2`, shows: 'chunk › chunk_size' },
  'runs-samples-none': { to: () => '/runs?kind=sample&state=CRASHED', shows: 'No run matches the filters.' },
  projects: { to: () => '/projects', shows: /^1–1 of 1/ },
  'projects-none': { to: () => '/projects?name=zzz', shows: 'Nothing matches.' },
  project: { to: () => `/projects/${projectId}`, shows: 'Save the members' },
  'project-viewer': { to: () => `/projects/${projectId}`, shows: /My role: Viewer/, who: 'bob' },
  'project-missing': { to: () => `/projects/${runId}`, shows: 'This does not exist, or you do not have access to it.' },
};

testScreens(() => console, screens);

test('a run is paused, continues with more concurrent batches, and ends', async () => {
  const { client } = await loggedIn(address, 'alice');
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`doc-${index}.md`, `# Number ${index}`]));
  const documents = documentsIn(system, 'many', files, { allowed_users: ['alice'] });
  const { flow_id } = await client.flows.create({
    flow_name: `paused-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [...reading(documents), ...indexing(system, 'paused')],
    global_config: { micro_batch_size: 1, max_concurrent_batches: 1 },
  });
  const { job_run_id } = await client.jobRuns.create({ flow_id });
  const { page, problems } = await console.openAs('alice', `/runs/${job_run_id}`);
  const control = page.getByRole('region', { name: 'Control' });
  await control.getByRole('button', { name: 'Pause' }).click();
  await control.getByText('The run is paused.').waitFor();
  expect((await client.jobRuns.controls(job_run_id)).is_paused).toBe(true);
  await control.getByLabel('Batches at the same time').fill('6');
  await page.keyboard.press('Enter');
  const batches = async () => (await client.jobRuns.controls(job_run_id)).max_concurrent_batches;
  await until('the run takes six batches at the same time', async () => (await batches()) === 6);
  expect(await console.look(page, 'run-paused')).toEqual([]);
  const stream = '**/job_runs/*/events';
  await page.route(stream, (route) => route.abort());
  await page.reload();
  await page.getByText('Connection lost; reconnecting.').waitFor();
  await page.unroute(stream);
  await page.getByText('Connection lost; reconnecting.').waitFor({ state: 'detached' });
  await control.getByRole('button', { name: 'Resume' }).click();
  await waitForEnd(page);
  await control.waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('the rows of a step are beside those before it, and a reader of others sees none', async () => {
  const { page, problems } = await console.openAs('alice', `/runs/${runId}`);
  await page.getByLabel('Step', { exact: true }).selectOption('chunk');
  const chunks = page.getByRole('region', { name: 'Rows of chunk' });
  await chunks.getByText('Rows 1 to 2').waitFor();
  await chunks.getByRole('heading', { name: hostileName }).waitFor();
  await page.getByLabel('Show the rows before the step beside them').check();
  const texts = page.getByRole('region', { name: 'Rows of extract' });
  await texts.getByText('A walrus for everybody.').first().waitFor();
  const file = await chunks.getByRole('link', { name: /^Download all rows/ }).getAttribute('href');
  const lines = await page.evaluate(`fetch(${JSON.stringify(file)}).then((reply) => reply.text())`);
  expect(String(lines).trim().split('\n')).toHaveLength(2);
  // The line to a step leads to the rows before and after it, and shows their number.
  await page.locator('.graph .edge-count').filter({ hasText: /^2$/ }).first().waitFor();
  await page.getByLabel('Step', { exact: true }).selectOption('');
  await page.locator('.graph .edge-target').nth(1).click({ force: true });
  await page.getByRole('region', { name: 'Rows of extract' }).waitFor();
  await page.getByRole('region', { name: 'Rows of chunk' }).waitFor();
  await page.getByLabel('Step', { exact: true }).selectOption('index');
  await page.getByRole('region', { name: 'Rows of index' }).waitFor();
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
  const { page: other } = await console.openAs('bob', `/runs/${runId}?step=chunk`);
  await other.getByText('This does not exist, or you do not have access to it.').waitFor();
  expect(await other.locator('main').innerText()).not.toMatch(/walrus|narwhal|onerror/i);
});

test('a run is compared with the one before: documents and steps', async () => {
  const { page, problems } = await console.openAs('alice', `/runs/${runId}`);
  const compare = page.getByRole('region', { name: 'Compare with another run' });
  await compare.getByLabel('Run', { exact: true }).selectOption(firstRun);
  await compare.getByText(/^Changed: 2$/).click();
  await compare.getByText(hostileName, { exact: true }).waitFor();
  await findRow(page, 'chunk').filter({ hasText: '2 / 2' }).first().waitFor();
  await compare.getByRole('link', { name: 'Open the other run' }).click();
  await page.waitForURL(`**/runs/${firstRun}`);
  expect(problems).toEqual([]);
});

test('a flow is tried on one document: its rows are shown, nothing is indexed', async () => {
  const { client } = await loggedIn(address, 'alice');
  const { documents: before } = await client.documents.search({ query: 'walrus', filters: { flow: flowId } });
  const { page, problems } = await console.openAs('alice', `/flows/${flowId}`);
  const tried = page.getByRole('region', { name: 'Try it' });
  await tried.getByLabel('Documents').fill('1');
  await tried.getByRole('button', { name: 'Save and try' }).click();
  await page.getByText('A sample run: it tries the flow on one document').waitFor();
  await page.getByRole('button', { name: 'Run everything again' }).waitFor({ timeout: 60_000 });
  expect(await page.getByRole('region', { name: 'What to do next' }).count()).toBe(0);
  await page.getByLabel('Step', { exact: true }).selectOption('extract');
  await page.getByText('Rows 1 to 1').waitFor();
  await page.getByRole('link', { name: 'Open the flow' }).click();
  await page.getByRole('link', { name: 'Earlier sample runs' }).click();
  await page.getByText('1–1 of 1', { exact: false }).waitFor();
  await page.getByText('(sample)').waitFor();
  const { documents: after } = await client.documents.search({ query: 'walrus', filters: { flow: flowId } });
  expect(after.length).toBe(before.length);
  expect(problems).toEqual([]);
});

test('branches are added, named and read by other steps without JSON', async () => {
  const { page, problems } = await console.openAs('alice', '/flows/new');
  const name = `branches-${system.env['DOCLOOM_TASK_QUEUE']}`;
  await page.getByRole('textbox', { name: 'Name of the flow' }).fill(name);
  const places = page.getByRole('group', { name: 'connection_params' });
  await places.getByLabel('paths').pressSequentially('/nowhere\n/elsewhere');
  for (const step of ['Extract', 'Language detection', 'Branching'])
    await page.getByRole('button', { name: step, exact: true }).click();
  for (const [branch, conditions] of [
    ['english', "lang_name = 'en'"],
    ['rest', "lang_name <> 'en'\nlang_name <> 'de'"],
  ] as const) {
    await page.getByRole('button', { name: 'Add a branch' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the branch').last().fill(branch);
    await page.getByLabel('Conditions').last().pressSequentially(conditions);
  }
  await page.getByLabel('A row must meet').selectOption('one of the conditions');
  expect(await console.look(page, 'flow-branches')).toEqual([]);
  for (const branch of ['english', 'rest']) {
    await page.getByRole('button', { name: 'branching', exact: true }).first().click();
    await page.getByRole('button', { name: 'No operation', exact: true }).click();
    expect(await page.getByRole('checkbox', { name: `branching.${branch}` }).isChecked()).toBe(true);
    await page.locator('.graph').getByText(`from ${branch}`).waitFor();
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page
    .getByText('Saved.')
    .or(page.getByRole('link', { name: 'Runs of this flow' }))
    .first()
    .waitFor();
  const { client } = await loggedIn(address, 'alice');
  const { flows } = await client.flows.list({ name });
  const { flow } = await client.flows.get(flows[0]?.flow_id ?? '');
  expect(flow[0]).toMatchObject({ config: { connection_params: { paths: ['/nowhere', '/elsewhere'] } } });
  expect(flow.slice(3)).toMatchObject([
    {
      config: {
        branches: {
          english: { criteria_list: ["lang_name = 'en'"] },
          rest: { criteria_list: ["lang_name <> 'en'", "lang_name <> 'de'"], logical_operator: 'OR' },
        },
      },
    },
    { depends_on: ['branching.english'] },
    { depends_on: ['branching.rest'] },
  ]);
  expect(problems).toEqual([]);
});

test('an earlier version is compared and restored; a version saved by another user is not overwritten', async () => {
  const { client } = await loggedIn(address, 'alice');
  const flow = { flow_name: `versions-${system.env['DOCLOOM_TASK_QUEUE']}`, flow: reading('/nowhere') };
  const { flow_id } = await client.flows.create(flow);
  await client.flows.patch(flow_id, { flow_name: `${flow.flow_name}-renamed` });
  const { page, problems } = await console.openAs('alice', `/flows/${flow_id}`);
  await page.getByRole('heading', { name: `${flow.flow_name}-renamed`, level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Compare version 2' }).click();
  const difference = page.getByRole('region', { name: 'Differences between version 2 and version 1' });
  await difference
    .getByRole('row')
    .filter({ hasText: 'flow_name' })
    .getByText(flow.flow_name, { exact: true })
    .waitFor();
  await difference.getByRole('button', { name: 'Close the comparison' }).click();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByText('It becomes the newest version.').waitFor();
  expect(await getFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('Version 1 was restored.').waitFor();
  await page.getByRole('heading', { name: flow.flow_name, level: 1, exact: true }).waitFor();
  await page.getByText('restores version 1').waitFor();
  const name = page.getByRole('textbox', { name: 'Name of the flow', exact: true });
  expect(await name.inputValue()).toBe(flow.flow_name);
  await client.flows.patch(flow_id, { flow_name: `${flow.flow_name}-by-another` });
  await name.fill(`${flow.flow_name}-late`);
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.getByText('Another user changed the flow after you opened it.').waitFor();
  expect((await client.flows.get(flow_id)).flow_name).toBe(`${flow.flow_name}-by-another`);
  expect(problems).toEqual([]);
});

test('a viewer sees the flow of a project and may not run it; as runner, given by keyboard, they may', async () => {
  const { page: viewer } = await console.openAs('bob', `/projects/${projectId}`);
  await viewer.getByText('My role: Viewer').waitFor();
  expect(await viewer.getByRole('button', { name: /Save the members|Remove/ }).count()).toBe(0);
  await viewer.getByRole('link', { name: /^work-/ }).click();
  await viewer.getByRole('button', { name: 'Save and run' }).click();
  await viewer.getByText(/may change it/).waitFor();
  const { page, problems } = await console.openAs('alice', `/projects/${projectId}`);
  await page.getByLabel('Role of bob').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('combobox', { name: 'User name', exact: true }).fill('erin');
  await page.keyboard.press('Tab');
  for (let count = 0; count < 3; count += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('The changes are not saved yet.').waitFor();
  await page.getByRole('button', { name: 'Remove dave' }).click();
  expect(await getFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save the members' }).click();
  await page.getByText('Saved.').waitFor();
  const { client } = await loggedIn(address, 'bob');
  const { members, roles } = await client.projects.get(projectId);
  expect(members).toEqual(['bob', 'erin']);
  expect(roles).toEqual([
    { user: 'bob', role: 'runner' },
    { user: 'erin', role: 'manager' },
  ]);
  await client.jobRuns.create({ flow_id: flowId });
  const alice = (await loggedIn(address, 'alice')).client;
  await alice.projects.patch(projectId, { description: 'changed by another program' });
  await page.getByRole('button', { name: 'Remove erin' }).click();
  await page.getByRole('button', { name: 'Save the members' }).click();
  await page.getByText('Another user has changed the project.').waitFor();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('changed by another program').waitFor();
  expect((await alice.projects.get(projectId)).members).toEqual(['bob', 'erin']);
  expect(problems).toEqual([]);
});

test('a project is created, gets a flow in the editor, and is removed with it', async () => {
  const { page, problems } = await console.openAs('alice', '/projects');
  const name = `<i>quay</i> ${system.env['DOCLOOM_TASK_QUEUE']}`;
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('button', { name: 'Create the project' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('The project has no flows.').waitFor();
  const { client } = await loggedIn(address, 'alice');
  const { flow_id } = await client.flows.create({ flow_name: `quay-${Date.now()}`, flow: reading('/nowhere') });
  const own = page.url();
  await page.goto(`${address}/console/flows/${flow_id}`);
  await page.getByLabel('Project', { exact: true }).selectOption(name);
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.getByText('Saved.').waitFor();
  await page.goto(own);
  await page.getByRole('link', { name: /^quay-/ }).waitFor();
  await page.getByRole('button', { name: 'Remove the project' }).click();
  await page.getByText('The project and its flows are removed.').waitFor();
  await page.getByRole('button', { name: 'Remove the project' }).click();
  await page.waitForURL('**/console/projects');
  await findRow(page, name).waitFor({ state: 'detached' });
  await expect(client.flows.get(flow_id)).rejects.toMatchObject({ status: 404 });
  expect(problems).toEqual([]);
});
