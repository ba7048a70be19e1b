import { runInThisContext } from 'node:vm';

/** Where Node tells of leaks. Jest gives tests a copy of `process` that never emits; this is the real one. */
const realProcess = runInThisContext('process') as NodeJS.Process;

/** Collects the warnings of listeners that pile up, as Node prints them. Returns how to stop. */
export const hearLeakWarnings = (onWarning: (warning: Error) => void): (() => void) => {
  const listener = (warning: Error): void => {
    if (warning.name === 'MaxListenersExceededWarning') onWarning(warning);
  };
  realProcess.on('warning', listener);
  return () => realProcess.off('warning', listener);
};
