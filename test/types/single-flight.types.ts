/**
 * Uses that `@SingleFlight` and `locks.singleFlight` must refuse or accept at compile time. Nothing here runs: the
 * check is `npm run typecheck`, where a line after `@ts-expect-error` that compiles is an error.
 */
// oxlint-disable typescript/no-explicit-any, typescript/no-unsafe-type-assertion -- both are among what is checked
import { type LockService, SingleFlight } from 'nest-redis-lock';
import { type Observable, of } from 'rxjs';

interface Row {
  readonly sku: string;
  readonly count: number;
  readonly note?: string | null;
}

interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}

type Json = string | number | boolean | null | { readonly [key: string]: Json } | readonly Json[];

interface Query {
  readonly month: string;
  readonly shops: readonly string[];
}

class Money {
  constructor(readonly cents: number) {}
  plus(other: Money): Money {
    return new Money(this.cents + other.cents);
  }
}

declare const untyped: any;
declare const rows: readonly Row[];

export abstract class Accepted {
  @SingleFlight('report')
  async nothing(): Promise<void> {}

  @SingleFlight('report:<0>', { ttl: '5s', errors: [TypeError] })
  async list(_month: string): Promise<readonly Row[]> {
    return rows;
  }

  @SingleFlight('report:<0.month>')
  async record(_query: Query): Promise<Record<string, Row | undefined>> {
    return {};
  }

  @SingleFlight('tree')
  async tree(): Promise<Tree> {
    return { name: '', children: [] };
  }

  @SingleFlight('json')
  async json(): Promise<Json> {
    return null;
  }

  @SingleFlight('tuple')
  async tuple(): Promise<readonly [string, number] | undefined> {
    return undefined;
  }

  @SingleFlight('unknown')
  async unknown(): Promise<unknown> {
    return undefined;
  }

  @SingleFlight('any')
  async any(): Promise<any> {
    return untyped;
  }

  @SingleFlight((query: Query) => `report:${query.month}`)
  async byFunction(_query: Query, _page?: number): Promise<number> {
    return 0;
  }
}

export abstract class Refused {
  // @ts-expect-error -- a date comes out as text
  @SingleFlight('report')
  async date(): Promise<{ readonly at: Date }> {
    return { at: new Date() };
  }

  // @ts-expect-error -- JSON has no bigint
  @SingleFlight('report')
  async bigint(): Promise<bigint> {
    return 1n;
  }

  // @ts-expect-error -- methods do not come out
  @SingleFlight('report')
  async instance(): Promise<Money> {
    return new Money(1);
  }

  // @ts-expect-error -- a map comes out empty
  @SingleFlight('report')
  async map(): Promise<Map<string, number>> {
    return new Map();
  }

  // @ts-expect-error -- deep inside as well
  @SingleFlight('report')
  async deep(): Promise<{ readonly rows: readonly { readonly price: Money }[] }> {
    return { rows: [] };
  }

  // @ts-expect-error -- one result, not several
  @SingleFlight('report')
  observable(): Observable<number> {
    return of(1);
  }

  // @ts-expect-error -- the result takes time
  @SingleFlight('report')
  plain(): number {
    return 1;
  }

  // @ts-expect-error -- a list would name several results
  @SingleFlight('report:<0.shops>')
  async lists(_query: Query): Promise<number> {
    return 0;
  }

  // @ts-expect-error -- there is no such property
  @SingleFlight('report:<0.year>')
  async missing(_query: Query): Promise<number> {
    return 0;
  }

  // @ts-expect-error -- the key function takes something else
  @SingleFlight((month: number) => `report:${month}`)
  async otherArguments(_month: string): Promise<number> {
    return 0;
  }

  // @ts-expect-error -- one name
  @SingleFlight((shops: readonly string[]) => shops)
  async severalNames(_shops: readonly string[]): Promise<number> {
    return 0;
  }

  // @ts-expect-error -- no instance
  @SingleFlight('report')
  static async isStatic(): Promise<number> {
    return 0;
  }
}

export const called = async (locks: LockService): Promise<void> => {
  const result = await locks.singleFlight('report', () => ({ at: new Date(), sum: 1, money: new Money(1) }));
  const [at, sum]: [string, number] = [result.at, result.sum];
  // @ts-expect-error -- it has become text
  result.at.getTime();
  // @ts-expect-error -- JSON has no methods
  result.money.plus(new Money(1));
  // @ts-expect-error -- there is no queue for results
  await locks.singleFlight('report', { fair: true }, () => [at, sum]);
};
