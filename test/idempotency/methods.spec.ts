import { setTimeout as sleep } from 'node:timers/promises';
import { BadRequestException, Injectable, ServiceUnavailableException } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { LockConflictError, LockNameError, LockOptionsError, SingleFlight } from 'nest-redis-lock';
import { Idempotent, IdempotencyError, IdempotentHandler } from 'nest-redis-lock/idempotency';
import { Observable } from 'rxjs';
import { thrownBy } from '../kit/caught.js';
import { until } from '../kit/until.js';
import { applicationBackends } from '../nest/application-backends.js';

interface Payment {
  readonly key: string;
  readonly amount: number;
  readonly trace?: string;
}

class CardRefused extends Error {
  constructor(readonly reason: string) {
    super(`The card was refused: ${reason}`);
  }
}

let runs: string[] = [];
let finish: () => void = () => {};
let running: Promise<void> = Promise.resolve();

@Injectable()
class Payments {
  @Idempotent('pay:<0.key>', { errors: [CardRefused] })
  async pay({ key, amount }: Payment): Promise<{ amount: number; run: number }> {
    runs.push(key);
    if (amount === 400) throw new BadRequestException('No such card');
    if (amount === 402) throw new CardRefused('empty');
    if (amount === 500) throw new ServiceUnavailableException('Try again later');
    if (amount === 501) throw new Error('A bug');
    await running;
    return { amount, run: runs.length };
  }

  @Idempotent('pay:<0.key>', { wait: '1m', fingerprint: ({ amount }: Payment) => amount })
  async payAfterwards({ key }: Payment): Promise<number> {
    runs.push(key);
    await running;
    return runs.length;
  }

  @Idempotent('brief:<0>', { ttl: 1 })
  async brief(_key: string): Promise<number> {
    return runs.push('brief');
  }

  @Idempotent('long:<0>')
  async long(_key: string): Promise<string> {
    runs.push('long');
    return 'x'.repeat(1_000_001);
  }

  @Idempotent('circular:<0>')
  async circular(_key: string, _self: object): Promise<void> {
    runs.push('circular');
  }

  @Idempotent('stream:<0>')
  async stream(_key: string): Promise<unknown> {
    runs.push('stream');
    return new Observable();
  }

  @SingleFlight('pay:<0>', { ttl: '1m' })
  async total(_key: string): Promise<string> {
    return 'a single flight of the same name';
  }
}

/** A call in the millisecond of a failure counts as one that waited for it, and shares it. */
const later = (): Promise<void> => sleep(5);

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing',
    (error: unknown) => error,
  );

