/**
 * Uses that `@Idempotent` and `@IdempotentHandler` must refuse or accept at compile time. Nothing here runs: the check is
 * `npm run typecheck`, where a line after `@ts-expect-error` that compiles is an error.
 */
import { Idempotent, IdempotentHandler } from 'nest-redis-lock/idempotency';

interface Payment {
  readonly key: string;
  readonly amount: number;
}

export abstract class Accepted {
  @Idempotent('pay:<0.key>', { ttl: '24h', wait: '5s', fingerprint: ({ amount }: Payment) => amount })
  async pay(_payment: Payment): Promise<{ readonly id: string }> {
    return { id: '' };
  }

  @Idempotent((payment: Payment) => payment.key, { errors: [RangeError] })
  async byFunction(_payment: Payment): Promise<void> {}

  @IdempotentHandler('pay:<user.id>:<headers.idempotency-key>', { fingerprint: (context) => context.getArgs() })
  handler(): number {
    return 0;
  }
}

export abstract class Refused {
  // @ts-expect-error -- a date comes out as text
  @Idempotent('pay:<0>')
  async date(_key: string): Promise<{ readonly at: Date }> {
    return { at: new Date() };
  }

  // @ts-expect-error -- there is no such argument
  @Idempotent('pay:<1>')
  async missing(_key: string): Promise<void> {}

  // @ts-expect-error -- arguments are those of @Idempotent
  @IdempotentHandler('pay:<0>')
  argument(_key: string): void {}
}

// @ts-expect-error -- an answer is kept for a time
Idempotent('pay', { ttl: true });
// @ts-expect-error -- a handler has no signal for that
IdempotentHandler('pay:<body.id>', { cancelOnDisconnect: true });
