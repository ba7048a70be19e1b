import type { NodeExecutor } from '../commands/node-executor.js';

/**
 * Redisson's rule: messages stay with the shard of their lock where the servers know how to (Redis 7). One that refuses
 * the question by its name knows it as well.
 */
export const askWhetherSharded = async (node: Pick<NodeExecutor, 'ask' | 'deadline'>): Promise<boolean> => {
  const deadline = node.deadline();
  try {
    await node.ask((client) => client.pubsub('SHARDNUMSUB'), deadline);
    return true;
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    const text = cause instanceof Error ? cause.message : '';
    if (/NOPERM.*shardnumsub/i.test(text)) return true;
    // Only what a server said of the question is an answer.
    if (/^(ERR|NOPERM)\b/.test(text)) return false;
    throw error;
  }
};
