import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { Injectable, StreamableFile } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';

/** Methods whose results continue after their return. */
@Injectable()
export class Items {
  /** The actions of the bodies of methods, in order. */
  readonly log: unknown[] = [];

  constructor(private readonly locks: LockService) {}

  @Locked('items:<0>')
  async *list(_id: string, count = 3): AsyncGenerator<number, string, string | undefined> {
    this.log.push('begun');
    try {
      for (let n = 0; n < count; n++) this.log.push(yield n);
      return 'all';
    } catch (error) {
      this.log.push(error);
      throw error;
    } finally {
      this.log.push('put in order');
    }
  }

  @Locked('items:<0>')
  async *holds(_id: string): AsyncGenerator<string | undefined> {
    yield this.locks.currentHold()?.name;
    await Promise.resolve();
    yield this.locks.currentHold()?.name;
  }

  @Locked('items:<0>', { onConflict: 'skip' })
  async *skips(_id: string): AsyncGenerator<number> {
    yield 1;
  }

  @Locked('items:<0>', { onConflict: ({ args }) => numbers(7, Number(args[1])) })
  async *replays(_id: string, _last: number): AsyncGenerator<number> {
    yield 1;
  }

  @Locked('items:<0>', { returns: 'iterable' })
  byOption(_id: string): AsyncIterable<number> {
    this.log.push('begun');
    return numbers(1, 2);
  }

  @Locked('items:<0>', { returns: 'iterable' })
  none(_id: string): AsyncIterable<number> {
    return 'nothing' as unknown as AsyncIterable<number>;
  }

  @Locked('items:<0>')
  async promised(_id: string): Promise<AsyncIterable<number>> {
    return numbers(1, 2);
  }

  @Locked('items:<0>')
  async stream(_id: string): Promise<Readable> {
    return Readable.from(['one ', 'two']);
  }

  @Locked('items:<0>')
  async file(_id: string): Promise<StreamableFile> {
    return new StreamableFile(Readable.from([Buffer.from('one '), Buffer.from('two')]));
  }

  @Locked('items:<0>')
  async webStream(_id: string): Promise<ReadableStream<Uint8Array>> {
    return piecesOf('one ', 'two');
  }

  @Locked('items:<0>')
  async response(_id: string, body: ReadableStream<Uint8Array> | null = piecesOf('one ', 'two')): Promise<Response> {
    return new Response(body, { headers: { 'X-Of': 'items' } });
  }
}

/** A stream of these pieces. Each comes only when the reader asks for it. */
export const piecesOf = (...pieces: readonly (string | Error)[]): ReadableStream<Uint8Array> => {
  const rest = [...pieces];
  return new ReadableStream({
    pull: (controller) => {
      const piece = rest.shift();
      if (piece === undefined) controller.close();
      else if (typeof piece === 'string') controller.enqueue(Buffer.from(piece));
      else controller.error(piece);
    },
  });
};

async function* numbers(...all: number[]): AsyncGenerator<number> {
  yield* all;
}
