// Runs the specs in the order in which the worker was given them, the quickest first.
const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class GivenOrder extends Sequencer {
  sort(tests) {
    const order = process.env.SPEC_ORDER.split('\n');
    return tests.toSorted((one, other) => order.indexOf(one.path) - order.indexOf(other.path));
  }
};
