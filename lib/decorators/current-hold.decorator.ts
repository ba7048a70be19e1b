import 'reflect-metadata';
import { createParamDecorator } from '@nestjs/common';
import type { Hold } from '../holds/hold.js';
import { currentHold } from '../reentrancy/current-hold.js';

const HOLD_PARAMETERS = Symbol('parameters of @CurrentHold');

const ofHandler = createParamDecorator((): Hold | undefined => currentHold());

/** The compiler refuses it on a parameter of a constructor. */
type MethodParameterDecorator = (target: object, method: string | symbol, index: number) => void;

/**
 * Passes the hold that the method runs under: the parameter of a method with `@Locked`, in any class, or of a handler
 * behind `lockHandler()`. With `@Locked` for several locks it is a `MultiHold`. `undefined` if the method runs under no
 * lock, and under permits, which are no holds. What a caller gives for the parameter of a method with `@Locked` is
 * replaced, so declare it as optional.
 *
 * @example
 * @Locked('order:<0>')
 * async pay(orderId: string, @CurrentHold() hold?: Hold): Promise<void> { … }
 */
export const CurrentHold = (): MethodParameterDecorator => (target, method: string | symbol | undefined, index) => {
  if (method === undefined) throw new TypeError('@CurrentHold can only be used on a parameter of a method');
  const known = holdParametersOf(target, method) ?? [];
  Reflect.defineMetadata(HOLD_PARAMETERS, [...known, index], target, method);
  ofHandler()(target, method, index);
};

/** The indexes of the parameters of a method that are to be its hold, if there are any. Not inherited by overrides. */
export const holdParametersOf = (target: object, method: string | symbol): readonly number[] | undefined =>
  Reflect.getOwnMetadata(HOLD_PARAMETERS, target, method) as readonly number[] | undefined;

/** The arguments with the current hold in place of these. */
export const withCurrentHold = (args: readonly unknown[], parameters: readonly number[]): unknown[] => {
  const completed = [...args];
  for (const index of parameters) completed[index] = currentHold();
  return completed;
};
