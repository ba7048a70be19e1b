import type { Failure, Message, Request, WorkerApi } from './worker-messages.js';

/** Answers `call(name, …)` with the functions of `api`. The file that a Worker runs calls this once. */
export function serve(api: WorkerApi): void {
  process.on('message', (request: Request) => {
    answer(api, request).then(tell, (error: unknown) =>
      tell({ kind: 'failure', id: request.id, error: describeError(error) }),
    );
  });
  // Without its parent, no process calls or stops this one any more.
  process.on('disconnect', () => process.exit());
  tell({ kind: 'ready' });
}

function tell(message: Message): void {
  if (process.send === undefined) throw new Error('This file is run by a Worker, not by hand');
  // If the parent is gone by now, 'disconnect' ends this process.
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
