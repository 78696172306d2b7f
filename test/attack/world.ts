import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '../../client';
import { type Account, type SignedRole, type SignIn, signedRoles } from './accounts';
import type { Role, Stage } from './matrix';
import { makers } from './resources';
import { type Answer, type Ask, type Send, sendTo } from './server';
import { unreadablePdf } from './unreadable-pdf';

/** Texts that only some may ever see. */
export interface Canary {
  text: string;
  what: string;
  mayBeSeenBy: readonly Role[];
}

const longestMs = 120_000;
const finalStates = new Set(['COMPLETED', 'COMPLETED_WITH_WARNINGS', 'COMPLETED_WITH_ERRORS', 'FAILED', 'CRASHED', 'CANCELED']); // prettier-ignore

/** Waits for a condition; the error of a timeout names the condition. */
export async function until<T>(value: string, condition: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + longestMs;
  for (;;) {
    const found = await condition();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`Not within ${longestMs / 1000} s: ${value}.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/**
 * The resources of the owner on the attacked server, created through its API: documents in index and set, a run, a failed
 * document, and one of every other resource. Used-up resources are created again; `clear` removes all.
 */
export class World {
  readonly mark = randomUUID().slice(0, 8);
  readonly ids: Record<string, string> = {};
  readonly canaries: readonly Canary[];
  readonly send: Send;
  readonly stage: Stage;
  private readonly accounts = new Map<SignedRole, Account>();
  private readonly clients = new Map<SignedRole, Client>();
  private readonly made: { role: SignedRole; path: string }[] = [];
  private readonly sets = { linked: '', other: '' };
  /** What holds the owner's documents; other sets replace this one in `ids` once an attack has changed it. */
  readonly main = { flow: '', library: '', set: '' };
  private count = 0;

  constructor(
    readonly url: string,
    private readonly signIn: (mark: string) => SignIn,
  ) {
    this.send = sendTo(url);
    const text = (value: string) => `zebra${this.mark}${value}quagga`;
    this.canaries = [
      { text: text('document'), what: 'the text of a document', mayBeSeenBy: ['owner'] },
      { text: text('file'), what: 'a file of a library', mayBeSeenBy: ['owner', 'reader'] },
      { text: text('secret'), what: 'a stored secret', mayBeSeenBy: [] },
    ];
    const getName = (name: string) => `attack-${this.mark}-${name.toLowerCase()}-${(this.count += 1)}`;
    this.stage = { ids: this.ids, sets: this.sets, nameOf: getName, flow: (name) => this.flow(name) };
  }

  canary(what: 'document' | 'file' | 'secret'): string {
    return `zebra${this.mark}${what}quagga`;
  }

  account(role: SignedRole): Account {
    const account = this.accounts.get(role);
    if (!account) throw new Error(`There is no account for ${role} yet.`);
    return account;
  }

  client(role: SignedRole): Client {
    const client = this.clients.get(role);
    if (!client) throw new Error(`There is no account for ${role} yet.`);
    return client;
  }

  /** A request as the role sends it. */
  async ask(role: Role, ask: Ask): Promise<Answer> {
    return await this.send({ ...ask, token: role === 'nobody' ? undefined : this.account(role).token });
  }

  /** A separate session of the role, as after a logout. */
  async signInAgain(role: SignedRole): Promise<void> {
    const account = await this.signIn(this.mark)(role);
    this.accounts.set(role, account);
    this.clients.set(role, createClient({ baseUrl: this.url, token: account.token }));
  }

  /** The id of one more session of the role, whose end leaves the others. */
  async sessionOf(role: SignedRole): Promise<string> {
    const { token } = await this.signIn(this.mark)(role);
    const other = createClient({ baseUrl: this.url, token });
    const { username } = await other.me();
    return until('the session is listed', async () => {
      const { items } = await other.sessions.list({ username, limit: 100 });
      return items.find(({ is_current }) => is_current)?.session_id;
    });
  }

  /** Makes everything. */
  async build(): Promise<void> {
    for (const role of signedRoles) await this.signInAgain(role);
    await this.buildDocuments();
    this.sets.other = (await this.client('owner').documentSets.create({ name: this.stage.nameOf('other') })).id;
    this.remember('owner', `/api/v1/document-sets/${this.sets.other}`);
    await this.restore();
  }

  /** Resources to be removed at the end, with their owner. */
  remember(role: SignedRole, path: string): void {
    this.made.push({ role, path });
  }

  /** An attack changed or removed the resource and its dependants. */
  spend(name: string): void {
    const parts: Record<string, string[]> = {
      project_id: ['flow_id', 'schedule_id'],
      flow_id: ['schedule_id'],
      library_id: ['file_id', 'upload_id'],
    };
    for (const value of [name, ...(parts[name] ?? [])]) delete this.ids[value];
  }

  /** Creates used-up resources again. */
  async restore(): Promise<void> {
    for (const [name, make] of Object.entries(makers)) this.ids[name] ??= await make(this);
    this.sets.linked = this.ids['set_id'] ?? '';
  }

  /** Waits for the end of a run of the role. */
  async finished(role: SignedRole, runId: string) {
    return await until(`the run ${runId} ended`, async () => {
      const run = await this.client(role).jobRuns.get(runId);
      return finalStates.has(run.status) ? run : undefined;
    });
  }

  /** Removes the created resources, newest first, and returns those that remain. */
  async clear(): Promise<string[]> {
    const owner = this.client('owner');
    if (this.main.flow !== '') {
      // A run over an empty library removes the documents from the index.
      const { items } = await owner.documentLibraries.files(this.main.library);
      for (const { file_id } of items) await owner.documentLibraries.removeFile(this.main.library, file_id);
      await this.cancelRuns();
      await this.runMain();
    }
    const left: string[] = [];
    for (const { role, path } of this.made.toReversed()) {
      const forced = /\/(?:flows|projects|job_runs)\/[^/]+$/.test(path) ? `${path}?force=true` : path;
      const { status } = await this.ask(role, { method: 'DELETE', path: forced });
      if (status >= 400 && status !== 404) left.push(`${path} (${status})`);
    }
    return left;
  }

  /** Runs of one job wait for each other, and the attack may have started many. */
  private async cancelRuns(): Promise<void> {
    const owner = this.client('owner');
    const { list } = await owner.jobRuns.list({ flow_id: this.main.flow, limit: 100 });
    const open = list.filter(({ status }) => !finalStates.has(status));
    for (const { job_run_id } of open) await owner.jobRuns.cancel(job_run_id).catch(() => undefined);
    for (const { job_run_id } of open) await this.finished('owner', job_run_id);
  }

  /** A run over the documents, to its end. */
  async runMain(): Promise<string> {
    const { job_run_id } = await this.client('owner').jobRuns.create({ flow_id: this.main.flow });
    this.remember('owner', `/api/v1/job_runs/${job_run_id}`);
    await this.finished('owner', job_run_id);
    return job_run_id;
  }

  /** A flow over the private library with a secret and without an output. */
  flow(name: string): object {
    const model = { model_id: 'm', api_base: 'http://127.0.0.1:9', api_key: this.canary('secret') };
    return {
      flow_name: name,
      flow: [
        ...this.reading(),
        {
          type: 'embeddings',
          name: 'embed',
          depends_on: ['extract'],
          config: { type: 'ollama', provider_config: model },
        },
      ],
    };
  }

  private reading() {
    const config = { provider: 'library', connection_params: { library_id: this.main.library } };
    return [
      { type: 'ingest_source', name: 'ingest', config },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    ];
  }

  private async buildDocuments(): Promise<void> {
    const owner = this.client('owner');
    const library = await owner.documentLibraries.create({ name: this.stage.nameOf('private') });
    this.main.library = library.library_id;
    this.remember('owner', `/api/v1/document-libraries/${library.library_id}`);
    const text = `# Order\n\nOrder number: PO-1\n\nThe ${this.canary('document')} grazes at dawn.\n`;
    const upload = (name: string, content: string | Buffer<ArrayBuffer>) =>
      owner.documentLibraries.upload(library.library_id, { name, content: new Blob([content]) });
    await upload('order.md', text);
    await upload('broken.pdf', '%PDF-1.7\nThis is not a document.');
    // Its second page cannot be read, so it waits in the review queue.
    await upload('unreadable.pdf', Buffer.from(unreadablePdf('A page.', 'This is not text')));
    const name = this.stage.nameOf('documents');
    const readers = [this.account('reader').username];
    this.ids['index_name'] = name;
    // Members of the project see the runs, and nothing of the documents in them.
    const members = [this.account('member').username];
    const { project_id } = await owner.projects.create({ name: this.stage.nameOf('runs'), members });
    this.remember('owner', `/api/v1/projects/${project_id}`);
    const { flow_id } = await owner.flows.create({
      flow_name: name,
      project_id,
      flow: [
        ...this.reading(),
        { type: 'document_set', name: 'set', depends_on: ['extract'], config: { document_set_name: name, readers } },
        {
          type: 'vectordb',
          name: 'index',
          depends_on: ['extract'],
          config: { provider: 'opensearch', index_name: name, writers: readers },
        },
      ],
    });
    this.main.flow = flow_id;
    this.ids['failed_flow_id'] = flow_id;
    this.ids['index_name'] = name;
    this.remember('owner', `/api/v1/flows/${flow_id}`);
    this.ids['job_run_id'] = await this.runMain();
    this.ids['owner_name'] = this.account('owner').username;
    this.ids['document_id'] = await until('the document can be searched', async () => {
      const { documents } = await owner.documents.search({ query: this.canary('document') });
      return documents[0]?.id;
    });
    const { items } = await owner.documentSets.list({ name });
    this.ids['set_id'] = items[0]?.id ?? '';
    this.main.set = this.ids['set_id'];
    this.remember('owner', `/api/v1/document-sets/${this.ids['set_id']}`);
  }
}
