import { runInThisContext } from 'node:vm';

/** The process that emits warnings of leaks. Jest gives tests a copy that never emits any. */
const realProcess = runInThisContext('process') as NodeJS.Process;

/** Calls `onWarning` when Node warns that an emitter has too many listeners. Returns a function that stops it. */
export const hearLeakWarnings = (onWarning: (warning: Error) => void): (() => void) => {
  const listener = (warning: Error): void => {
    if (warning.name === 'MaxListenersExceededWarning') onWarning(warning);
  };
  realProcess.on('warning', listener);
  return () => realProcess.off('warning', listener);
};
