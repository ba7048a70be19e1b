import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { observeLocks } from 'nest-redis-lock/opentelemetry';
import { collectLockMetrics } from 'nest-redis-lock/prometheus';
import { MemoryWorld } from '../kit/memory-world.js';
import { samplesOf } from './read-metrics.js';
import { Meters } from './read-open-telemetry.js';

const read = (name: string): string => readFileSync(resolve(__dirname, '../../docs/observability', name), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}

const rules = (parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('grafana.json')) as Dashboard;
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets);
const variables = dashboard.templating.list.map(({ name }) => name);

/** Labels of every metric that Prometheus adds itself. */
const OF_PROMETHEUS = ['instance', 'job'];

/** The names of metrics in a text. */
const metricsIn = (text: string): readonly string[] => text.match(/\bnest_redis_lock_\w+/g) ?? [];
/** The labels that expressions aggregate by. */
const groupsIn = (expr: string): readonly string[] =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
/** The labels that selectors compare. */
const selectorsIn = (expr: string): readonly string[] =>
  [...expr.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label = '']) => label);

describe('The documents of observability', () => {
  const world = new MemoryWorld();
  /** The labels of each series that Prometheus would scrape. */
  const labelsOf = new Map<string, ReadonlySet<string>>();
  let families: readonly string[];
  let instruments: readonly string[];

  beforeAll(async () => {
    const { locks } = await world.open();
    const registry = new Registry();
    const meters = new Meters();
    collectLockMetrics(locks, { registry });
    observeLocks(locks, { meter: meters.provider.getMeter('test'), tracer: false });
    await locks.withLock('a', () => {});
    for (const { name, labels } of await samplesOf(registry))
      labelsOf.set(name, new Set([...(labelsOf.get(name) ?? []), ...Object.keys(labels)]));
    families = [...(await registry.metrics()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
    instruments = (await meters.metrics()).map(({ descriptor }) => descriptor.name);
  });

  afterAll(() => world.reset());

  const expressions = (): readonly string[] => [...rules, ...queries].map(({ expr }) => expr);

  it('use no metric that does not exist', () => {
    const texts = [...expressions(), ...dashboard.templating.list.map(({ query }) => JSON.stringify(query))];
    const used = texts.flatMap(metricsIn);
    expect(used.length).toBeGreaterThan(30);
    expect(used.filter((name) => !labelsOf.has(name))).toEqual([]);
    const mentioned = rules.flatMap(({ annotations }) => metricsIn(annotations.description));
    expect(mentioned.filter((name) => !families.includes(name))).toEqual([]);
  });

  it('use no label that their metrics do not have', () => {
    const wrong = expressions().flatMap((expr) => {
      const known = new Set([...metricsIn(expr).flatMap((name) => [...(labelsOf.get(name) ?? [])]), ...OF_PROMETHEUS]);
      return [...groupsIn(expr), ...selectorsIn(expr)].filter((label) => !known.has(label));
    });
    expect(wrong).toEqual([]);
    expect(expressions().flatMap(groupsIn).length).toBeGreaterThan(20);
  });

  it('print only labels that their expressions keep', () => {
    for (const { alert, expr, annotations } of rules) {
      const printed = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      expect([alert, printed.filter((label = '') => !groupsIn(expr).includes(label))]).toEqual([alert, []]);
    }
    for (const { expr, legendFormat } of queries) {
      const printed = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      expect([expr, printed.filter((label = '') => !groupsIn(expr).includes(label))]).toEqual([expr, []]);
    }
  });

  it('have balanced expressions', () => {
    for (const expr of expressions()) {
      for (const [open, close] of ['()', '{}', '[]']) {
        expect([expr, expr.split(open ?? '').length]).toEqual([expr, expr.split(close ?? '').length]);
      }
    }
  });

  it('have alerts with a severity, a summary and what to do', () => {
    expect(rules.length).toBeGreaterThan(5);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(labels.severity).toMatch(/^(critical|warning)$/);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.description.length).toBeGreaterThan(60);
    }
  });

  it('have a dashboard whose panels do not overlap, and which declares its variables', () => {
    const { panels } = dashboard;
    const cells = panels.flatMap(({ id, gridPos: { x, y, w, h } }) => {
      expect([id, x + w <= 24]).toEqual([id, true]);
      return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const used = JSON.stringify(panels).match(/\$\{?[a-z]\w*/g) ?? [];
    expect(used.filter((name) => !variables.includes(name.replace(/\W/g, '')))).toEqual([]);
    const undescribed = panels.filter(
      ({ type, description = '' }) => type !== 'row' && !/^[A-Z].*\.$/.test(description),
    );
    expect(undescribed).toEqual([]);
  });

  it('name every metric of both exporters, and no other', () => {
    const table = [...read('metrics.md').matchAll(/^\| `(nest_redis_lock_\w+)`\s*\| `(nest_redis_lock\.[\w.]+)`/gm)];
    expect(new Set(table.map(([, name]) => name))).toEqual(new Set(families));
    expect(new Set(table.map(([, , name]) => name))).toEqual(new Set(instruments));
  });
});
