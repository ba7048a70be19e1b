import { hashSlot } from '../../lib/keys/hash-slot.js';
import { SlotMap } from '../../lib/backend/cluster/slot-map.js';

const here = (host: string, port: number): string => `${host}:${port}`;
const ASKED = '10.0.0.9:7000';

/** The reply of a server in a cluster of two masters, one of them with a replica. */
const REPLY = [
  [0, 8000, ['10.0.0.1', 7001, 'id1', []], ['10.0.0.3', 7003, 'id3', []]],
  [8001, 16_383, ['10.0.0.2', 7002, 'id2', []]],
];

describe('A slot map', () => {
  it('finds the server of a key by its hash tag', () => {
    const map = SlotMap.parse(REPLY, ASKED, here);
    for (const key of ['order:1', 'order:{7}', 'redisson_lock_queue:{order:1}']) {
      expect(map?.masterOf(key)).toBe(hashSlot(key) <= 8000 ? '10.0.0.1:7001' : '10.0.0.2:7002');
    }
    expect([...(map?.masters ?? [])]).toEqual(['10.0.0.1:7001', '10.0.0.2:7002']);
    expect([...(map?.replicas ?? [])]).toEqual(['10.0.0.3:7003']);
  });

  it.each(['', '?', null])('takes %p for the address of the server that was asked', (host) => {
    const map = SlotMap.parse([[0, 16_383, [host, 7001]]], ASKED, here);
    expect([...(map?.masters ?? [])]).toEqual(['10.0.0.9:7001']);
  });

  it('names servers as they can be reached from here', () => {
    const map = SlotMap.parse(REPLY, ASKED, (_, port) => `outside:${port + 1000}`);
    expect([...(map?.masters ?? [])]).toEqual(['outside:8001', 'outside:8002']);
  });

  it.each([
    ['nothing', []],
    ['text', 'OK'],
    ['no ranges', ['x']],
    ['ranges of text', [['0', '5', ['h', 1]]]],
    ['no master', [[0, 5]]],
  ])('is not made of %s', (_, reply) => {
    expect(SlotMap.parse(reply, ASKED, here)).toBeUndefined();
  });

  it('records a moved slot, and then differs from before', () => {
    const [map, before] = [SlotMap.parse(REPLY, ASKED, here), SlotMap.parse(REPLY, ASKED, here)];
    if (!map || !before) throw new Error('The reply was refused');
    expect(map.differsFrom(before)).toBe(false);
    map.move(hashSlot('order:1'), '10.0.0.4:7004');
    expect(map.masterOf('order:1')).toBe('10.0.0.4:7004');
    expect(map.differsFrom(before)).toBe(true);
    map.move(16_384, 'nowhere:1');
    expect(map.masters).not.toContain('nowhere:1');
  });
});
