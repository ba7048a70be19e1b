// Fails when loading the package takes longer, or more memory, than its budget: in new processes that have loaded Nest and
// ioredis already, beside what ioredis itself takes there. The times are of the CPU, and the least of interleaved rounds,
// since other programs only add to them.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BUDGET = { ratio: 1.5, megabytes: 2.2 };
const ROUNDS = 15;
const NEST = ['reflect-metadata', '@nestjs/common', '@nestjs/core'];

/** Loads a package in a new process, after others, and returns milliseconds of CPU and bytes of heap. */
const measure = (isModule, before, name) => {
  const load = (each) => (isModule ? `await import('${each}');` : `require('${each}');`);
  const program = `${before.map(load).join('')}
    gc();
    const [heap, start] = [process.memoryUsage().heapUsed, process.cpuUsage()];
    ${load(name)}
    const { user, system } = process.cpuUsage(start);
    gc();
    console.log(JSON.stringify({ ms: (user + system) / 1000, bytes: process.memoryUsage().heapUsed - heap }));`;
  const args = ['--expose-gc', `--input-type=${isModule ? 'module' : 'commonjs'}`, '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: fileURLToPath(new URL('..', import.meta.url)) }));
};

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
  const [ms, ofIoredis] = [own, ioredis].map((runs) => Math.min(...runs.map((run) => run.ms)));
  const megabytes = Math.min(...own.map(({ bytes }) => bytes)) / 1e6;
  const ratio = ms / ofIoredis;
  console.log(
    `${way}: ${ms.toFixed(0)} ms of CPU, ${ratio.toFixed(2)} times those of ioredis (at most ${BUDGET.ratio}); ` +
      `${megabytes.toFixed(2)} MB (at most ${BUDGET.megabytes})`,
  );
  isOver ||= ratio > BUDGET.ratio || megabytes > BUDGET.megabytes;
}
process.exitCode = isOver ? 1 : 0;
