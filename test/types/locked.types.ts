/**
 * Uses that `@Locked` must refuse or accept at compile time. Nothing here runs: the check is `npm run typecheck`, where
 * a line after `@ts-expect-error` that compiles is an error.
 */
// oxlint-disable typescript/no-explicit-any, typescript/no-unnecessary-type-parameters, typescript/no-unsafe-type-assertion
// -- all of these are among what is checked
import { CurrentHold, type Hold, Locked } from 'nest-redis-lock';
import type { ConflictContext } from 'nest-redis-lock/advanced';
import type { Observable } from 'rxjs';

interface Line {
  readonly sku: string;
  readonly at: Date;
  readonly values: readonly string[];
  readonly note?: string;
  readonly tag: string | null;
}

interface Order {
  readonly id: string;
  readonly customer: { readonly id: number; readonly vip: boolean };
  readonly lines: readonly Line[];
  readonly pair: readonly [first: string, second: { readonly id: bigint }];
  total(): number;
}

type Either = { readonly id: string } | { readonly id: number };

declare const anyKey: string;
declare const untyped: any;

export class HoldOfNoMethod {
  // @ts-expect-error a constructor runs under no lock
  constructor(@CurrentHold() readonly hold?: Hold) {}
}

export abstract class Accepted<T extends string> {
  @Locked('plain')
  async noPlaceholder(): Promise<void> {}

  @Locked('order:<0>')
  async text(_id: string): Promise<void> {}

  @Locked('order:<0>')
  async withItsHold(_id: string, @CurrentHold() _hold?: Hold): Promise<void> {}

  @Locked((order: Order) => `order:${order.id}`)
  async withItsHoldByFunction(_order: Order, @CurrentHold() _hold?: Hold): Promise<void> {}

  @Locked('order:<0>')
  async number(_id: number): Promise<void> {}

  @Locked('order:<0>:<1>:<2>')
  async otherScalars(_a: bigint, _b: boolean, _c: Date): Promise<void> {}

  @Locked('order:<0>')
  async union(_id: 'a' | 'b' | 7): Promise<void> {}

  @Locked('order:<0.id>')
  async property(_order: Order): Promise<void> {}

  @Locked('game:<0._id>')
  async objectId(_game: { readonly _id: { toHexString(): string } }): Promise<void> {}

  @Locked('order:<0.customer.id>:<0.customer.vip>')
  async nested(_order: Order): Promise<void> {}

  @Locked('order:<1.id>')
  async second(_tenant: unknown, _order: Order): Promise<void> {}

  @Locked('order:<0>')
  async fewerThanArguments(_id: string, _rest?: object): Promise<void> {}

  @Locked('stock:<0>')
  async list(_skus: readonly string[]): Promise<void> {}

  @Locked('stock:<0>')
  async oneOrMany(_sku: string | string[]): Promise<void> {}

  @Locked('stock:<0.lines.sku>')
  async elements(_order: Order): Promise<void> {}

  @Locked('stock:<0.lines.at>')
  async fieldNamedLikeAnArrayMethod(_order: Order): Promise<void> {}

  @Locked('stock:<0.lines.values>')
  async listInAList(_order: Order): Promise<void> {}

  @Locked('stock:<0.lines.0.sku>')
  async oneElement(_order: Order): Promise<void> {}

  @Locked('stock:<0.pair.0>:<0.pair.1.id>')
  async tuple(_order: Order): Promise<void> {}

  @Locked('stock:<0>:<1>')
  async restParameters(..._skus: string[]): Promise<void> {}

  @Locked('order:<0.id>')
  async unionOfObjects(_either: Either): Promise<void> {}

  @(Locked('order:<0>') as MethodDecorator)
  async uncheckedInAGenericClass(_id: T): Promise<void> {}

  @Locked((id: unknown) => `order:${String(id)}`)
  async keyFunctionInAGenericClass(_id: T): Promise<void> {}