describe.each(applicationBackends)('An @Idempotent method %s', (place, makeBackend) => {
  const backend = makeBackend();
  let [one, other]: readonly TestingModule[] = [];
  let [here, there]: readonly Payments[] = [];

  const payments = (): [Payments, Payments] => {
    if (!here || !there) throw new Error('The applications have not started');
    return [here, there];
  };

  beforeAll(() => backend.open());
  beforeEach(async () => {
    runs = [];
    running = Promise.resolve();
    [one, other] = [
      await backend.application({ providers: [Payments] }),
      await backend.application({ providers: [Payments] }),
    ];
    [here, there] = [one.get(Payments), other.get(Payments)];
  });
  afterEach(() => Promise.all([one?.close(), other?.close()]));
  afterAll(() => backend.close());

  /** Applications in memory share nothing; each has the answers of its own. */
  const shares = place === 'on Redis';

  it('runs once for its key, and repeats its result', async () => {
    const [a, b] = payments();
    const first = await a.pay({ key: 'r1', amount: 7 });
    expect(first).toEqual({ amount: 7, run: 1 });
    await expect(a.pay({ key: 'r1', amount: 7 })).resolves.toEqual(first);
    await expect((shares ? b : a).pay({ key: 'r1', amount: 7 })).resolves.toEqual(first);
    await expect(a.pay({ key: 'r2', amount: 7 })).resolves.toEqual({ amount: 7, run: 2 });
    expect(runs).toEqual(['r1', 'r2']);
  });

  it('repeats errors that are answers, with their class and fields', async () => {
    const [a, b] = payments();
    for (const [key, amount, expected] of [
      ['e1', 400, BadRequestException],
      ['e2', 402, CardRefused],
    ] as const) {
      const first = await caught(a.pay({ key, amount }));
      expect(first).toBeInstanceOf(expected);
      const again = await caught((shares ? b : a).pay({ key, amount }));
      expect(again).toBeInstanceOf(expected);
      expect(again).toMatchObject({ message: (first as Error).message });
    }
    await expect(caught(a.pay({ key: 'e2', amount: 402 }))).resolves.toMatchObject({ reason: 'empty' });
    expect(runs).toEqual(['e1', 'e2']);
  });

  it('runs again after any other error', async () => {
    const [a] = payments();
    await expect(a.pay({ key: 'f1', amount: 500 })).rejects.toThrow(ServiceUnavailableException);
    await later();
    await expect(a.pay({ key: 'f1', amount: 7 })).resolves.toMatchObject({ run: 2 });
    await expect(a.pay({ key: 'f2', amount: 501 })).rejects.toThrow('A bug');
    await later();
    await expect(a.pay({ key: 'f2', amount: 501 })).rejects.toThrow('A bug');
    expect(runs).toEqual(['f1', 'f1', 'f2', 'f2']);
  });

  it('refuses a call with the key of another one', async () => {
    const [a, b] = payments();
    await a.pay({ key: 'o1', amount: 7 });
    const error = await caught((shares ? b : a).pay({ key: 'o1', amount: 8 }));
    expect(error).toBeInstanceOf(IdempotencyError);
    expect(error).toMatchObject({ code: 'LOCK_IDEMPOTENCY', reason: 'key-reused', template: 'pay:<0.key>' });
    expect((error as Error).message).toMatch(/^@Idempotent Payments\.pay was called with the key of another call/);
    expect(runs).toEqual(['o1']);
  });

  it('refuses a call while the first one runs, or lets it wait for the answer', async () => {
    running = new Promise((resolve) => (finish = resolve));
    const [a, b] = payments();
    const first = a.payAfterwards({ key: 'w1', amount: 7 });
    await until(() => runs.length === 1);
    const beside = shares ? b : a;
    await expect(beside.pay({ key: 'w1', amount: 7 })).rejects.toThrow(LockConflictError);
    const waiting = beside.payAfterwards({ key: 'w1', amount: 7, trace: 'another' });
    const another = caught(beside.payAfterwards({ key: 'w1', amount: 8 }));
    finish();
    await expect(first).resolves.toBe(1);
    await expect(waiting).resolves.toBe(1);
    await expect(another).resolves.toMatchObject({ reason: 'key-reused' });
    expect(runs).toEqual(['w1']);
  });

  it('runs again when the answer has expired', async () => {
    const [a] = payments();
    await expect(a.brief('b')).resolves.toBe(1);
    await until(async () => (await a.brief('b')) > 1);
  });

  it('gives an answer that is too long to the first call only', async () => {
    const [a, b] = payments();
    await expect(a.long('l')).resolves.toHaveLength(1_000_001);
    await expect(caught((shares ? b : a).long('l'))).resolves.toMatchObject({ reason: 'answer-too-long' });
    expect(runs).toEqual(['long']);
  });

  it('refuses what cannot be compared before it runs, and what cannot be repeated after it has', async () => {
    const [a] = payments();
    const self: Record<string, unknown> = {};
    self['self'] = self;
    const error = await caught(a.circular('c', self));
    expect(error).toBeInstanceOf(LockOptionsError);
    expect((error as Error).message).toContain('give fingerprint');
    await expect(a.stream('s')).rejects.toThrow(TypeError);
    expect(runs).toEqual(['stream']);
  });

  it('shares nothing with a single flight of the same name', async () => {
    const [a] = payments();
    await a.total('n1');
    await expect(a.pay({ key: 'n1', amount: 7 })).resolves.toMatchObject({ amount: 7 });
  });
});

describe('@Idempotent', () => {
  const apply = (key: unknown, options?: unknown) => () => {
    class Broken {
      async run(_arg: string): Promise<void> {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Broken.prototype, 'run');
    (Idempotent as unknown as (...args: unknown[]) => MethodDecorator)(key, options)(
      Broken.prototype,
      'run',
      descriptor ?? {},
    );
  };

  it.each([
    [{ ttl: 0 }, 'ttl must be'],
    [{ ttl: 'soon' }, 'ttl'],
    [{ fingerprint: 'body' }, 'fingerprint must be a function, not "body"'],
    [{ errors: [BadRequestException, 'Error'] }, 'errors must be a list of classes that extend Error'],
    [{ wait: -1 }, 'wait'],
    [{ maxAge: 1 }, 'unknown option "maxAge" of @Idempotent'],
  ])('refuses %p', (options, message) => {
    expect(thrownBy(apply('pay:<0>', options), LockOptionsError).message).toContain(message);
    thrownBy(() => IdempotentHandler('pay:<body.id>', options as never), LockOptionsError);
  });

  it('refuses keys that name no argument, and no part of a request', () => {
    expect(thrownBy(apply('pay:<key>'), LockNameError).message).toContain('"<key>", which names no argument');
    expect(thrownBy(apply(7), LockNameError).message).toContain('@Idempotent');
    const handler = () => IdempotentHandler('pay:<0>' as never);
    expect(thrownBy(handler, LockNameError).message).toContain('names no part of a request');
  });
});
