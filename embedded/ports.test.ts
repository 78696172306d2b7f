import { once } from 'node:events';
import { connect } from 'node:net';
import { chooseFreePort, loopback, reservePort } from './ports';

test('a reserved port is released even if a client has connected to it', async () => {
  const reserved = await reservePort(await chooseFreePort(0));
  const early = connect(reserved.port, loopback).on('error', () => undefined);
  await once(early, 'connect');
  await reserved.release();
  const again = await reservePort(reserved.port);
  expect(again.port).not.toBe(0);
  await again.release();
  early.destroy();
});