  @Locked('order:<0>')
  async genericMethod<U extends string | number>(_id: U): Promise<void> {}

  @Locked('order:<0.id>')
  async genericEntity<E extends { readonly id: string }>(_entity: E): Promise<void> {}

  @Locked('order:<0.id.of.anything>')
  async anything(_order: any): Promise<void> {}

  @Locked(anyKey)
  async keyInAVariable(_order: Order): Promise<void> {}

  @Locked(String.raw`literal:\<nothing>:<0>`)
  async rawTextIsNotChecked(_id: string): Promise<void> {}

  @Locked('literal:\\<nothing>:<0>')
  async escaped(_id: string): Promise<void> {}

  @Locked('a->b:<0>')
  async loneBracket(_id: string): Promise<void> {}

  @Locked('order:<0>')
  observable(_id: string): Observable<number> {
    return untyped;
  }

  @Locked('order:<0>', { returns: 'observable', lease: '30s', wait: 0, onConflict: ({ args }) => args.length })
  withOptions(_id: string): Observable<number> {
    return untyped;
  }

  @Locked('order:<0>', { connection: 'billing', fair: true, wait: 0 })
  async onAnotherConnection(_id: string): Promise<void> {}

  @Locked('order:<0>', { connection: 'billing', permits: 1 })
  async permitsOfAnotherConnection(_id: string): Promise<void> {}

  @Locked('order:<0>', { mode: 'read', lease: '30s' })
  async reads(_id: string): Promise<void> {}

  @Locked('order:<0>', { mode: 'exclusive', fair: true, fenced: false })
  async standsInLine(_id: string): Promise<void> {}

  @Locked('order:<0>', { fenced: true, mode: undefined, fair: undefined })
  async fenced(_id: string): Promise<void> {}

  @Locked('order:<0>', { limit: 3, lease: '30s', wait: '3s', holdAtLeast: '1s' })
  async limited(_id: string): Promise<void> {}

  @Locked('order:<0>', { limit: 3, fair: true })
  async limitedInOrder(_id: string): Promise<void> {}

  @Locked('order:<0>', { permits: 2, wait: '3s', onConflict: 'skip', returns: 'promise' })
  async withPermits(_id: string): Promise<void> {}

  @Locked('order:<0>')
  returnsAny(_id: string): any {}

  @Locked('order:<0>')
  promiseLike(_id: string): PromiseLike<void> {
    return untyped;
  }

  @Locked((order: Order) => `order:${order.id}`)
  async keyFunction(_order: Order): Promise<void> {}

  @Locked((order: Order) => order.lines.map(({ sku }) => `stock:${sku}`))
  async keyFunctionForSeveral(_order: Order): Promise<void> {}

  @Locked((order: Order) => `order:${order.id}`)
  async keyFunctionOfTheFirst(_order: Order, _reason: string): Promise<void> {}

  @Locked((order: { id: string }) => `order:${order.id}`)
  async keyFunctionOfLess(_order: Order): Promise<void> {}

  @Locked(() => 'constant')
  async keyFunctionOfNothing(_order: Order): Promise<void> {}

  @Locked((...args: unknown[]) => `order:${String(args[0])}`)
  async keyFunctionOfAnything(_order: Order): Promise<void> {}

  @Locked('order:<0>')
  protected async notPublic(_id: string): Promise<void> {}

  @Locked('order:<0>')
  async [Symbol.for('named by a symbol')](_id: string): Promise<void> {}
}

export class RefusedKeys<T extends string> {
  // oxlint-disable no-template-curly-in-string -- the mistake that is tested
  // @ts-expect-error D36: in single quotes it is just text, and one lock for all orders
  @Locked('order:${id}')
  async interpolated(_id: string): Promise<void> {}

  // @ts-expect-error D58: the placeholder of another library, which is not replaced
  @Locked('order:{0}')
  async foreignPlaceholder(_id: string): Promise<void> {}

