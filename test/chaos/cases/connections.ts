import { setTimeout as sleep } from 'node:timers/promises';
import { LockUnavailableError } from '../../../lib/standalone.js';
import type { ChaosCase } from '../case.js';
import { FaultProxy } from '../../servers/proxy/fault-proxy.js';
import { COMMAND_MS } from '../chaos-run.js';

/** Connections that break, or that are dead without a sign of it. */
export const connectionCases: readonly ChaosCase[] = [
  {
    id: 'F12',
    title: 'CLIENT KILL of commands and subscribers every 300 ms',
    topologies: ['standalone', 'sentinel', 'cluster', 'redlock'],
    run: async (chaosRun) => {
      for (let round = 0; round < 10 * chaosRun.scale; round++) {
        for (const server of await chaosRun.topology.masters()) {
          for (const type of ['normal', 'pubsub']) {
            await chaosRun.topology.admin(server).call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
          }
        }
        await sleep(300);
      }
      await chaosRun.progress('I8: after the kills');
    },
  },
  {
    id: 'F28',
    title: 'subscriber half open, and no poll is near',
    topologies: ['standalone'],
    load: () => [],
    options: { safetyPoll: 60_000, commandTimeout: 1000 },
    run: async (chaosRun) => {
      const [holder, waiter] = [chaosRun.open(), chaosRun.open()];
      const hold = await holder.locks.acquire('order:1', { lease: 60_000 });
      const waiting = waiter.locks.acquire('order:1', { wait: 30_000 });
      await sleep(300);
      const [proxy] = chaosRun.topology.proxies;
      // No message from the server arrives. Commands are cut, and sent again over new connections.
      proxy?.blackhole('reply');
      await sleep(200);
      await holder.locks
        .getLock('order:1')
        .isLocked()
        .catch(() => {});
      proxy?.heal();
      const released = performance.now();
      await hold.release();
      const next = await waiting;
      chaosRun.expect(performance.now() - released < 4000 + 1000, 'I8: a deaf waiter was not served within Hb + D');
      await next.release();
    },
  },
  {
    id: 'F38',
    title: 'a peer that accepts and never answers, or closes at once',
    topologies: ['standalone'],
    overrun: 1500,
    run: async (chaosRun) => {
      const [proxy] = chaosRun.topology.proxies;
      if (!proxy) throw new Error('There is no proxy');
      for (const welcome of ['silent', 'close'] as const) {
        if (welcome === 'silent') proxy.acceptThenSilent();
        else proxy.acceptThenClose();
        proxy.cutAll();
        const client = chaosRun.open();
        const start = performance.now();
        const error = await client.locks.tryAcquire('f38').catch((refused: unknown) => refused);
        const ms = performance.now() - start;
        chaosRun.expect(error instanceof LockUnavailableError, `I3: ${welcome}: it was not refused`);
        chaosRun.expect(ms < COMMAND_MS + 300, `I3: ${welcome}: it took ${Math.round(ms)} ms to be refused`);
        await sleep(500);
        proxy.heal();
        await chaosRun.progress(`after ${welcome}`);
      }
    },
  },
  {
    id: 'F39',
    title: 'subscribing again fails: right to channels revoked and given back, cuts meanwhile',
    topologies: ['standalone'],
    run: async (chaosRun) => {
      const [server] = chaosRun.topology.servers;
      const [proxy] = chaosRun.topology.proxies;
      if (!server || !proxy) throw new Error('There is no server');
      const admin = chaosRun.topology.admin(server);
      for (let round = 0; round < 3 * chaosRun.scale; round++) {
        await admin.call('ACL', 'SETUSER', 'default', 'resetchannels');
        proxy.cutAll();
        await sleep(60);
        proxy.cutAll();
        await sleep(300);
        await admin.call('ACL', 'SETUSER', 'default', 'allchannels');
        proxy.cutAll();
        await sleep(200);
      }
      await chaosRun.progress('I13: after the rights are back');
    },
  },
  {
    id: 'F48',
    title: 'output limit of subscribers, and large messages',
    topologies: ['standalone'],
    run: async (chaosRun) => {
      const [server] = chaosRun.topology.servers;
      if (!server) throw new Error('There is no server');
      const admin = chaosRun.topology.admin(server);
      await admin.config('SET', 'client-output-buffer-limit', 'pubsub 1 1 1');
      const large = 'x'.repeat(200_000);
      for (let round = 0; round < 10 * chaosRun.scale; round++) {
        for (const name of ['order:1', 'order:2']) await admin.publish(`redisson_lock__channel:{${name}}`, large);
        await sleep(150);
      }
      await chaosRun.progress('I8: after the messages');
    },
  },
  {
    id: 'F41',
    title: 'another protocol at the other end',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const [server] = chaosRun.topology.servers;
      if (!server) throw new Error('There is no server');
      const proxy = await FaultProxy.start(server);
      chaosRun.onEnd(() => proxy.close());
      // The client speaks TLS to a port without it.
      const client = chaosRun.open({ connection: { host: proxy.host, port: proxy.port, tls: {} } });
      const start = performance.now();
      const error = await client.locks.tryAcquire('f41').catch((refused: unknown) => refused);
      chaosRun.expect(error instanceof LockUnavailableError, 'it was not refused');
      chaosRun.expect(performance.now() - start < COMMAND_MS + 300, 'I3: it was not refused in time');
    },
  },
];
