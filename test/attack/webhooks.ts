import { type Case, spellings } from './cases';
import { until, type World } from './world';

/** Webhooks at this machine, at private networks and at metadata services: refused when made, or nothing arrives. */
export const webhooks: Case = async (world, { port, received }) => {
  const found: string[] = [];
  const own = new URL(world.url).host;
  const others = ['10.0.0.1', '192.168.1.1', '169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '100.64.0.1'];
  for (const host of [...spellings(port), own, ...others]) {
    const body = { url: `http://${host}/canary`, events: ['run.ended'] };
    const answer = await world.ask('other', { method: 'POST', path: '/api/v1/webhooks', body });
    if (answer.status !== 201) continue;
    const { webhook_id } = answer.body as { webhook_id: string };
    if (others.includes(host)) found.push(`a webhook at ${host} is taken`);
    else if (await isDelivered(world, webhook_id)) found.push(`a message to ${host} is delivered`);
    await world.client('other').webhooks.remove(webhook_id);
  }
  if (received.length > 0) found.push(`a webhook reaches this machine: ${received[0]}`);
  return found;
};

async function isDelivered(world: World, webhookId: string): Promise<boolean> {
  const { webhooks } = world.client('other');
  await webhooks.test(webhookId);
  const delivery = await until('the first attempt at a webhook is recorded', async () => {
    const [item] = (await webhooks.deliveries(webhookId)).items;
    return item && item.attempts.length > 0 ? item : undefined;
  });
  return delivery.attempts.some(({ status_code }) => status_code !== undefined);
}