  // @ts-expect-error D58: the same with a property
  @Locked('order:{0.id}:<0.id>')
  async foreignProperty(_order: Order): Promise<void> {}

  // @ts-expect-error D36: also beside a placeholder
  @Locked('order:<0>:${line}')
  async halfInterpolated(_id: string): Promise<void> {}
  // oxlint-enable no-template-curly-in-string

  // @ts-expect-error the compiler does not look through the type parameter of a class
  @Locked('order:<0>')
  async genericClass(_id: T): Promise<void> {}

  // @ts-expect-error there is no second argument
  @Locked('order:<1>')
  async noSuchArgument(_id: string): Promise<void> {}

  // @ts-expect-error there is no such property
  @Locked('order:<0.idd>')
  async noSuchProperty(_order: Order): Promise<void> {}

  // @ts-expect-error one of two is wrong
  @Locked('order:<0.id>:<0.customer.name>')
  async oneOfTwo(_order: Order): Promise<void> {}

  // @ts-expect-error an object is no part of a name
  @Locked('order:<0>')
  async object(_order: Order): Promise<void> {}

  // @ts-expect-error a list of objects is none either
  @Locked('order:<0.lines>')
  async objects(_order: Order): Promise<void> {}

  // @ts-expect-error may be undefined
  @Locked('order:<0>')
  async optionalParameter(_id?: string): Promise<void> {}

  // @ts-expect-error the lock sees the argument before the default applies
  @Locked('order:<0>')
  async parameterWithDefault(_id = 'none'): Promise<void> {}

  // @ts-expect-error may be undefined
  @Locked('stock:<0.lines.note>')
  async optionalProperty(_order: Order): Promise<void> {}

  // @ts-expect-error the object with the property may be missing
  @Locked('order:<0.customer.id>')
  async optionalOnTheWay(_order: { readonly customer?: { readonly id: string } }): Promise<void> {}

  // @ts-expect-error may be null
  @Locked('stock:<0.lines.tag>')
  async nullable(_order: Order): Promise<void> {}

  // @ts-expect-error nothing is known of it
  @Locked('order:<0>')
  async unknown(_order: unknown): Promise<void> {}

  // @ts-expect-error only one of the objects has it
  @Locked('order:<0.id>')
  async onlyOneOfTheUnion(_order: { readonly id: string } | { readonly name: string }): Promise<void> {}

  // @ts-expect-error length of a text
  @Locked('order:<0.length>')
  async lengthOfText(_id: string): Promise<void> {}

  // @ts-expect-error length of a list
  @Locked('order:<0.length>')
  async lengthOfList(_ids: readonly string[]): Promise<void> {}

  // @ts-expect-error method of a list
  @Locked('order:<0.map>')
  async methodOfList(_ids: readonly string[]): Promise<void> {}

  // @ts-expect-error method of an object
  @Locked('order:<0.total>')
  async method(_order: Order): Promise<void> {}

  // @ts-expect-error the tuple has two elements
  @Locked('order:<0.pair.2>')
  async outsideTuple(_order: Order): Promise<void> {}

  // @ts-expect-error no argument has a name
  @Locked('order:<id>')
  async named(_id: string): Promise<void> {}

  // @ts-expect-error empty placeholder
  @Locked('order:<>')
  async empty(_id: string): Promise<void> {}

  // @ts-expect-error negative
  @Locked('order:<-1>')
  async negative(_id: string): Promise<void> {}

  // @ts-expect-error an empty step
  @Locked('order:<0..id>')
  async emptyStep(_order: Order): Promise<void> {}
}

export class AcceptedConflicts {
  @Locked('order:<0>', { onConflict: 'skip' })
  async leftOut(_id: string): Promise<void> {}

  @Locked('order:<0>', { onConflict: 'skip' })
  async perhaps(_id: string): Promise<Order | undefined> {
    return untyped;
  }

  @Locked('order:<0>', { onConflict: 'throw' })
  async thrown(_id: string): Promise<Order> {
    return untyped;
  }

