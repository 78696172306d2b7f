import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createRightsCheck, type StreamContext } from '../../../api/run/watch';
import { defaultApiOptions } from '../../../api/services';
import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import { alice, carol, emptyState, memoryServices } from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';

/** Streams that are open while the rights of their reader change. */
const administrators = ['admins'];
const project = {
  project_id: 'p',
  name: 'p',
  description: null,
  tags: [],
  owner: 'alice',
  members: ['carol'],
  created_on: '',
  modified_on: '',
  created_by: 'alice',
  modified_by: 'alice',
};

function open(user: User, now: { user: User | undefined }) {
  const state = emptyState();
  const run = runRecord({ status: 'RUNNING', project_id: 'p' });
  state.runs.push(run);
  state.projects.push(project);
  const context: StreamContext = {
    user,
    services: memoryServices(state, administrators),
    options: {
      ...defaultApiOptions,
      adminGroups: administrators,
      registry: new Registry(),
      logger: pino({ enabled: false }),
    },
    authenticateAgain: async () => {
      if (now.user) return now.user;
      throw new AppError('UNAUTHORIZED', 'The token was revoked by a logout.');
    },
  };
  return { mayContinue: createRightsCheck(run.job_run_id, context), state };
}

test('a member who is no longer an administrator keeps no stream that shows documents', async () => {
  const now = { user: carol };
  const { mayContinue } = open(carol, now);
  expect(await mayContinue()).toBe(true);
  now.user = { ...carol, groups: [] };
  expect(await mayContinue()).toBe(false);
});

test('a member who never was one keeps the stream until they leave the project', async () => {
  const member = { ...carol, groups: [] };
  const { mayContinue, state } = open(member, { user: member });
  expect(await mayContinue()).toBe(true);
  state.projects[0] = { ...project, members: [] };
  expect(await mayContinue()).toBe(false);
});

test('the owner of the run keeps the stream until the login has ended', async () => {
  const now: { user: User | undefined } = { user: alice };
  const { mayContinue } = open(alice, now);
  expect(await mayContinue()).toBe(true);
  now.user = undefined;
  expect(await mayContinue()).toBe(false);
});
