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
  const connect = async (left: number): Promise<net.Socket> => {
    const target = net.connect(ports[turn++ % ports.length] as number, '127.0.0.1');
    try {
      await once(target, 'connect');
      return target;
    } catch (error) {
      if (left <= 1) throw error;
      return connect(left - 1);
    }
  };
  const server = net.createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy()).on('close', () => sockets.delete(client));
    connect(ports.length).then(
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