  @Locked('order:<0>', { onConflict: () => 7 })
  async answered(_id: string): Promise<number> {
    return 1;
  }

  @Locked('order:<0>', { onConflict: ({ args: [id] }: ConflictContext<[string]>) => id.length })
  async answeredByArguments(_id: string): Promise<number> {
    return 1;
  }

  @Locked('order:<0>', { onConflict: async () => 7 })
  async answeredLater(_id: string): Promise<number | string> {
    return 1;
  }

  @Locked((id: string) => id, { onConflict: () => untyped })
  async untypedAnswer(_id: string): Promise<Order> {
    return untyped;
  }

  @Locked('order:<0>', { onConflict: () => untyped as Observable<number> })
  observed(_id: string): Observable<number> {
    return untyped;
  }

  @Locked('order:<0>', { onConflict: 'skip' })
  async *gone(_id: string): AsyncGenerator<number> {}

  @Locked('order:<0>', { onConflict: () => untyped as AsyncIterable<number> })
  async *replayed(_id: string): AsyncGenerator<number> {}
}

export class RefusedConflicts {
  // @ts-expect-error the method has a text as its argument
  @Locked('order:<0>', { onConflict: ({ args: [id] }: ConflictContext<[number]>) => id })
  async otherArguments(_id: string): Promise<number> {
    return 1;
  }

  // @ts-expect-error the method has one argument
  @Locked('order:<0>', { onConflict: ({ args }: ConflictContext<[string, number]>) => args[1] })
  async moreArguments(_id: string): Promise<number> {
    return 1;
  }

  // @ts-expect-error the caller does not expect undefined
  @Locked('order:<0>', { onConflict: 'skip' })
  async leftOut(_id: string): Promise<Order> {
    return untyped;
  }

  // @ts-expect-error nor text
  @Locked('order:<0>', { onConflict: () => 'busy' })
  async answered(_id: string): Promise<number> {
    return 1;
  }

  // @ts-expect-error also not later, and by a key function
  @Locked((id: string) => id, { onConflict: async () => 'busy' })
  async answeredLater(_id: string): Promise<number> {
    return 1;
  }

  // @ts-expect-error nor among what is emitted
  @Locked('order:<0>', { onConflict: 'skip' })
  observed(_id: string): Observable<number> {
    return untyped;
  }

  // @ts-expect-error there is no such argument
  @Locked('order:<0>', { onConflict: ({ nothing }) => nothing })
  async argument(_id: string): Promise<void> {}
}

export class RefusedMethods {
  // @ts-expect-error the lock makes it asynchronous
  @Locked('order:<0>')
  plainValue(_id: string): string {
    return '';
  }

  // @ts-expect-error nothing that could be waited for
  @Locked('order:<0>')
  nothing(_id: string): void {}

  // @ts-expect-error it cannot wait
  @Locked('order:<0>')
  *generator(_id: string): Generator<number> {}

  // @ts-expect-error only sometimes a promise
  @Locked('order:<0>')
  sometimes(_id: string): Promise<void> | undefined {
    return undefined;
  }

  // @ts-expect-error a static method has no instance
  @Locked('order:<0>')
  static async ofTheClass(_id: string): Promise<void> {}

  // @ts-expect-error an arrow property is no method
  @Locked('order:<0>')
  arrow = async (_id: string): Promise<void> => {};

  // @ts-expect-error a getter is no method
  @Locked('order')
  get getter(): Promise<void> {
    return Promise.resolve();
  }

  // @ts-expect-error the method has no order
  @Locked((order: Order) => `order:${order.id}`)
  async otherParameter(_id: string): Promise<void> {}

  // @ts-expect-error the method has only one argument
  @Locked((id: string, tenant: string) => `${tenant}:${id}`)
  async tooFewParameters(_id: string): Promise<void> {}

  // @ts-expect-error the key function needs what the method may not get
  @Locked((id: string) => id)
  async optionalForKeyFunction(_id?: string): Promise<void> {}

