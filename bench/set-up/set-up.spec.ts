import { setUps } from './set-up.js';

const nodes = [
  { version: 'v20.1.0', path: '/20' },
  { version: 'v24.1.0', path: '/24' },
];

describe('setUps', () => {
  it('measures each Node in each placement, pinned first', () => {
    const found = setUps(nodes, true).map(({ node, placement }) => `${placement} ${node.version}`);
    expect(found).toEqual(['pinned v20.1.0', 'pinned v24.1.0', 'free v20.1.0', 'free v24.1.0']);
  });

  it('pins nothing unless asked to', () => {
    expect(setUps(nodes, false).map(({ placement }) => placement)).toEqual(['free', 'free']);
  });
});
