import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(__dirname, '../../docs/operate/acl.md'), 'utf8');

const found = (pattern: RegExp): readonly string[] => {
  const [, rules] = pattern.exec(page) ?? [];
  if (rules === undefined) throw new Error(`docs/operate/acl.md says nothing like ${pattern}`);
  return rules.trim().split(/\s+/);
};

/** The prefix in the documented line. */
export const PREFIX = 'shop:';
const USER = ['reset', 'on', '>password'];

/** The rules after `ACL SETUSER locks on >password` for one server, from docs/operate/acl.md. */
export const RULES = found(/^ACL SETUSER locks on >password([^`]+)^```/m);
export const CLUSTER_RULES = found(/\*\*Cluster\*\*: also `([^`]+)`/);
export const REPLICA_RULES = found(/\*\*replicas\*\*[^`]*`[^`]*`\): also `([^`]+)`/);
/** Instead of those for replicas, if these must have locks on disk. */
export const DISK_RULES = found(/with `aof: true` `([^`]+)` instead/);
export const DATABASE_RULES = found(/\*\*another database\*\*[^`]*`[^`]*`\): also `([^`]+)`/);
/** For a server that tells of deleted keys. */
export const KEY_RULES = found(/\*\*deleted keys\*\*.*: also `([^`]+)`/);
export const SENTINEL_RULES = found(/`ACL SETUSER locks on >password ([^`]+)`/);

/** The arguments of ACL SETUSER for a user with these rules and nothing more. */
export const userWith = (rules: readonly string[]): readonly string[] => ['locks', ...USER, ...rules];

/** The rules that allow something. */
export const grantsIn = (rules: readonly string[]): readonly string[] => rules.filter((rule) => /^[+~&]/.test(rule));

/** The URL of a server for that user. */
export const asUser = (url: string): string => url.replace('://', '://locks:password@');
