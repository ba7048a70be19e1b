/** @module nest-redis-lock/terminus */
export type { ServerHealth } from '../../backend/backend-listener.js';
export type { Affected } from '../../events/outage.js';
export type { ProbeVerdict } from '../../module/startup-probe.js';
export type { ConnectionHealth, LockHealthState } from './connection-health.js';
export { LockHealthIndicator } from './lock-health.indicator.js';
export type { LockHealthOptions } from './lock-health.indicator.js';
