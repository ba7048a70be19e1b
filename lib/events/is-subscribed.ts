import type { Channel } from 'node:diagnostics_channel';

/** Whether any of these channels has a subscriber. On the hot path, see docs/architecture.md#hot-path. */
export const isSubscribed = (channels: readonly Channel[]): boolean =>
  channels.some(({ hasSubscribers }) => hasSubscribers);
