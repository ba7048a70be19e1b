import { readFileSync, writeFileSync } from 'node:fs';
import { loadPeer } from '../adapters/load-peer.js';
import { libraries, LIMIT, OURS, RAW_REDISSON } from '../libraries.js';
import { fixed, mainFigures, type ScenarioRows } from './main-figures.js';

interface Vega {
  readonly parse: (spec: object) => object;
  readonly View: new (runtime: object, options: { readonly renderer: 'none' }) => { toSVG(): Promise<string> };
}

interface VegaLite {
  readonly compile: (spec: object) => { readonly spec: object };
}

/** What a bar of the chart shows. */
interface Bar {
  readonly panel: string;
  readonly library: string;
  readonly kind: Kind;
  readonly value: number;
  readonly label: string;
}

type Kind = 'this library' | 'limit' | 'others';

/** Grey and colours that contrast with white and with black alike, since the page may be either. */
const TEXT = '#747d88';
const COLOURS: Readonly<Record<Kind, string>> = { 'this library': '#d9480f', limit: '#8c959f', others: '#4c8dca' };

/** Between the lines of a panel's heading. */
const LINE_END = '|';

const PANEL_WIDTH = 190;
const BAR_STEP = 17;
/** Room for the label behind the longest bar. */
const ROOM = 1.35;

const titles = new Map(libraries.map(({ name, title }) => [name, title]));
const nameOf = (library: string): string => (library === LIMIT ? 'limit' : (titles.get(library) ?? library));

function barsOf(measured: readonly ScenarioRows[]): readonly Bar[] {
  return mainFigures(measured)
    .filter(({ library }) => library !== RAW_REDISSON)
    .map(({ title, library, value, digits, best }) => ({
      panel: `${title}${LINE_END}${best === 'lowest' ? 'lower' : 'higher'} is better`,
      library: nameOf(library),
      kind: library === OURS ? 'this library' : library === LIMIT ? 'limit' : 'others',
      value,
      label: fixed(value, digits),
    }));
}

function specOf(bars: readonly Bar[]): object {
  const panels = [...new Set(bars.map(({ panel }) => panel))];
  const order = [...new Set(bars.map(({ library }) => library))];
  const room = panels.map((panel) => ({
    panel,
    most: ROOM * Math.max(...bars.filter((bar) => bar.panel === panel).map(({ value }) => value)),
  }));
  const most = new Map(room.map((each) => [each.panel, each.most]));
  const y = { field: 'library', type: 'nominal', sort: order, axis: { title: null, ticks: false, domain: false } };
  const x = { field: 'value', type: 'quantitative', axis: null };
  return {
    data: { values: bars.map((bar) => ({ ...bar, most: most.get(bar.panel) })) },
    background: null,
    facet: {
      field: 'panel',
      type: 'nominal',
      sort: panels,
      title: null,
      header: { labelExpr: `split(datum.value, '${LINE_END}')`, labelFontSize: 12 },
    },
    columns: 3,
    align: 'all',
    bounds: 'flush',
    spacing: { row: 55, column: 25 },
    padding: 10,
    spec: {
      width: PANEL_WIDTH,
      height: { step: BAR_STEP },
      layer: [
        { mark: { type: 'rule', opacity: 0 }, encoding: { x: { ...x, field: 'most' }, y } },
        {
          mark: { type: 'bar', height: { band: 0.7 } },
          encoding: {
            ...{ x, y },
            color: {
              field: 'kind',
              scale: { domain: Object.keys(COLOURS), range: Object.values(COLOURS) },
              legend: null,
            },
          },
        },
        {
          mark: { type: 'text', align: 'left', dx: 4, color: TEXT },
          encoding: { x, y, text: { field: 'label' } },
        },
      ],
    },
    resolve: { scale: { x: 'independent' } },
    config: {
      view: { stroke: null },
      font: 'sans-serif',
      axis: { labelColor: TEXT, labelFontSize: 11, labelLimit: 220, labelPadding: 6 },
      header: { labelColor: TEXT },
    },
  };
}

/** Draws the main figures of a set-up. */
export async function chartOf(measured: readonly ScenarioRows[]): Promise<string> {
  const vega = loadPeer('vega') as Vega;
  const { compile } = loadPeer('vega-lite') as VegaLite;
  const { spec } = compile(specOf(barsOf(measured)));
  return await new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG();
}

/** Draws the first set-up of `results.json` into `chart.svg`. */
export async function writeChart(): Promise<void> {
  const folder = new URL('../', import.meta.url);
  const results = JSON.parse(readFileSync(new URL('results.json', folder), 'utf8')) as {
    readonly setUps: readonly { readonly measured: readonly ScenarioRows[] }[];
  };
  const [first] = results.setUps;
  if (first === undefined) throw new Error('results.json has no results');
  writeFileSync(new URL('chart.svg', folder), `${await chartOf(first.measured)}\n`);
}
