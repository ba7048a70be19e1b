import type { Redis } from 'ioredis';

const US_PER_S = 1e6;

/** Processor time that the server's process has used so far, in user and system mode, µs. */
export async function serverTime(observer: Redis): Promise<number> {
  const cpu = await observer.info('cpu');
  return (read(cpu, 'used_cpu_user') + read(cpu, 'used_cpu_sys')) * US_PER_S;
}

function read(info: string, field: string): number {
  const value = new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info)?.[1];
  if (value === undefined) throw new Error(`INFO cpu has no ${field}`);
  return Number(value);
}
