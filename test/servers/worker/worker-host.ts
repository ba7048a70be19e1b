import type { Failure, Message, Request, WorkerApi } from './worker-messages.js';

/** Called once by the file that a Worker runs: answers `call(name, …)` with the functions of `api`. */
export function serve(api: WorkerApi): void {
  process.on('message', (request: Request) => {
    answer(api, request).then(tell, (error: unknown) =>
      tell({ kind: 'failure', id: request.id, error: describeError(error) }),
    );
  });
  // The parent is gone: it can neither call nor stop this process any more.
  process.on('disconnect', () => process.exit());
  tell({ kind: 'ready' });
}

function tell(message: Message): void {
  if (process.send === undefined) throw new Error('This file is run by a Worker, not by hand');
  // The parent may be gone by now; 'disconnect' sees to that.
  process.send(message, undefined, undefined, () => {});
}

async function answer(api: WorkerApi, { id, name, args }: Request): Promise<Message> {
  const call: ((...args: never[]) => unknown) | undefined = api[name];
  if (call === undefined) throw new Error(`The worker has no '${name}'`);
  return { kind: 'result', id, value: await call(...(args as never[])) };
}

function describeError(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  return { name, message, stack, ...('code' in error ? { code: error.code } : {}) };
}
