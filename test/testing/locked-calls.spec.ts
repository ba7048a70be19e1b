import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Locked, SingleFlight } from 'nest-redis-lock';
import { LockTesting, LockTestingModule } from 'nest-redis-lock/testing';
import { lastValueFrom, type Observable, of } from 'rxjs';

@Injectable()
class Reports {
  @Locked('prices:<0>', { returns: 'observable' })
  prices(shop: string): Observable<string> {
    return of(shop);
  }

  @Locked('rows:<0>')
  async *rows(shop: string): AsyncGenerator<string> {
    yield shop;
  }

  @SingleFlight('report:<0>')
  async report(month: string): Promise<string> {
    return month;
  }

  @Locked('order:<0>')
  async order(id: string): Promise<string> {
    return id;
  }
}

describe('lockedCalls()', () => {
  let app: TestingModule;
  let reports: Reports;

  const calls = (): readonly string[] =>
    app
      .get(LockTesting)
      .lockedCalls()
      .map(({ decorator, method, names }) => [decorator, method, ...names].join(' '));

  beforeEach(async () => {
    app = await Test.createTestingModule({ imports: [LockTestingModule.forRoot()], providers: [Reports] }).compile();
    await app.init();
    reports = app.get(Reports);
  });

  afterEach(() => app.close());

  it('has each subscription of an Observable', async () => {
    const prices = reports.prices('berlin');
    expect(calls()).toEqual([]);
    await lastValueFrom(prices);
    await lastValueFrom(prices);
    expect(calls()).toEqual(['@Locked Reports.prices prices:berlin', '@Locked Reports.prices prices:berlin']);
  });

  it('has each iteration of an async iterable', async () => {
    for await (const row of reports.rows('berlin')) expect(row).toBe('berlin');
    expect(calls()).toEqual(['@Locked Reports.rows rows:berlin']);
  });

  it('has methods with @SingleFlight', async () => {
    expect(await reports.report('may')).toBe('may');
    expect(calls()).toEqual(['@SingleFlight Reports.report report:may']);
  });

  it('has no call whose key was refused', async () => {
    await expect(reports.order(undefined as never)).rejects.toThrow('order:<0>');
    expect(calls()).toEqual([]);
  });
});
