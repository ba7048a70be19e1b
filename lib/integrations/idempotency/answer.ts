import { createHash } from 'node:crypto';
import { HttpException } from '@nestjs/common';
import { type FlightResult, read, returned, valueOf, write } from '../../coordination/flight-result.js';
import type { LockedExecutor, SharedCall } from '../../decorators/locked.executor.js';
import { IdempotencyError, LockOptionsError } from '../../errors.js';
import type { IdempotentPlan } from './idempotent.options.js';

/** The longest answer that is kept, in characters of JSON. */
const LONGEST = 1_000_000;

/** The answer of the first call with a key. */
interface Answer {
  /** Digest of what tells it from other calls. */
  readonly call: string;
  /** HTTP status. Absent: there is none. */
  readonly status?: number | undefined;
  /** Result or error. Absent: it was too long to be kept. */
  readonly text?: string | undefined;
}

/** The status of an HTTP response. */
export interface ResponseStatus {
  readonly statusCode: number;
  status(code: number): unknown;
}

/** A call that runs once for its key. */
export interface IdempotentCall extends Pick<SharedCall, 'template' | 'key' | 'place'> {
  readonly plan: IdempotentPlan;
  /** Tells it from other calls with the same key: a value of JSON, or a promise of one. */
  readonly fingerprint: unknown;
  /** The response whose status is part of the answer. Absent: none is. */
  readonly response?: ResponseStatus | undefined;
}

/**
 * Runs `proceed` unless a call with the same key was answered: a flight keeps the answer, and shares it with calls that wait.
 * @throws IdempotencyError, LockConflictError or LockTimeoutError while the first call runs, and what that call threw.
 */
export const answerOnce = async (
  locked: LockedExecutor,
  { plan, fingerprint, response, template, key, place }: IdempotentCall,
  proceed: () => unknown,
): Promise<unknown> => {
  const call = digestOf(await fingerprint, place);
  const { codec } = plan;
  let own: FlightResult | undefined;
  const run = async (): Promise<Answer> => {
    own = await outcomeOf(proceed, plan, place);
    const text = write(own, codec);
    return { call, status: response?.statusCode, text: text.length > LONGEST ? undefined : text };
  };
  const names = (maxNames: number): string | readonly string[] => {
    const name = key(maxNames);
    return typeof name === 'string' ? `idempotent:${name}` : name;
  };
  const shared = { plan: plan.shared, template, key: names, callerGone: undefined, place };
  const answer = (await locked.aroundShared(shared, run)) as Partial<Answer> | null | undefined;
  if (answer?.call !== call) throw keyReused(place, template);
  const outcome = answer.text === undefined ? own : read(answer.text, codec);
  if (!outcome) throw tooLong(place, template);
  if (answer.status !== undefined) response?.status(answer.status);
  return valueOf(outcome);
};

/** @throws what `proceed` threw, if that is no answer. */
const outcomeOf = async (proceed: () => unknown, { shared }: IdempotentPlan, place: string): Promise<FlightResult> => {
  try {
    return returned(await proceed(), place);
  } catch (error) {
    const isAnswer =
      (error instanceof HttpException && error.getStatus() < 500) ||
      shared.flight.errors.some(({ prototype }) => Object.prototype.isPrototypeOf.call(prototype, Object(error)));
    if (isAnswer) return { ended: 'threw', error };
    throw error;
  }
};

const digestOf = (fingerprint: unknown, place: string): string => {
  try {
    return createHash('sha256')
      .update(JSON.stringify([fingerprint]))
      .digest('base64url');
  } catch (cause) {
    const why = 'what tells it from others with the same key is no JSON; give fingerprint';
    throw new LockOptionsError(`A call of ${place} cannot be compared: ${why}`, { cause });
  }
};

const keyReused = (place: string, template: string | undefined): IdempotencyError =>
  new IdempotencyError(
    `${place} was called with the key of another call, which differs by its fingerprint; choose a new key for each operation`,
    'key-reused',
    { template },
  );

const tooLong = (place: string, template: string | undefined): IdempotencyError =>
  new IdempotencyError(
    `${place} was run for this key, but its answer was longer than ${LONGEST} characters, and was not kept; return less`,
    'answer-too-long',
    { template },
  );
