import { createHash } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { LockService } from 'nest-redis-lock';
import { lastValueFrom, type Observable, of } from 'rxjs';

interface Request {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
  readonly user?: { readonly id: string }; // set by your guard
}

interface Response {
  readonly statusCode: number;
  status(code: number): unknown;
}

interface Answer {
  /** Digest of the request that was answered. */
  readonly asked: string;
  readonly status: number;
  readonly body?: unknown;
}

const KEPT_SECONDS = 24 * 60 * 60;

/** Runs a handler once for each `Idempotency-Key` of a client, and repeats its answer. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly locks: LockService,
    @Inject(Redis) private readonly redis: Redis,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const name = digest(request.user?.id, keyOf(request));
    const asked = digest(request.method, request.originalUrl, request.body);
    const answer = (await this.find(name)) ?? (await this.answerOnce(name, asked, response, next));
    if (answer.asked !== asked) throw new HttpException('This key belongs to another request', 422);
    if (answer.status >= 400) throw new HttpException(answer.body ?? '', answer.status);
    response.status(answer.status);
    return of(answer.body);
  }

  private answerOnce(name: string, asked: string, response: Response, next: CallHandler): Promise<Answer> {
    const onConflict = (): never => {
      throw new HttpException('The request with this key is still running', 409);
    };
    return this.locks.withLock(`idempotent:${name}`, { wait: 0, onConflict }, async () => {
      // Another process may have stored it just before it released the lock.
      const stored = await this.find(name);
      return stored ?? this.store(name, { asked, ...(await run(response, next)) });
    });
  }

  private async find(name: string): Promise<Answer | undefined> {
    const text = await this.redis.get(`answer:${name}`);
    return text === null ? undefined : (JSON.parse(text) as Answer);
  }

  /** Stores the answer unless there is one already, and resolves with what is stored. */
  private async store(name: string, answer: Answer): Promise<Answer> {
    const stored = await this.redis.set(`answer:${name}`, JSON.stringify(answer), 'EX', KEPT_SECONDS, 'NX');
    return stored === 'OK' ? answer : ((await this.find(name)) ?? answer);
  }
}

/** An error below 500 is an answer. Others are not stored, and a repeated request runs the handler again. */
const run = async (response: Response, next: CallHandler): Promise<Omit<Answer, 'asked'>> => {
  try {
    const body: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
    return { status: response.statusCode, body };
  } catch (error) {
    if (!(error instanceof HttpException) || error.getStatus() >= 500) throw error;
    return { status: error.getStatus(), body: error.getResponse() };
  }
};

const keyOf = ({ headers }: Request): string => {
  const key = headers['idempotency-key'];
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new HttpException('The header Idempotency-Key is missing or has no valid value', 400);
};

const digest = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
