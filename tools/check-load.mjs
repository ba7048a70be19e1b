// Fails when loading the package takes longer, or more memory, than its budget: in new processes that have loaded Nest and
// ioredis already, beside the time that one takes for ioredis. The ratio is that of the medians of interleaved rounds.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BUDGET = { ratio: 1.3, megabytes: 2.2 };
const ROUNDS = 9;
const NEST = ['reflect-metadata', '@nestjs/common', '@nestjs/core'];

/** Loads a package in a new process, after others, and returns milliseconds and bytes of heap. */
const measure = (isModule, before, name) => {
  const load = (each) => (isModule ? `await import('${each}');` : `require('${each}');`);
  const program = `${before.map(load).join('')}
    gc();
    const [heap, start] = [process.memoryUsage().heapUsed, performance.now()];
    ${load(name)}
    const ms = performance.now() - start;
    gc();
    console.log(JSON.stringify({ ms, bytes: process.memoryUsage().heapUsed - heap }));`;
  const args = ['--expose-gc', `--input-type=${isModule ? 'module' : 'commonjs'}`, '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: fileURLToPath(new URL('..', import.meta.url)) }));
};

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];

let isOver = false;
for (const [way, isModule] of [
  ['require', false],
  ['import', true],
]) {
  const [own, ioredis] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(measure(isModule, [...NEST, 'ioredis'], 'nest-redis-lock'));
    ioredis.push(measure(isModule, NEST, 'ioredis'));
  }
  const [ms, ofIoredis] = [own, ioredis].map((runs) => median(runs.map((run) => run.ms)));
  const megabytes = median(own.map(({ bytes }) => bytes)) / 1e6;
  const ratio = ms / ofIoredis;
  console.log(
    `${way}: ${ms.toFixed(0)} ms, ${ratio.toFixed(2)} times those of ioredis (at most ${BUDGET.ratio}); ` +
      `${megabytes.toFixed(2)} MB (at most ${BUDGET.megabytes})`,
  );
  isOver ||= ratio > BUDGET.ratio || megabytes > BUDGET.megabytes;
}
process.exitCode = isOver ? 1 : 0;
