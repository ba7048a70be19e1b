/**
 * Values that `lockName` and `@LockedHandler` must refuse or accept at compile time. Nothing here runs: the check is
 * `npm run typecheck`, where a line after `@ts-expect-error` that compiles is an error.
 */
import { LockedHandler, lockName } from 'nest-redis-lock';

declare const optional: { readonly id?: string; readonly tag: string | null };

export const names: readonly string[] = [
  lockName`report`,
  lockName`cart:${'a'}:${1}:${1n}:${true}:${new Date()}`,
  // @ts-expect-error -- may be undefined
  lockName`cart:${optional.id}`,
  // @ts-expect-error -- may be null
  lockName`cart:${optional.tag}`,
  // @ts-expect-error -- an object
  lockName`cart:${{ id: 7 }}`,
  // @ts-expect-error -- a list makes no single name
  lockName`cart:${['a']}`,
  // @ts-expect-error -- a tag, not a function of text
  lockName('cart:7'),
];

export class Carts {
  @LockedHandler((context) => lockName`cart:${context.getHandler().name}`, { wait: '3s' })
  handler(): string {
    return 'a';
  }

  @LockedHandler('cart:<params.id>:<headers.x-shop>:<user.id>', { wait: '3s' })
  template(): string {
    return 'a';
  }

  // @ts-expect-error -- arguments are those of @Locked
  @LockedHandler('cart:<0>')
  argument(_id: string): string {
    return 'a';
  }

  // @ts-expect-error -- no part of a request
  @LockedHandler('cart:<session.id>')
  session(): string {
    return 'a';
  }

  // @ts-expect-error -- the key is missing
  @LockedHandler(() => lockName`cart:${optional.id}`)
  missing(): string {
    return 'a';
  }
}

@LockedHandler(() => 'carts')
export class WholeController {}

declare const anyTemplate: string;

@LockedHandler(anyTemplate)
export class LockedByText {}
