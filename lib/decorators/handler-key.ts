import type { ExecutionContext } from '@nestjs/common';
import { LockNameError } from '../errors.js';
import { compileTemplate, type Sources } from '../keys/key-template.js';
import { formatValue } from '../validation/format-value.js';
import type { Refused } from '../validation/refused.js';
import { isFunction } from './decorated-method.js';
import type { Placeholders } from './locked.types.js';
import { namesFrom } from './method-key.js';

/** Makes one or several lock names from the request instead of the handler's arguments. */
export type HandlerKey = (context: ExecutionContext) => string | readonly string[];

/**
 * The parts that a key template of a handler may name: those of an HTTP request and the user that a guard has set there, the
 * arguments of a GraphQL resolver, and the data of a message or of an event of a gateway. All are as they came: pipes run
 * under the lock.
 */
const REQUEST_PARTS = ['params', 'query', 'body', 'headers', 'user', 'args', 'data'] as const;
type RequestPart = (typeof REQUEST_PARTS)[number];

const PARTS: Sources = {
  names: new RegExp(`^(?:${REQUEST_PARTS.join('|')})$`),
  none: 'names no part of a request',
  remedy:
    'write <params.id>, <query.id>, <body.id>, <headers.id> or <user.id>, in GraphQL <args.id>, of messages <data.id>',
  instead: 'give a function of the context',
  what: '',
};

type CheckPaths<Paths extends readonly string[]> = Paths extends [
  infer Path extends string,
  ...infer Others extends string[],
]
  ? Path extends RequestPart | `${RequestPart}.${string}`
    ? CheckPaths<Others>
    : Refused<`<${Path}> names no part of a request: params, query, body, headers, user, args or data`>
  : unknown;

/** An error of the compiler for a template that names something else. */
export type CheckHandlerTemplate<K extends string> = string extends K ? unknown : CheckPaths<Placeholders<K>>;

type RequestParts = Readonly<Partial<Record<RequestPart, unknown>>>;

/** The parts of the request of a handler. */
export const partsOf = (context: ExecutionContext): RequestParts => {
  const type: string = context.getType();
  if (type === 'http') {
    const { params, query, body, headers, user } = context.switchToHttp().getRequest<RequestParts>();
    return { params, query, body, headers, user };
  }
  if (type === 'graphql') return { args: context.getArgByIndex<unknown>(1) };
  return { data: type === 'ws' ? context.switchToWs().getData<unknown>() : context.switchToRpc().getData<unknown>() };
};

/** The key of a handler. */
interface ParsedHandlerKey {
  /** Absent: a function makes the names. */
  readonly template: string | undefined;
  /** @throws LockNameError */
  readonly namesFor: (context: ExecutionContext, maxNames: number) => string | readonly string[];
}

/**
 * @param of The function or decorator as written in source, for messages.
 * @throws LockNameError
 */
export const parseHandlerKey = (of: string, key: unknown): ParsedHandlerKey => {
  if (typeof key === 'string') {
    const template = compileTemplate(key, PARTS);
    return { template: key, namesFor: (context, maxNames) => template.render(partsOf(context), maxNames) };
  }
  if (!isFunction(key))
    throw new LockNameError(`${of} takes a key template or a key function, not ${formatValue(key)}`);
  return { template: undefined, namesFor: (context, maxNames) => namesFrom(key(context), of, maxNames) };
};
