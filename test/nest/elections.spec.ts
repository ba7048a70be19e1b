import { Injectable, Scope } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { currentHold, type Hold, LeaderOnly, LockOptionsError, LockService, OnElected } from 'nest-redis-lock';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { compile, start } from './applications.js';

@Injectable()
class Mailer {
  readonly log: string[] = [];
  readonly sending = new Gate();

  @OnElected('mailer')
  async sendUntil(signal: AbortSignal, hold: Hold): Promise<void> {
    this.log.push(`elected, held ${hold.isHeld}`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.log.push('stopped');
  }

  @LeaderOnly('mailer')
  async send(text: string): Promise<string | undefined> {
    this.log.push(`sends ${text}`);
    await this.sending.pass();
    this.log.push(`has sent ${text}`);
    return currentHold()?.name;
  }
}

@Injectable()
class Reporter {
  @LeaderOnly('reports')
  async report(): Promise<number | undefined> {
    return 7;
  }
}

@Injectable()
class Failing {
  elected = 0;

  @OnElected('failing')
  fail(): never {
    this.elected += 1;
    throw new Error('not today');
  }
}

describe('Methods of a leader', () => {
  let server: RedisServer;
  const applications: TestingModule[] = [];

  const open = async (providers: readonly (new (...args: never[]) => object)[]): Promise<TestingModule> => {
    const app = await start({ providers: [...providers] }, { connection: server.url });
    applications.push(app);
    return app;
  };

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterEach(async () => {
    await Promise.all(applications.splice(0).map((app) => app.close()));
  });
  afterAll(() => server.stop());

  it('run in the process that was elected, and in the next one when it ends', async () => {
    const first = await open([Mailer]);
    const one = first.get(Mailer);
    await until(() => one.log.length === 1);
    const second = await open([Mailer]);
    const other = second.get(Mailer);
    await expect(other.send('b')).resolves.toBeUndefined();
    expect(other.log).toEqual([]);

    const sent = one.send('a');
    await one.sending.reached;
    const closed = first.close();
    await until(() => one.log.includes('stopped'));
    // The lock is kept until what runs as the leader has ended.
    await expect(second.get(LockService).getLock('mailer').isLocked()).resolves.toBe(true);
    expect(other.log).toEqual([]);
    one.sending.open();
    await expect(sent).resolves.toBe('mailer');
    await until(() => other.log.length === 1);
    await closed;
    expect(one.log).toEqual(['elected, held true', 'sends a', 'stopped', 'has sent a']);
    other.sending.open();
    await expect(other.send('b')).resolves.toBe('mailer');
    await expect(one.send('c')).resolves.toBeUndefined();
  });

  it('need no method that is called when the process is elected', async () => {
    const reporter = (await open([Reporter])).get(Reporter);
    await until(async () => (await reporter.report()) === 7);
    const other = (await open([Reporter])).get(Reporter);
    await expect(other.report()).resolves.toBeUndefined();
  });

  it('step down if they fail, and the process stands again', async () => {
    const app = await open([Failing]);
    const failures: string[] = [];
    app.get(LockService).onEvent((event) => {
      if (event.type === 'election-failed') failures.push(event.lockName);
    });
    await until(() => app.get(Failing).elected > 1);
    expect(failures).toContain('failing');
  });

  it('are those of instances from factories, too', async () => {
    const app = await start(
      { providers: [{ provide: Mailer, useFactory: () => new Mailer() }] },
      { connection: server.url },
    );
    applications.push(app);
    await until(() => app.get(Mailer).log.length === 1);
    expect(app.get(Mailer).log).toEqual(['elected, held true']);
  });

  it('may be overridden, with the decorator or without it', async () => {
    @Injectable()
    class Quiet extends Mailer {
      override async sendUntil(): Promise<void> {
        this.log.push('quiet');
      }
    }
    @Injectable()
    class Other extends Mailer {
      @OnElected('other')
      override async sendUntil(): Promise<void> {
        this.log.push('other');
      }
    }
    const app = await open([Quiet, Other]);
    await until(() => app.get(Quiet).log.length === 1 && app.get(Other).log.length === 1);
    expect([app.get(Quiet).log, app.get(Other).log]).toEqual([['quiet'], ['other']]);
  });

  it('are refused where their connection is missing', async () => {
    const app = await compile({ providers: [Failing] }, { connections: { billing: server.url } });
    await expect(app.init()).rejects.toThrow('@OnElected Failing.fail cannot be locked');
    await app.close();
  });

  it('are not looked for in a proxy that refuses to be read', async () => {
    const refusing = new Proxy(
      {},
      {
        get: (target, property) => {
          if (typeof property === 'symbol' && property.description?.startsWith('@Locked')) throw new Error('refused');
          return Reflect.get(target, property) as unknown;
        },
      },
    );
    const app = await start({ providers: [{ provide: 'proxy', useValue: refusing }] });
    expect(app.get('proxy')).toBe(refusing);
    await app.close();
  });

  it('are one of each election, so that a failure of the one need not stop the other', async () => {
    @Injectable()
    class Second {
      @OnElected('mailer')
      run(): void {}
    }
    const app = await compile({ providers: [Mailer, Second] });
    const starting = app.init();
    await expect(starting).rejects.toThrow(LockOptionsError);
    await expect(starting).rejects.toThrow(
      '@OnElected Mailer.sendUntil and @OnElected Second.run are both for the leader of "mailer"',
    );
    await app.close();
  });

  it.each([Scope.REQUEST, Scope.TRANSIENT])('are refused in a class of another scope (%p)', async (scope) => {
    @Injectable({ scope })
    class Scoped {
      @LeaderOnly('mailer')
      async run(): Promise<void> {}
    }
    const app = await compile({ providers: [Scoped] });
    await expect(app.init()).rejects.toThrow('@LeaderOnly Scoped.run cannot take part in an election');
    await app.close();
  });

  it('refuse a name that is none', async () => {
    @Injectable()
    class Nameless {
      @OnElected('')
      run(): void {}
    }
    const app = await compile({ providers: [Nameless] });
    await expect(app.init()).rejects.toThrow('name');
    await app.close();
  });
});
