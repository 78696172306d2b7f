import type { KeyScope } from '../../model/login/wire-keys';
import type { SignedRole } from './accounts';
import type { Case } from './cases';
import type { World } from './world';

const make = async (world: World, role: SignedRole, scopes: KeyScope[]) => {
  const made = await world.client(role).apiKeys.create({ name: world.stage.nameOf('probe'), scopes });
  world.remember(role, `/api/v1/api-keys/${made.key_id}`);
  return made;
};

/** Keys of smaller scope, altered and revoked keys, keys that make keys, and keys of administrators without their scope. */
export const apiKeys: Case = async (world) => {
  const found: string[] = [];
  const expect = async (token: string, [method, path, body]: readonly [string, string, unknown?], status: number) => {
    const answer = await world.send({ method, path, body, token });
    if (answer.status !== status) found.push(`${method} ${path} gets ${answer.status} instead of ${status}`);
  };
  const flow = `/api/v1/flows/${world.ids['flow_id']}`;
  const run = ['POST', '/api/v1/job_runs', { flow_id: world.ids['flow_id'] }] as const;
  const reading = await make(world, 'owner', ['read']);
  await expect(reading.key, ['GET', flow], 200);
  await expect(reading.key, ['PATCH', flow, { tags: ['x'] }], 403);
  await expect(reading.key, ['DELETE', flow], 403);
  await expect(reading.key, run, 403);
  const running = await make(world, 'owner', ['run']);
  await expect(running.key, ['GET', flow], 403);
  await expect(running.key, ['PATCH', `/api/v1/graphs/${world.ids['graph_id']}`, { readers: ['other'] }], 403);
  const writing = await make(world, 'owner', ['read', 'run', 'write']);
  await expect(writing.key, ['POST', '/api/v1/api-keys', { name: 'more', scopes: ['read'] }], 403);
  await expect(writing.key, ['POST', '/auth/logout'], 403);
  await expect((await make(world, 'other', ['read', 'run', 'write'])).key, ['GET', flow], 404);
  const ofAdmin = await make(world, 'admin', ['read', 'write']);
  await expect(ofAdmin.key, ['GET', flow], 404);
  await expect(ofAdmin.key, ['GET', '/api/v1/audit'], 403);
  await expect(ofAdmin.key, ['GET', '/api/v1/service-accounts'], 403);
  const { token } = world.account('other');
  await expect(token, ['POST', '/api/v1/api-keys', { name: 'x', scopes: ['admin'] }], 403);
  const account = world.ids['account_name'];
  await expect(token, ['POST', '/api/v1/api-keys', { name: 'x', scopes: ['read'], service_account: account }], 403);
  await expect(`${reading.key.slice(0, -2)}AA`, ['GET', flow], 401);
  await world.client('owner').apiKeys.remove(reading.key_id);
  await expect(reading.key, ['GET', flow], 401);
  return found;
};
