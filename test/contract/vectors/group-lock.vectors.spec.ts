import { groupLockName } from '../../../lib/keys/group-field.js';
import { type Arguments, describeVectors, type Situation } from './run-vectors.js';

/** The number of holds of an owner. Peers acquire once more or release once, while our commands give the number. */
const countOf = ({ name, holder, fields: [field = ''] }: Arguments, { before }: Situation): number => {
  const wanted = `${field}:${holder}:lock_count`;
  const [, count] = Object.entries(before[name]?.value ?? {}).find(([spelled]) => spelled === wanted) ?? [];
  return Number(count ?? 0);
};

describeVectors(['G'], {
  'group.acquire': async ({ groupLock }, { name, holder: owner, lease, fields }) => {
    const reply = await groupLock.acquire({ name: groupLockName(name, fields), owner, lease });
    return reply.outcome === 'busy' ? reply.remaining : reply.outcome;
  },
  'group.release': async ({ groupLock }, args, situation) => {
    const held = { name: groupLockName(args.name, args.fields), owner: args.holder, lease: args.restoreLease };
    const count = countOf(args, situation);
    if (count <= 1) return (await groupLock.release(held)).outcome === 'released' ? 'final' : 'notOwner';
    const { outcome } = await groupLock.hold({ ...held, count: count - 1 });
    return outcome === 'held' ? 'partial' : outcome;
  },
});
