import type { Socket } from 'node:net';

/** What is used of the parser that undici keeps on each socket of HTTP/1. */
interface Parser {
  paused: boolean;
  ptr: number;
  llhttp: { llhttp_resume(ptr: number): void };
  resume(): void;
}

/**
 * Keeps a server from ending the process: undici 7 throws where nobody can catch it if a server closes its connection while a reader has
 * not yet taken what arrived (nodejs/undici 5360, solved in version 8, which needs Node 22). Call it before undici gets the socket: its
 * own listener must run later. What arrived stays in memory until it is read, as for any other response.
 */
export function surviveEarlyEnd(socket: Socket): void {
  socket.on('end', () => {
    const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
    const parser = key && (socket as unknown as Record<symbol, Parser | null>)[key];
    if (!parser?.paused) return;
    // Every byte has been parsed, so this completes a response whose length is known.
    parser.resume();
    if (!parser.paused || socket.destroyed) return;
    // The end of the connection is the end of the body; undici's listener says so to the parser.
    parser.llhttp.llhttp_resume(parser.ptr);
    parser.paused = false;
  });
}
