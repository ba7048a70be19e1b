import { ClusterTopology } from '../../lib/backend/cluster/cluster-topology.js';
import { writtenHold } from '../../lib/backend/commands/written.js';
import { replyError, ScriptedCluster } from './scripted-cluster.js';
import { outcomeOf } from './scripted-nodes.js';

const NAME = 'n';

/** One server that has a write, whose replicas are counted. */
const counted = async (evalsha: () => unknown) => {
  const cluster = new ScriptedCluster([['a:1']]);
  const { clock, scheduler } = cluster;
  const server = cluster.at('a:1');
  server.answer('EVALSHA', evalsha);
  server.answer('EVAL', () => ['held']);
  server.answer('WAIT', () => 2);
  const settings = { commandTimeout: 1000, shardedPubSub: false };
  const topology = new ClusterTopology(cluster.servers(['a:1']), settings, scheduler);
  topology.refreshSoon();
  await clock.advance(100);
  const node = topology.nodeFor(NAME);
  if (!node) throw new Error('No node serves the name');
  const outcome = outcomeOf(node.replicasWith(writtenHold(NAME, 'me:1'), { min: 1, timeout: 100 }));
  await clock.advance(100);
  const closing = topology.close();
  await clock.advance(0);
  await closing;
  return { outcome, sent: server.log.flatMap((command) => /^(?:EVAL|WAIT)\w*/.exec(command) ?? []) };
};

describe('The replicas of a write', () => {
  it.each<readonly [string, () => unknown, readonly string[]]>([
    ['knows the script: it is sent by its hash alone', () => ['held'], ['EVALSHA', 'WAIT']],
    [
      'has no scripts, as after SCRIPT FLUSH: its text is sent, and the replicas are counted after it',
      () => {
        throw replyError('NOSCRIPT No matching script. Please use EVAL.');
      },
      ['EVALSHA', 'WAIT', 'EVAL', 'WAIT'],
    ],
  ])('are counted on a server that %s', async (_, evalsha, sent) => {
    const found = await counted(evalsha);
    expect(found.outcome).toEqual({ state: 'resolved', value: 2 });
    expect(found.sent).toEqual(sent);
  });
});