  // @ts-expect-error a key is text
  @Locked((id: number) => id)
  async keyIsNoText(_id: number): Promise<void> {}

  // @ts-expect-error a key is known at once
  @Locked(async (id: string) => id)
  async keyIsAPromise(_id: string): Promise<void> {}
}

export class RefusedOptions {
  // @ts-expect-error no such unit
  @Locked('order:<0>', { lease: '30d' })
  async unit(_id: string): Promise<void> {}

  // @ts-expect-error no such option
  @Locked('order:<0>', { leese: '30s' })
  async option(_id: string): Promise<void> {}

  // @ts-expect-error the signal of one call cannot be that of all
  @Locked('order:<0>', { signal: AbortSignal.timeout(1) })
  async signal(_id: string): Promise<void> {}

  // @ts-expect-error no such mode
  @Locked('order:<0>', { mode: 'shared' })
  async mode(_id: string): Promise<void> {}

  // @ts-expect-error a read-write lock has no queue
  @Locked('order:<0>', { mode: 'write', fair: true })
  async fairWriter(_id: string): Promise<void> {}

  // @ts-expect-error a read-write lock gives no fences
  @Locked('order:<0>', { mode: 'read', fenced: true })
  async fencedReader(_id: string): Promise<void> {}

  // @ts-expect-error no lock is both
  @Locked('order:<0>', { fair: true, fenced: true })
  async fairAndFenced(_id: string): Promise<void> {}

  // @ts-expect-error a connection is chosen by its name
  @Locked('order:<0>', { connection: { host: 'billing' } })
  async connectionItself(_id: string): Promise<void> {}

  // @ts-expect-error a limit is a number
  @Locked('order:<0>', { limit: '3' })
  async textAsLimit(_id: string): Promise<void> {}

  // @ts-expect-error a limit has several holders
  @Locked('order:<0>', { limit: 3, fenced: true })
  async fencedLimit(_id: string): Promise<void> {}

  // @ts-expect-error a limit is a kind of its own
  @Locked('order:<0>', { limit: 3, kind: 'spin' })
  async fairKindOfLimit(_id: string): Promise<void> {}

  // @ts-expect-error a limit has an order or none
  @Locked('order:<0>', { limit: 3, fair: 'yes' })
  async limitedByText(_id: string): Promise<void> {}

  // @ts-expect-error the permits of a limit and those of a semaphore are not the same
  @Locked('order:<0>', { limit: 3, permits: 1 })
  async limitAndPermits(_id: string): Promise<void> {}

  // @ts-expect-error a semaphore has no halves
  @Locked('order:<0>', { permits: 1, mode: 'read' })
  async permitsToRead(_id: string): Promise<void> {}

  // @ts-expect-error permits have no lease
  @Locked('order:<0>', { permits: 1, lease: '30s' })
  async leasedPermits(_id: string): Promise<void> {}

  // @ts-expect-error permits are held for as long as the method runs
  @Locked('order:<0>', { permits: 1, holdAtLeast: '50s' })
  async permitsHeldAtLeast(_id: string): Promise<void> {}

  // @ts-expect-error no duration
  @Locked('order:<0>', { holdAtLeast: 'long' })
  async heldAtLeast(_id: string): Promise<void> {}

  // @ts-expect-error it is so or not
  @Locked('order:<0>', { cancelOnDisconnect: 'yes' })
  async cancelled(_id: string): Promise<void> {}

  // @ts-expect-error a promise of one call cannot be that of all
  @Locked('order:<0>', { releaseAfter: Promise.resolve() })
  async releasedLater(_id: string): Promise<void> {}

  // @ts-expect-error no such kind of result
  @Locked('order:<0>', { returns: 'stream' })
  async returns(_id: string): Promise<void> {}

  // @ts-expect-error no such answer to a conflict
  @Locked('order:<0>', { onConflict: 'wait' })
  async conflict(_id: string): Promise<void> {}
}
