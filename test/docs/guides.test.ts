import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zipSync } from 'fflate';
import { writePdf } from '../../samples/write-pdf';
import { scanReceiptAsPdf } from '../support/documents/scan-receipt';
import { createNewcomer, type Newcomer } from '../support/system/newcomer';
import { until } from '../support/system/system';
import { followedPages, whyNotRun } from './not-run';

// Follows the pages to the letter, in their order and with one installation.
const root = path.join(__dirname, '..', '..');
let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await createNewcomer();
  cpSync(path.join(root, 'samples'), path.join(newcomer.folder, 'samples'), { recursive: true });
  // What a checkout has: the package under its own name, and the Python client.
  mkdirSync(path.join(newcomer.folder, 'node_modules'));
  symlinkSync(root, path.join(newcomer.folder, 'node_modules', 'docloom'));
  cpSync(path.join(root, 'client', 'python'), path.join(newcomer.folder, 'client', 'python'), { recursive: true });
  await writeReaderFiles(newcomer.folder);
});
afterAll(() => newcomer?.leave(), 120_000);

/** Files that pages expect a reader to have, under the names that the pages give them. */
async function writeReaderFiles(folder: string): Promise<void> {
  const samples = path.join(root, 'samples');
  const copies = {
    'report.docx': 'documents/finance/supply-contract.docx',
    'papers/contract.docx': 'documents/finance/supply-contract.docx',
    'papers/2024/policy.html': 'documents/public/travel-policy.html',
    'slides.pptx': 'documents/public/company-profile.pptx',
    'handbook.md': 'documents/public/employee-handbook.md',
    'mail/late.eml': 'relevance/documents/english/late-housings.eml',
    'documents/policy.html': 'documents/public/travel-policy.html',
  };
  for (const [name, sample] of Object.entries(copies)) cpSync(path.join(samples, sample), path.join(folder, name));
  const flow = readFileSync(path.join(samples, 'flows', 'quickstart.json'), 'utf8');
  writeFileSync(path.join(folder, 'flow.json'), flow.replaceAll('"../documents', '"samples/documents'));
  writeFileSync(path.join(folder, 'papers.zip'), zipSync({ 'notes.txt': Buffer.from('A note.') }));
  const pages = Array.from({ length: 5 }, (_, page) => [{ heading: `Page ${page + 1}` }, { pageBreak: true } as const]);
  writeFileSync(path.join(folder, 'scan.pdf'), await writePdf('Scan', pages.flat(), 'secret'));
  writeFileSync(path.join(folder, 'receipt.pdf'), await scanReceiptAsPdf());
}

async function run(command: string) {
  const { code, output } = await newcomer.type(command);
  return { command, code, output };
}

/** A member of a reply of the API, as the reader would copy it. */
async function getMember(address: string, member: string): Promise<string> {
  const asked = `curl -s "$(docloom status --json | node -p 'JSON.parse(require("fs").readFileSync(0)).parts[0].address')${address}" -H "authorization: Bearer $(docloom token --user alice)"`;
  const { output } = await newcomer.type(`${asked} | node -p 'JSON.parse(require("fs").readFileSync(0)).${member}'`);
  // Above it, the shell may complain about the settings of this machine.
  return output.trim().split('\n').at(-1) ?? '';
}

/** The words in capitals that the reader replaces. */
const filledIn = {
  async GRAPH_ID() {
    await until('the graph is finished', async () => {
      return /COMPLETED|FAILED/.test(await getMember('/api/v1/graphs?limit=1', 'items[0].state'));
    });
    return getMember('/api/v1/graphs?limit=1', 'items[0].id');
  },
  SET_ID: () => getMember('/api/v1/document-sets?name=reports', 'items[0].id'),
  JOB_RUN_ID: () => getMember('/api/v1/job_runs?limit=1', 'list[0].job_run_id'),
};

test.each(followedPages)(
  'the commands of %s work as documented',
  async (page) => {
    const isLeftOut = (command: string) => whyNotRun(page, command) !== undefined;
    expect(await newcomer.follow(path.join(root, page), { isLeftOut, filledIn })).toBeUndefined();
  },
  600_000,
);

test('the program of the guide to the HTTP API runs', async () => {
  const { code, output } = await run('node client.mjs');
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/COMPLETED\n4 \S/) });
});

test('the Python client is installed and runs its programs', async () => {
  // In a folder of its own, where a reader might install it for the user.
  const inVenv = '. venv/bin/activate &&';
  expect(await run(`python3 -m venv venv && ${inVenv} pip install --quiet ./client/python`)).toMatchObject({ code: 0 });
  const page = 'client/python/README.md';
  const isLeftOut = (command: string) => whyNotRun(page, command) !== undefined;
  expect(await newcomer.follow(path.join(root, page), { isLeftOut })).toBeUndefined();
  expect(await run(`${inVenv} python run_flow.py`)).toMatchObject({
    code: 0,
    output: expect.stringContaining("'documents': 4"),
  });
  expect(await run(`${inVenv} python notebook.py`)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^# Framework Supply Contract\n\S/m),
  });
  expect(await run(`${inVenv} pip install --quiet pandas requests`)).toMatchObject({ code: 0 });
  expect(await run(`${inVenv} python tables.py`)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/Figure +2022 +2023 +2024\n[^]*chunk_index +num_tokens/),
  });
  expect(readFileSync(path.join(newcomer.folder, 'page-3.png')).toString('latin1', 1, 4)).toBe('PNG');
});
