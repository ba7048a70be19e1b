import { settingsInMemory } from '../../lib/testing/lock-testing.options.js';

const THREE = [1, 2, 3].map((n) => `redis://127.0.0.1:${n}`);

describe('The settings of an application in a test', () => {
  it.each([
    { connection: 'redis://redis:6379' },
    { redLock: { nodes: THREE } },
    { replicas: { min: 1 } },
    { restartGuard: true },
    { probe: 'warn' as const },
  ])('have nothing of its servers: %j', (options) => {
    expect(settingsInMemory(options)).toEqual(settingsInMemory({}));
  });

  it('have its named connections, each in memory', () => {
    const { others } = settingsInMemory({ connections: { billing: 'redis://billing:6379' } });
    expect(others).toEqual(new Map([['billing', expect.objectContaining({ target: { kind: 'memory' } })]]));
  });

  it('have everything else', () => {
    expect(settingsInMemory({ keyPrefix: 'shop:', wait: '3s', fencing: 'counter' })).toMatchObject({
      keyPrefix: 'shop:',
      wait: 3000,
      fencing: 'counter',
    });
  });
});
