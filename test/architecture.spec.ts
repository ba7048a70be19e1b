import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const LIB = resolve(__dirname, '../lib');

/** From the ground up; a folder imports only from its own layer's folders and from those below. */
const LAYERS: readonly (readonly string[])[] = [
  ['collections', 'errors', 'input', 'time'],
  ['scope', 'keys', 'observability'],
  ['backend'],
  ['waiting', 'watchdog'],
  ['primitives'],
  ['lock.service'],
  ['locked'],
  // What a Nest user wires.
  ['testing', 'redis-lock', 'lock-exception', 'schedule', 'transactional', 'typeorm', 'index'],
];

const sources = readdirSync(LIB, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const layerOf = (file: string): number => {
  const top = relative(LIB, file).split('/')[0] ?? '';
  return LAYERS.findIndex((names) => names.some((name) => top === name || top.startsWith(`${name}.`)));
};

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/from '(\.{1,2}\/[^']+)'/g)].map(([, path = '']) =>
    resolve(file, '..', path),
  );

describe('The folders of lib/', () => {
  it('are all in a layer', () => {
    expect(sources.filter((file) => layerOf(join(LIB, file)) === -1)).toEqual([]);
  });

  it('import only what lies below them', () => {
    const upwards = sources.flatMap((source) => {
      const file = join(LIB, source);
      const above = importsOf(file).filter((imported) => layerOf(imported) > layerOf(file));
      return above.map((imported) => `${source} -> ${relative(LIB, imported)}`);
    });
    expect(upwards).toEqual([]);
  });

  it('know Nest only at the top, and ioredis only in the Redis backend', () => {
    const top = LAYERS.length - 2;
    const foreign = (word: string, allowed: (source: string) => boolean): string[] =>
      sources.filter((source) => readFileSync(join(LIB, source), 'utf8').includes(`from '${word}`) && !allowed(source));
    expect(foreign('@nestjs/', (source) => layerOf(join(LIB, source)) >= top)).toEqual([]);
    expect(foreign('ioredis', (source) => source.startsWith('backend/redis/'))).toEqual([]);
  });
});
