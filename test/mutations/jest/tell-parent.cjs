const { existsSync, readFileSync, rmSync } = require('node:fs');

const takeReached = () => {
  const file = process.env.REACHED_FILE;
  if (!existsSync(file)) return [];
  const reached = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  return reached;
};

// Reporter of the worker: sends each failed test at once, and each spec when it has ended.
module.exports = class TellParent {
  onTestCaseResult({ path }, { fullName, status }) {
    if (status === 'failed') process.send({ type: 'failed', spec: path, test: fullName });
  }

  onTestFileResult({ path }, { testExecError, numFailingTests, perfStats: { runtime } }) {
    const hasFailed = numFailingTests > 0 || Boolean(testExecError);
    process.send({ type: 'ended', spec: path, ms: runtime, hasFailed, reached: takeReached() });
  }
};
