import { aclRules, SENTINEL_ACL_RULES } from '../../lib/backend/probe/acl-rules.js';
import { CLUSTER_RULES, DATABASE_RULES, PREFIX, RULES, SENTINEL_RULES } from './documented-acl.js';

const server = { keyPrefix: PREFIX, isCluster: false, usesDatabase: false };

describe('The ACL rules that the command line prints', () => {
  it('are the documented ones for one server, a cluster, another database and Sentinels', () => {
    expect(aclRules(server)).toEqual(RULES);
    expect(aclRules({ ...server, isCluster: true })).toEqual([...RULES, ...CLUSTER_RULES]);
    expect(aclRules({ ...server, usesDatabase: true })).toEqual([...RULES, ...DATABASE_RULES]);
    expect(SENTINEL_ACL_RULES).toEqual(SENTINEL_RULES);
  });

  it('allow every key without a prefix', () => {
    expect(aclRules({ ...server, keyPrefix: '' }).filter((rule) => /^[~&]/.test(rule))).toEqual(['~*', '&redisson_*']);
  });

  it('take the characters of a prefix as they are', () => {
    expect(aclRules({ ...server, keyPrefix: 'a*[b]' })).toContain(String.raw`~a\*\[b\]*`);
  });
});
