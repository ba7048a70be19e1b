import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Buyers connect before the sale begins and wait for the last one. */
const KEEP_ALIVE_MS = 60_000;

/**
 * Lets the HTTP server close as soon as its requests are answered. Node's server waits for each open connection, and
 * closes those only that are idle after a request when it begins to close: not the ones that browsers open before they
 * need them. (`forceCloseConnections` of Nest would also end those whose requests are being answered.)
 */
@Injectable()
export class HttpConnections implements OnApplicationBootstrap, OnModuleDestroy {
  /** Connections on which no request has come. */
  private readonly unused = new Set<Socket>();
  private isClosing = false;

  constructor(private readonly host: HttpAdapterHost) {}

  onApplicationBootstrap(): void {
    this.server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.server.on('connection', (socket: Socket) => {
      if (this.isClosing) {
        socket.destroy();
        return;
      }
      this.unused.add(socket);
      socket.once('close', () => this.unused.delete(socket));
    });
    this.server.on('request', ({ socket }) => this.unused.delete(socket));
  }

  onModuleDestroy(): void {
    this.isClosing = true;
    this.server.keepAliveTimeout = 1; // not 0, which would keep them forever
    for (const socket of this.unused) socket.destroy();
  }

  private get server(): Server {
    return this.host.httpAdapter.getHttpServer() as Server;
  }
}
