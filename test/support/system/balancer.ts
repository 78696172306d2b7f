import { once } from 'node:events';
import net from 'node:net';

/** A load balancer for connections, like a Kubernetes Service: it does not know HTTP. */
export interface Balancer {
  address: string;
  close(): void;
}

/** Takes the servers on these loopback ports in turn and skips those that refuse. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<net.Socket>();
  let turn = 0;
  // Each connection has its own order: with a shared one, all its tries may meet the server that refuses.
  const connect = async (tried = 0, first = turn++): Promise<net.Socket> => {
    const target = net.connect(ports[(first + tried) % ports.length] as number, '127.0.0.1');
    try {
      await once(target, 'connect');
      return target;
    } catch (error) {
      if (tried + 1 >= ports.length) throw error;
      return connect(tried + 1, first);
    }
  };
  const server = net.createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy()).on('close', () => sockets.delete(client));
    connect().then(
      (target) => {
        target.on('error', () => client.destroy());
        client.on('close', () => target.destroy());
        client.pipe(target).pipe(client);
      },
      () => client.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
