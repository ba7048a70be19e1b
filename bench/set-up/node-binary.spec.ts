import { nodeBinaries, nodeBinary } from './node-binary.js';

describe('nodeBinary', () => {
  const running = { version: process.version, path: process.execPath };
  const [major = '', minor = ''] = process.versions.node.split('.');

  it('is the running Node if its version begins so', () => {
    expect(nodeBinary(major)).toEqual(running);
    expect(nodeBinary(`${major}.${minor}`)).toEqual(running);
    expect(nodeBinary(process.versions.node)).toEqual(running);
  });

  it('is no package of another name', () => {
    expect(() => nodeBinary('24 --eval 1')).toThrow("'24 --eval 1' is no version");
    expect(() => nodeBinary('')).toThrow('is no version');
  });

  it('is the running Node without a version', () => {
    expect(nodeBinaries([])).toEqual([running]);
  });
});
